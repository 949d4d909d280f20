"""Tables of exact sums by group, which add up in any order.

Whole numbers are columns of integers. A fraction is several columns of integers, one for each of
its limbs (`stat.exact_sums`): `wer-e.cost#-1`, `wer-e.cost#0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics
from misword.stat.count_tables import key_columns
from misword.stat.exact_sums import limbs, value_of

if TYPE_CHECKING:
    import polars as pl

LIMB = "#"


def sum_rows(keys: Sequence[pl.Series], columns: Mapping[str, Statistics]) -> pl.DataFrame:
    """Add up columns for each combination of keys."""
    import polars as pl

    whole: dict[str, NDArray[Any]] = {}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            found = limbs(values)
            # A column of zeros says that the statistic is there, and what its name is.
            whole |= {f"{name}{LIMB}{at}": limb for at, limb in (found or {0: values}).items()}
        else:
            whole[name] = values
    series = [pl.Series(name, values.astype(np.int64)) for name, values in whole.items()]
    return _summed(pl.DataFrame([*key_columns(keys), *series]))


def add_sums(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return one table of the sums of several."""
    import polars as pl

    joined = pl.concat(list(tables), how="diagonal_relaxed")
    sums = [name for name in joined.columns if not _is_key(name)]
    return _summed(joined.with_columns(pl.col(sums).fill_null(0)))


def total_sums(table: pl.DataFrame, kept: int = 0) -> pl.DataFrame:
    """Return the sums of all groups together, but for the first `kept` keys."""
    dropped = [name for name in table.columns if _is_key(name) and int(name[1:]) >= kept]
    return _summed(table.drop(dropped)) if dropped else table


def sums_of(table: pl.DataFrame, name: str) -> Statistics:
    """Return the sums of a column for each group, in the order of the table; fractions rounded."""
    if name in table.columns:
        return table[name].to_numpy()
    start = f"{name}{LIMB}"
    parts = [column for column in table.columns if column.startswith(start)]
    rows = table.select(parts).rows()
    places = [int(part.removeprefix(start)) for part in parts]
    return np.array([value_of(dict(zip(places, row, strict=True))) for row in rows], np.float64)


def _summed(table: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of each combination of keys, sorted by keys."""
    import polars as pl

    keys = [name for name in table.columns if _is_key(name)]
    if not keys:
        return table.sum()
    sums = sorted(name for name in table.columns if not _is_key(name))
    return table.group_by(keys).agg(pl.col(sums).sum()).sort(keys, nulls_last=True)


def _is_key(name: str) -> bool:
    return name[0] == "k" and name[1:].isdigit()
