"""Words that a segmenter finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Utterances, View
from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.core.types import Tokens
from misword.text.segmenters import SEGMENTERS, Segmenter
from misword.text.tokens import encode_lists


@dataclass(frozen=True, slots=True)
class Segmented(View):
    """Words of scripts without spaces between words, found by a segmenter.

    Known problems: alternatives of a reference and forgiven differences of writing are chosen by
    words between white space, as for characters.
    """

    name: ClassVar[str] = "segmented"
    unit: ClassVar[str] = "words"

    words: str = "auto"

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter; raises if none has this name."""
        return SEGMENTERS.create(self.words)

    def check(self, context: Context) -> None:
        """Raise unless the segmenter is installed."""
        self.segmenter.check(context)

    def settings(self, context: Context) -> Settings:
        """The segmenter with the versions of its packages."""
        return self.segmenter.settings(context)

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Cut each distinct text."""
        cut = self.segmenter.cut
        return utterances.spread(encode_lists([cut(text) for text in utterances.distinct.texts]))
