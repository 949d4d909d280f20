"""Groups of the rows of a table, with sums of each group computed in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class RowGroups:
    """The rows of a table by the values of some columns, groups in order of appearance.

    `keys` has a row for each group: the values of the columns. Group `g` has the rows `order[k]` of
    the table, for `k` from `starts[g]` to `starts[g + 1] - 1`; without `order` the rows of the
    table are in the order of the groups.

    >>> import polars as pl
    >>> table = pl.DataFrame({"speaker": ["b", "a", "b"], "errors": [1, 2, 4]})
    >>> groups = RowGroups.of(table, ["speaker"])
    >>> groups.keys["speaker"].to_list(), groups.sums(table["errors"].to_numpy()).tolist()
    (['b', 'a'], [5, 2])
    """

    keys: pl.DataFrame
    order: NDArray[np.int64] | None
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, table: pl.DataFrame, by: Sequence[str]) -> RowGroups:
        """Group the rows by columns, at least one."""
        import polars as pl

        # Any name may be that of a metadata column, so the columns get numbers as names.
        columns = [table.get_column(name).alias(str(at)) for at, name in enumerate(by)]
        numbered = pl.DataFrame(columns)
        rows = numbered.with_columns(row=pl.int_range(pl.len(), dtype=pl.Int64))
        grouped = rows.group_by(numbered.columns, maintain_order=True).agg("row")
        # Values of Python: categories become strings.
        values = grouped.drop("row").rows()
        keys = pl.DataFrame(values, list(by), orient="row", infer_schema_length=None)
        sizes = grouped["row"].list.len().to_numpy().astype(np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return cls(keys, grouped["row"].explode().to_numpy(), starts)

    @classmethod
    def of_systems(cls, table: pl.DataFrame, by: Sequence[str] = ()) -> RowGroups:
        """Group the rows by system and columns, without a copy if there is one group."""
        import polars as pl

        if not by and table.select(pl.col("system").n_unique()).item() == 1:
            return cls.whole(table, "system")
        return cls.of(table, ("system", *by))

    @classmethod
    def whole(cls, table: pl.DataFrame, name: str) -> RowGroups:
        """Return one group of all rows, which have the same value of a column."""
        return cls(table[:1].select(name), None, np.array([0, len(table)]))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each group."""
        return np.diff(self.starts)

    def arrange(self, values: Statistics) -> Statistics:
        """Return the rows of an array group by group."""
        return values if self.order is None else values[self.order]

    def sums(self, values: Statistics) -> Statistics:
        """Add the values of each group; fractions without rounding, so that order is irrelevant."""
        arranged = self.arrange(values)
        if values.dtype.kind != "f":
            return np.add.reduceat(arranged, self.starts[:-1], dtype=np.int64)
        numbers = arranged.tolist()
        return np.array([fsum(numbers[lo:hi]) for lo, hi in pairwise(self.starts.tolist())])
