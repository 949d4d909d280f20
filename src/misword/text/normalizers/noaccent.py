"""Letters without their accents."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import ClassVar

MARKS = re.compile("[\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class NoAccent:
    """Drops Latin, Greek and Cyrillic accents: `où` counts as `ou`.

    Known problems: letters that merely look accented (ø, ł) stay; vowel signs of other scripts,
    which are letters in all but name, stay too.
    """

    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Decompose, drop combining diacritical marks, compose again."""
        bare = MARKS.sub("", unicodedata.normalize("NFD", joined))
        return unicodedata.normalize("NFC", bare)
