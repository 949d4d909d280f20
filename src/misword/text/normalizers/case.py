"""Letter case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Lower:
    """Lower-cases as Unicode says, without regard to language.

    Known problems: the Turkish dotless i has no rule of its own.
    """

    keeps_ascii: ClassVar[bool] = False

    def apply(self, joined: str) -> str:
        """Lower-case all rows."""
        return joined.lower()


@dataclass(frozen=True, slots=True)
class Casefold:
    """Removes all distinctions of case, also where lower case keeps one: `ß` becomes `ss`."""

    keeps_ascii: ClassVar[bool] = False

    def apply(self, joined: str) -> str:
        """Case-fold all rows."""
        return joined.casefold()
