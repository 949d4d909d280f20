"""One apostrophe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

TO_ASCII = str.maketrans(dict.fromkeys("\u2019\u02bc\u2018\uff07", "'"))


@dataclass(frozen=True, slots=True)
class Apostrophe:
    """Writes typographic apostrophes (’ ʼ ‘ ＇) as the ASCII one.

    Why: references come from word processors, hypotheses from machines; `l’homme` is `l'homme`.
    """

    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Replace each by `'`."""
        return joined.translate(TO_ASCII)
