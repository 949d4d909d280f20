"""Characters that nobody sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

UNSEEN = str.maketrans(dict.fromkeys("\u200b\u2060\ufeff\u00ad"))


@dataclass(frozen=True, slots=True)
class NoZeroWidth:
    """Drops zero-width spaces, word joiners, byte-order marks and soft hyphens.

    Why: copied from web pages, they make two equal words differ. The joiners that some scripts need
    for spelling (U+200C, U+200D) stay.
    """

    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Drop them."""
        return joined.translate(UNSEEN)
