"""A sum of many tallies that arrive one after the other."""

from __future__ import annotations

from misword.core.errors import MismatchError
from misword.stat.count_tables import stacked
from misword.stat.tally import Tally, check_same_tallies

FEWEST = 1 << 16  # rows that wait before they are added up


class TallySum:
    """A sum of tallies. Those that arrived last wait until they have as many rows as the others.

    Each row is so added up only a few times, however many tallies there are.
    """

    def __init__(self) -> None:
        self._total: Tally | None = None
        self._waiting: list[Tally] = []
        self._rows = 0

    def add(self, tally: Tally) -> None:
        """Add a tally; raise if it does not fit to the others."""
        first = self._total or next(iter(self._waiting), None)
        if first is not None:
            check_same_tallies(first, tally)
            keys = [f"k{at}" for at in range(1 + len(tally.by))]
            stacked([first.sums.select(keys).clear(), tally.sums.select(keys).clear()])
        self._waiting.append(tally)
        self._rows += tally.size
        if self._rows > max(FEWEST, self._total.size if self._total else 0):
            self._merge()

    def tally(self) -> Tally:
        """Return the sum."""
        self._merge()
        if self._total is None:
            raise MismatchError("there are no tallies to add up")
        return self._total

    def _merge(self) -> None:
        parts = [*([self._total] if self._total else []), *self._waiting]
        if parts:
            self._total = Tally.sum(parts)
        self._waiting, self._rows = [], 0
