"""Rates of classes of words: entities and keywords, with intervals.

The table `entity_counts` has a row for each pair and class with spans of words; the counts are in
the columns `ENTITY_COUNTS`. They add up over pairs, as the statistics of metrics do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from misword.core.errors import OptionError
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.group_intervals import GroupedRows, group_intervals
from misword.stat.measure import ratio_of_terms
from misword.stat.row_groups import RowGroups

if TYPE_CHECKING:
    import polars as pl

ENTITY_TABLE = "entity_counts"
# Counts of a pair and class. `proposed` is the number of terms in the hypothesis, `confirmed` the
# number of those that the reference has at the same place; null where hypotheses have no tags.
ENTITY_COUNTS = (
    "words", "substitutions", "deletions", "insertions", "terms", "found", "proposed", "confirmed",
)  # fmt: skip
CLASS_KEYS = ("source", "class")
# The terms of each rate: the columns whose sum is divided, and the column by whose sum.
RATES = {
    "rate": (("substitutions", "deletions", "insertions"), "words"),
    "recall": (("found",), "terms"),
    "precision": (("confirmed",), "proposed"),
}


def rate_terms(counts: pl.DataFrame, name: str) -> Statistics:
    """Return numerator and denominator of a rate, a row for each row of the counts."""
    import polars as pl

    numerator, denominator = RATES[name]
    sums = counts.select(pl.sum_horizontal(numerator).alias("0"), pl.col(denominator).alias("1"))
    return sums.fill_null(0).cast(pl.Int64).to_numpy()


def entity_rates(
    counts: pl.DataFrame, by: Sequence[str] = (), bootstrap: Bootstrap | None = None
) -> pl.DataFrame:
    """Compute a row for each system, group, source and class.

    `counts` is the table `entity_counts` with the columns of `by`. The columns are `rate` (errors
    in words of the class, divided by these words), `recall` (terms without an error, divided by all
    terms), `precision` (terms of the hypothesis that are correct, divided by its terms), each with
    `_low` and `_high` of its interval, then the counts, and the number of `utterances`. Intervals
    come from a bootstrap over the utterances that have words of the class.
    """
    import polars as pl

    settings = bootstrap or Bootstrap()
    ends = (f"{name}{end}" for name in RATES for end in ("", "_low", "_high"))
    for name in {*CLASS_KEYS, *ENTITY_COUNTS, *ends}.intersection(by):
        raise OptionError(f"the table of classes has a column {name!r}", fix="rename yours")
    groups = RowGroups.of(counts, ["system", *by, *CLASS_KEYS])
    columns: dict[str, Statistics] = {}
    for name in RATES:
        terms = groups.arrange(rate_terms(counts, name))
        columns[name] = ratio_of_terms(np.add.reduceat(terms, groups.starts[:-1]))
        low, high = group_intervals(GroupedRows(terms, groups.starts), ratio_of_terms, settings)
        defined = ~np.isnan(columns[name])
        columns[f"{name}_low"] = np.where(defined, low, np.nan)
        columns[f"{name}_high"] = np.where(defined, high, np.nan)
    values = [pl.Series(name, rates).fill_nan(None) for name, rates in columns.items()]
    for name in ENTITY_COUNTS:
        series = pl.Series(name, groups.sums(counts[name].fill_null(0).to_numpy()), pl.Int64)
        if name in ENTITY_COUNTS[6:]:
            found = groups.sums(counts[name].is_not_null().cast(pl.Int64).to_numpy())
            series = series.set(pl.Series(found == 0), None)
        values.append(series)
    values.append(pl.Series("utterances", groups.sizes))
    table = groups.keys.hstack(values)
    return table[_order(table, ["system", *by])]


def _order(table: pl.DataFrame, outer: Sequence[str]) -> list[int]:
    """Return the order of rows: groups as they appear, then classes with the most words first."""
    place = {key: at for at, key in enumerate(classes_of(table))}
    groups: dict[tuple[object, ...], int] = {}
    keys = [
        (groups.setdefault(group, len(groups)), place[name])
        for group, name in zip(
            table.select(outer).rows(), table.select(CLASS_KEYS).rows(), strict=True
        )
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


def classes_of(counts: pl.DataFrame) -> list[tuple[str, str]]:
    """Return source and class of all rows, those with the most words first."""
    import polars as pl

    sums = counts.group_by(CLASS_KEYS).agg(pl.sum("words"))
    ordered = sums.sort("words", *CLASS_KEYS, descending=[True, False, False])
    return ordered.select(CLASS_KEYS).rows()
