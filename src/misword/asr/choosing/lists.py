"""N-best lists as rows of one flat array with offsets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics, join_ranges

# Costs that differ by less are equal. Costs are counts of errors and sums of prices; where they
# differ, they differ by far more.
TOLERANCE = 1e-9

Rows = NDArray[np.int64]
Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HypothesisLists:
    """Some or all hypotheses of each list, in the order of their ranks.

    List `u` has the rows `rows[offsets[u]:offsets[u + 1]]` of the arrays that describe the
    hypotheses. No list is empty.

    >>> lists = HypothesisLists.of(np.array([1, 2, 3, 1, 1, 2]))
    >>> lists.lengths.tolist()
    [3, 1, 2]
    >>> lists.up_to(2).rows.tolist()
    [0, 1, 3, 4, 5]
    >>> lists.with_least(np.array([4.0, 2, 2, 7, 1, 0])).rows.tolist()
    [1, 2, 3, 5]
    """

    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, ranks: NDArray[np.int64]) -> HypothesisLists:
        """Return the lists of hypotheses with these ranks: each list begins with rank 1."""
        starts = np.flatnonzero(ranks == 1)
        return cls(np.arange(len(ranks)), np.append(starts, len(ranks)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Rows:
        """The number of hypotheses of each list."""
        return np.diff(self.offsets)

    @property
    def first(self) -> Rows:
        """The row of the first hypothesis of each list."""
        return self.rows[self.offsets[:-1]]

    def up_to(self, depth: int) -> HypothesisLists:
        """Return the first `depth` hypotheses of each list; shorter lists are as they are."""
        lengths = self.lengths
        if lengths.max(initial=0) <= depth:
            return self
        kept = np.minimum(lengths, depth)
        rows = self.rows[join_ranges(self.offsets[:-1], kept)]
        return HypothesisLists(rows, np.concatenate([[0], np.cumsum(kept)]))

    def of_rows(self, values: Statistics) -> Statistics:
        """Return the values of the rows of the lists, without a copy if these are all rows."""
        return values if len(values) == len(self.rows) else values[self.rows]

    def repeated(self, values: Statistics) -> Statistics:
        """Return a value of each list for each of its rows."""
        lengths = self.lengths
        if len(lengths) and (lengths == lengths[0]).all():  # faster than `np.repeat`
            spread = np.broadcast_to(values[:, None], (len(values), int(lengths[0])))
            return spread.reshape(-1)
        return np.repeat(values, lengths)

    def with_least(self, costs: Costs) -> HypothesisLists:
        """Return the hypotheses of each list that have its least cost; `costs` are by row."""
        if not len(self):
            return self
        values = self.of_rows(costs)
        least = np.minimum.reduceat(values, self.offsets[:-1])
        places = np.flatnonzero(values <= self.repeated(least + TOLERANCE))
        return HypothesisLists(self.rows[places], np.searchsorted(places, self.offsets))

    def spread(self, costs: Costs) -> Costs:
        """Return the highest cost of each list minus its least cost."""
        if not len(self):
            return np.zeros(0)
        values, starts = self.of_rows(costs), self.offsets[:-1]
        return np.asarray(
            np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts), np.float64
        )
