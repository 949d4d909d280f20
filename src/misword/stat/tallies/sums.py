"""Exact sums, and tables of counts and sums, which add up in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import DistinctRows
from misword.stat.measure import GroupedCounts

# Exact sums of fractions that can be added in any order, as whole numbers in columns.
#
# A float64 is a whole number of 53 bits times a power of two. It is cut into limbs of 24 bits at
# fixed powers of two, and the limbs are added up as integers. Such sums have no rounding, so it
# does not matter how a corpus is divided into shards; only the value of the whole sum is rounded,
# once. It is then the value of `math.fsum`. An integer of 64 bits holds the sum of 2^39 limbs.
#
# Reference: Y. Uguen, F. de Dinechin, Design-space exploration for the Kulisch accumulator, 2017.

BITS = 24  # of a limb
MASK = (1 << BITS) - 1
MANTISSA = 53  # bits of a float64
LIMBS = 4  # that a float64 can touch

Limbs = dict[int, NDArray[np.int64]]


def limbs(values: NDArray[np.float64]) -> Limbs:
    """Return the limbs of each value by their place: place p counts multiples of 2^(24 p).

    >>> {place: limb.tolist() for place, limb in limbs(np.array([1.5, 2.0**-24])).items()}
    {-1: [8388608, 1], 0: [1, 0]}
    """
    fraction, exponent = np.frexp(values)
    whole = np.abs(np.ldexp(fraction, MANTISSA)).astype(np.int64)
    place, shift = np.divmod(exponent.astype(np.int64) - MANTISSA, BITS)
    found: Limbs = {}
    # The whole number times 2^shift, 24 bits at a time: it need not fit in 64 bits.
    left, low = whole >> (BITS - shift), whole << shift & MASK
    for step in range(LIMBS):
        part = low if step == 0 else left >> BITS * (step - 1) & MASK
        signed = np.where(values < 0, -part, part)
        for at in np.unique(place[part != 0] + step).tolist():
            limb = found.setdefault(at, np.zeros(len(values), np.int64))
            limb += np.where(place + step == at, signed, 0)
    return dict(sorted(found.items()))


def value_of(sums: Mapping[int, int]) -> float:
    """Return the value of sums of limbs, by place, rounded once.

    >>> value_of({-1: 8388608, 0: 1})
    1.5
    """
    base = Fraction(2) ** BITS
    return float(sum((int(total) * base**place for place, total in sums.items()), Fraction(0)))


def exact_sums(sample: DistinctRows) -> Statistics:
    """Sum the rows of a sample without rounding, so that their order does not matter.

    >>> from misword.stat.bootstrap import distinct
    >>> exact_sums(distinct(np.array([[0.1], [0.1], [0.1], [1e16], [-1e16]])))
    array([0.3])
    """
    rows, counts = sample.rows, sample.counts
    if rows.dtype.kind != "f":
        return np.asarray(counts @ rows)
    columns = (limbs(np.ascontiguousarray(column)) for column in rows.T)
    return np.array(
        [value_of({at: int(counts @ limb) for at, limb in found.items()}) for found in columns]
    )


# Tables of distinct rows with the number of times that each occurs, which add up in any order.
#
# A table has columns of keys (`k0`, `k1`, ...: the group of a row), columns of values (`v0`, `v1`,
# ...: the terms of metrics) and the column `count`. Rows are sorted, so two tables of the same
# rows are equal however the rows were divided and ordered before they were counted.

COUNT = "count"


def key_columns(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Return columns as keys; categories become strings, so that those of all shards are equal."""
    kinds = (pl.Categorical, pl.Enum)
    plain = (each.cast(pl.String) if each.dtype in kinds else each for each in columns)
    return [column.alias(f"k{at}") for at, column in enumerate(plain)]


def count_rows(keys: Sequence[pl.Series], values: Statistics) -> pl.DataFrame:
    """Count the distinct rows of keys and values."""
    plain = values + 0.0 if values.dtype.kind == "f" else values  # no negative zeros
    columns = [pl.Series(f"v{at}", column) for at, column in enumerate(plain.T)]
    return _counted(pl.DataFrame([*keys, *columns]), pl.len())


