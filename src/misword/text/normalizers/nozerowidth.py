"""Normalizer that removes invisible characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer

INVISIBLE = str.maketrans(dict.fromkeys("\u200b\u2060\ufeff\u00ad"))


@dataclass(frozen=True, slots=True)
class NoZeroWidth(Normalizer):
    """Drops zero-width spaces, word joiners, byte-order marks and soft hyphens.

    Why: text that was copied from web pages contains them, and they make equal words differ. The
    joiners that some scripts need for spelling (U+200C, U+200D) are kept.
    """

    name: ClassVar[str] = "nozerowidth"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Delete these characters."""
        return joined.translate(INVISIBLE)
