"""Parts of speech."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, choose
from misword.text.tokens import encode_flat

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Tag:
    """The part of speech of each token, found in the context of the whole utterance.

    Universal tags, or with `detailed=true` the tagger's full tag and features.

    Known problems: the tokens are the tagger's, and its mistakes are counted as the recogniser's.
    """

    lang: str = ""
    tagger: str = "auto"
    detailed: bool = False

    @property
    def analyzer(self) -> Analyzer:
        """The part that tags."""
        gives = "detail" if self.detailed else "tag"
        return choose(self.lang, gives, "" if self.tagger == "auto" else self.tagger)

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The language, and the analyzer with its version."""
        return ("lang", self.lang), *self.analyzer.settings

    def check(self) -> None:
        """The analyzer must be installed and know the language."""
        self.analyzer.check()

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """The tags of both sides."""
        analysis = pairs.analysis(self.analyzer)
        tags = analysis.details if self.detailed else analysis.tags
        return pairs.spread(encode_flat(tags or (), analysis.offsets))