def add_counts(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return one table of the rows of several."""
    return _counted(stacked(tables), pl.col(COUNT).sum())


def stacked(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of several tables with the same columns; numbers of two kinds are joined.

    Raises if a column has text in one table and other values in another: it would depend on the
    order of the tables how these are written.
    """
    listed = list(tables)
    for columns in zip(*(table.schema.items() for table in listed), strict=True):
        kinds = {kind for _, kind in columns} - {pl.Null()}
        if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
            raise MismatchError(
                f"shards have groups of different kinds: {', '.join(sorted(map(str, kinds)))}",
                fix="store the columns of groups with the same data type in all shards",
            )
    return pl.concat(listed, how="vertical_relaxed", rechunk=True)


def count_table(table: pl.DataFrame) -> pl.DataFrame:
    """Count the distinct rows of a table with any columns."""
    return _counted(table, pl.len())


def regrouped_counts(table: pl.DataFrame, places: Sequence[int]) -> pl.DataFrame:
    """Return a table that counts the rows of other groups: those of the keys at these places."""
    names, kept = _kept_keys(table, places)
    return table if names == kept else _counted(_with_keys(table, names, kept), pl.col(COUNT).sum())


def _kept_keys(table: pl.DataFrame, places: Sequence[int]) -> tuple[list[str], list[str]]:
    """Return the names of all keys of a table, and of those at some places."""
    return [name for name in table.columns if _is_key(name)], [f"k{place}" for place in places]


def _with_keys(table: pl.DataFrame, names: Sequence[str], kept: Sequence[str]) -> pl.DataFrame:
    """Return a table with some of its keys, which are numbered anew."""
    keys = [table[name].alias(f"k{at}") for at, name in enumerate(kept)]
    return pl.DataFrame([*keys, *(column for column in table if column.name not in names)])


def project(table: pl.DataFrame, places: Sequence[int]) -> pl.DataFrame:
    """Return a table of some of the columns of values."""
    keys = [name for name in table.columns if name[0] == "k"]
    values = [pl.col(f"v{place}").alias(f"v{at}") for at, place in enumerate(places)]
    return _counted(table.select(*keys, *values, COUNT), pl.col(COUNT).sum())


def _counted(table: pl.DataFrame, count: pl.Expr) -> pl.DataFrame:
    """Return the distinct rows, sorted, with their counts."""
    names = [name for name in table.columns if name != COUNT]
    counted = table.group_by(names).agg(count.cast(pl.Int64).alias(COUNT))
    return counted.sort(names, nulls_last=True)


def sample_of(table: pl.DataFrame) -> DistinctRows:
    """Return the rows of a table without keys as a sample."""
    return DistinctRows(_values(table), table[COUNT].to_numpy())


def weighted_sample(rows: Statistics, counts: NDArray[np.int64]) -> DistinctRows:
    """Return the distinct rows of a sample in which each row occurs as often as `counts` says."""
    distinct, places = np.unique(rows, axis=0, return_inverse=True)
    weights = np.bincount(places.reshape(-1), weights=counts, minlength=len(distinct))
    return DistinctRows(distinct, weights.astype(np.int64))


def grouped_counts(table: pl.DataFrame) -> GroupedCounts:
    """Return the rows of a table group by group, in the order of the sorted keys."""
    starts = group_starts(table, [name for name in table.columns if _is_key(name)])
    return GroupedCounts(_values(table), table[COUNT].to_numpy(), starts)


def group_starts(table: pl.DataFrame, keys: Sequence[str]) -> NDArray[np.int64]:
    """Return where the groups of a sorted table begin, and the number of its rows."""
    runs = table.select(keys).select(_changes(keys)).to_series().to_numpy()
    return np.append(np.flatnonzero(runs), len(table)).astype(np.int64)


def _changes(names: Sequence[str]) -> pl.Expr:
    """Return whether a row has other keys than the row before it."""
    first = pl.int_range(pl.len()) == 0
    return first | pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(name).shift()) for name in names
    )


def _values(table: pl.DataFrame) -> Statistics:
    names = [name for name in table.columns if name[0] == "v"]
    # The order in memory is that of `distinct`, so that products are rounded in the same way.
    return np.ascontiguousarray(table.select(names).to_numpy())


# Tables of exact sums by group, which add up in any order.
#
# Whole numbers are columns of integers. A fraction is several columns of integers, one for each of
# its limbs (see `limbs`): `wer-e.cost#-1`, `wer-e.cost#0`.

LIMB = "#"


def sum_rows(keys: Sequence[pl.Series], columns: Mapping[str, Statistics]) -> pl.DataFrame:
    """Add up columns for each combination of keys."""
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
    joined = pl.concat(list(tables), how="diagonal_relaxed")
    sums = [name for name in joined.columns if not _is_key(name)]
    return _summed(joined.with_columns(pl.col(sums).fill_null(0)))


def regrouped_sums(table: pl.DataFrame, places: Sequence[int]) -> pl.DataFrame:
    """Return the sums of other groups: those of the keys at these places."""
    names, kept = _kept_keys(table, places)
    return table if names == kept else _summed(_with_keys(table, names, kept))


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
    keys = [name for name in table.columns if _is_key(name)]
    if not keys:
        return table.sum()
    sums = sorted(name for name in table.columns if not _is_key(name))
    return table.group_by(keys).agg(pl.col(sums).sum()).sort(keys, nulls_last=True)


def _is_key(name: str) -> bool:
    return name[0] == "k" and name[1:].isdigit()
