"""Character error rate."""

from __future__ import annotations

from dataclasses import dataclass

from misword.asr.metrics.edit_rate import EditRate
from misword.asr.views import View
from misword.asr.views.character import Character
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class CER(EditRate):
    """Character errors per reference character, the single spaces between words included.

    Why: it forgives near misses (a plural's s) that WER counts in full, and it works for languages
    without spaces between words (`cer:spaces=false`).

    Known problems: characters are code points, after the normalizer (NFC by default).

    Example: `misword score ref.txt hyp.txt --metrics cer:spaces=false`
    """

    spaces: bool = True

    def view(self, context: Context) -> View:
        """Characters."""
        return Character(self.spaces)
