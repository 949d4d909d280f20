"""Normalizer that writes all apostrophes in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer

TO_ASCII = str.maketrans(dict.fromkeys("\u2019\u02bc\u2018\uff07", "'"))


@dataclass(frozen=True, slots=True)
class Apostrophe(Normalizer):
    """Writes typographic apostrophes (’ ʼ ‘ ＇) as the ASCII one.

    Why: word processors write `l’homme` in references, recognisers write `l'homme`.
    """

    name: ClassVar[str] = "apostrophe"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Replace each typographic apostrophe by `'`."""
        return joined.translate(TO_ASCII)
