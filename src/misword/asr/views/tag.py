"""Parts of speech."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Annotation, Utterances
from misword.asr.views.language_view import LanguageView
from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.tokens import encode_flat


@dataclass(frozen=True, slots=True)
class Tag(LanguageView):
    """The part of speech of each token, found in the context of the whole utterance.

    Universal tags, or with `detailed=true` the tagger's full tag and features.

    Known problems: the tokens are the tagger's, and its mistakes are counted as the recogniser's.
    """

    name: ClassVar[str] = "tag"
    annotation: ClassVar[str] = "tag"

    tagger: str = "auto"
    detailed: bool = False

    @property
    def part(self) -> Analyzer:
        """The analyzer that finds the tags."""
        gives = "detail" if self.detailed else "tag"
        return analyzer_for(self.lang, gives, "" if self.tagger == "auto" else self.tagger)

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the tags of both sides."""
        analysis = utterances.analysis(self.part)
        tags = analysis.details if self.detailed else analysis.tags
        return utterances.spread(encode_flat(tags or (), analysis.offsets))

    def annotate(self, utterances: Utterances) -> Annotation:
        """Return the universal tag of each token, also where the view has detailed tags."""
        analysis = utterances.analysis(self.part)
        return Annotation(analysis, analysis.tags or [])
