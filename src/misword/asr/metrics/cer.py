"""Character error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EditRate
from misword.asr.views import View
from misword.asr.views.character import Character
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class CER(EditRate):
    """Character errors per reference character, the single spaces between words included.

    Why: it counts near misses (a plural's s) as small errors, which WER counts in full, and it
    works for languages without spaces between words (`cer:spaces=false`).

    Known problems: characters are code points, after the normalizer (NFC by default).

    Example: `misword score ref.txt hyp.txt --metrics cer:spaces=false`
    """

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    family: ClassVar[str] = "characters"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)

    spaces: bool = True

    def view(self, context: Context) -> View:
        """Return the characters."""
        return Character(self.spaces)
