"""Parts of speech."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.asr.views.spoken import Spoken
from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.tokens import encode_flat

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Tag(Spoken):
    """The part of speech of each token, found in the context of the whole utterance.

    Universal tags, or with `detailed=true` the tagger's full tag and features.

    Known problems: the tokens are the tagger's, and its mistakes are counted as the recogniser's.
    """

    tagger: str = "auto"
    detailed: bool = False

    @property
    def part(self) -> Analyzer:
        """The part that tags."""
        gives = "detail" if self.detailed else "tag"
        return analyzer_for(self.lang, gives, "" if self.tagger == "auto" else self.tagger)

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """The tags of both sides."""
        analysis = pairs.analysis(self.part)
        tags = analysis.details if self.detailed else analysis.tags
        return pairs.spread(encode_flat(tags or (), analysis.offsets))
