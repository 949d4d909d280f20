"""The rows of a table as a set that grows: equal rows are found without a look at all old rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class RowSet:
    """Hashes of the rows of `table`, in sorted arrays of decreasing size.

    Each array is larger than the next one. When rows are added, arrays that are not are merged, so
    a row is sorted again only a few times however many tables are added: the time for `n` rows is
    proportional to `n log n`.

    >>> import polars as pl
    >>> first, second = (pl.DataFrame({"utt": [name]}) for name in "ab")
    >>> rows = RowSet.of(first)
    >>> rows.meets(RowSet.of(second)), rows.meets(RowSet.of(first))
    (False, True)
    """

    table: pl.DataFrame
    arrays: tuple[Hashes, ...]

    @classmethod
    def of(cls, table: pl.DataFrame) -> RowSet:
        """Return the set of the rows of a table."""
        return cls(table, (np.sort(table.hash_rows(seed=0).to_numpy()),))

    def meets(self, other: RowSet) -> bool:
        """Return whether a hash is in both sets: equal rows have equal hashes."""
        return any(_meet(mine, theirs) for mine in self.arrays for theirs in other.arrays)

    def joined(self, other: RowSet, table: pl.DataFrame) -> RowSet:
        """Return the set of both; `table` has the rows of both."""
        arrays = list(self.arrays)
        for added in other.arrays:
            arrays.append(added)
            while len(arrays) > 1 and len(arrays[-2]) <= len(arrays[-1]):
                last = arrays.pop()
                arrays[-1] = np.sort(np.concatenate([arrays[-1], last]))
        return RowSet(table, tuple(arrays))


def _meet(one: Hashes, other: Hashes) -> bool:
    """Return whether two sorted arrays have an element in common."""
    small, large = sorted((one, other), key=len)
    if not len(small):
        return False
    places = np.searchsorted(large, small)
    found = large[np.minimum(places, len(large) - 1)] == small
    return bool(found.any())
