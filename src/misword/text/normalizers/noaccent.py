"""Normalizer that removes accents."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer

MARKS = re.compile("[\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class NoAccent(Normalizer):
    """Drops Latin, Greek and Cyrillic accents: `où` counts as `ou`.

    Known problems: letters that Unicode does not decompose (ø, ł) are kept, and so are the vowel
    signs of other scripts.
    """

    name: ClassVar[str] = "noaccent"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Decompose, drop combining diacritical marks, compose again."""
        bare = MARKS.sub("", unicodedata.normalize("NFD", joined))
        return unicodedata.normalize("NFC", bare)
