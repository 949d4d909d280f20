"""Normalizer that removes Arabic vowel signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer

# Tanwin, short vowels, shadda and sukun; the superscript alef; signs of the Quran; tatweel.
MARKS = re.compile(
    "[\u064b-\u0652\u0670\u0610-\u061a\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06ed\u0640]"
)


@dataclass(frozen=True, slots=True)
class NoHarakat(Normalizer):
    """Drops Arabic vowel signs and tatweel: `كَتَبَ` counts as `كتب`.

    Why: most Arabic text is written without these signs, and a recogniser may write some of them.
    Letters with hamza or madda (`أ`, `آ`) are kept: NFC composes them, and they are other letters.
    """

    name: ClassVar[str] = "noharakat"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Delete these signs."""
        return MARKS.sub("", joined)
