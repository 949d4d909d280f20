"""Character error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from misword.asr.metrics.edit_rate import EditRate
from misword.asr.views import View
from misword.asr.views.character import Character
from misword.asr.views.grapheme import Grapheme
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class CER(EditRate):
    """Character errors per reference character, the single spaces between words included.

    Why: it counts near misses (a plural's s) as small errors, which WER counts in full, and it
    works for languages without spaces between words (`cer:spaces=false`).

    With `unit=grapheme` a letter with its marks counts as one character, and so does an emoji of
    several code points: the characters are extended grapheme clusters.

    Known problems: by default characters are code points, after the normalizer (NFC by default).

    Example: `misword score ref.txt hyp.txt --metrics cer:spaces=false`
    """

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    family: ClassVar[str] = "characters"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)

    spaces: bool = True
    unit: Literal["code-point", "grapheme"] = "code-point"

    def view(self, context: Context) -> View:
        """Return the characters."""
        return Grapheme(self.spaces) if self.unit == "grapheme" else Character(self.spaces)
