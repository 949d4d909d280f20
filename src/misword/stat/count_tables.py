"""Tables of distinct rows with the number of times that each occurs, which add up in any order.

A table has columns of keys (`k0`, `k1`, ...: the group of a row), columns of values (`v0`, `v1`,
...: the terms of metrics) and the column `count`. Rows are sorted, so two tables of the same rows
are equal however the rows were divided and ordered before they were counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from misword.core.errors import MismatchError
from misword.core.types import Statistics
from misword.stat.bootstrap import DistinctRows
from misword.stat.group_intervals import GroupedCounts

if TYPE_CHECKING:
    import polars as pl

COUNT = "count"


def key_columns(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Return columns as keys; categories become strings, so that those of all shards are equal."""
    import polars as pl

    kinds = (pl.Categorical, pl.Enum)
    plain = (each.cast(pl.String) if each.dtype in kinds else each for each in columns)
    return [column.alias(f"k{at}") for at, column in enumerate(plain)]


def count_rows(keys: Sequence[pl.Series], values: Statistics) -> pl.DataFrame:
    """Count the distinct rows of keys and values."""
    import polars as pl

    plain = values + 0.0 if values.dtype.kind == "f" else values  # no negative zeros
    columns = [pl.Series(f"v{at}", column) for at, column in enumerate(plain.T)]
    return _counted(pl.DataFrame([*keys, *columns]), pl.len())


def add_counts(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return one table of the rows of several."""
    import polars as pl

    return _counted(stacked(tables), pl.col(COUNT).sum())


def stacked(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of several tables with the same columns; numbers of two kinds are joined.

    Raises if a column has text in one table and other values in another: it would depend on the
    order of the tables how these are written.
    """
    import polars as pl

    listed = list(tables)
    for columns in zip(*(table.schema.items() for table in listed), strict=True):
        kinds = {kind for _, kind in columns} - {pl.Null()}
        if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
            raise MismatchError(
                f"shards have groups of different kinds: {', '.join(sorted(map(str, kinds)))}",
                fix="store the columns of groups with the same data type in all shards",
            )
    return pl.concat(listed, how="vertical_relaxed", rechunk=True)


def without_keys(table: pl.DataFrame, kept: int = 0) -> pl.DataFrame:
    """Return a table that counts the rows of all groups together, but for the first `kept` keys."""
    import polars as pl

    dropped = [name for name in table.columns if name[0] == "k" and int(name[1:]) >= kept]
    return _counted(table.drop(dropped), pl.col(COUNT).sum()) if dropped else table


def project(table: pl.DataFrame, places: Sequence[int]) -> pl.DataFrame:
    """Return a table of some of the columns of values."""
    import polars as pl

    keys = [name for name in table.columns if name[0] == "k"]
    values = [pl.col(f"v{place}").alias(f"v{at}") for at, place in enumerate(places)]
    return _counted(table.select(*keys, *values, COUNT), pl.col(COUNT).sum())


def _counted(table: pl.DataFrame, count: pl.Expr) -> pl.DataFrame:
    """Return the distinct rows, sorted, with their counts."""
    import polars as pl

    names = [name for name in table.columns if name != COUNT]
    counted = table.group_by(names).agg(count.cast(pl.Int64).alias(COUNT))
    return counted.sort(names, nulls_last=True)


def sample_of(table: pl.DataFrame) -> DistinctRows:
    """Return the rows of a table without keys as a sample."""
    return DistinctRows(_values(table), table[COUNT].to_numpy())


def grouped_counts(table: pl.DataFrame) -> GroupedCounts:
    """Return the rows of a table group by group, in the order of the sorted keys."""
    names = [name for name in table.columns if name[0] == "k"]
    runs = table.select(names).select(_changes(names)).to_series().to_numpy()
    starts = np.append(np.flatnonzero(runs), len(table)).astype(np.int64)
    return GroupedCounts(_values(table), table[COUNT].to_numpy(), starts)


def _changes(names: Sequence[str]) -> pl.Expr:
    """Return whether a row has other keys than the row before it."""
    import polars as pl

    first = pl.int_range(pl.len()) == 0
    return first | pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(name).shift()) for name in names
    )


def _values(table: pl.DataFrame) -> Statistics:
    names = [name for name in table.columns if name[0] == "v"]
    # The order in memory is that of `distinct`, so that products are rounded in the same way.
    return np.ascontiguousarray(table.select(names).to_numpy())
