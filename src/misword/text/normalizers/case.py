"""Normalizers of letter case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer


@dataclass(frozen=True, slots=True)
class Lower(Normalizer):
    """Lower-cases as Unicode says, without regard to language.

    Known problems: the Turkish rules for dotted and dotless i are not applied.
    """

    name: ClassVar[str] = "lower"

    def apply(self, joined: str) -> str:
        """Lower-case all rows."""
        return joined.lower()


@dataclass(frozen=True, slots=True)
class Casefold(Normalizer):
    """Removes all distinctions of case, also where lower case keeps one: `ß` becomes `ss`."""

    name: ClassVar[str] = "casefold"

    def apply(self, joined: str) -> str:
        """Case-fold all rows."""
        return joined.casefold()
