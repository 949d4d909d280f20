"""Rates of classes: entities and keywords, punctuation marks and capitals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import GroupedRows, RowGroups, group_intervals, ratio_of_terms

# Entities and keywords.
#
# The table `entity_counts` has a row for each pair and class with spans of words; the counts are
# in the columns `ENTITY_COUNTS`. They add up over pairs, as the statistics of metrics do.

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
    sums = counts.group_by(CLASS_KEYS).agg(pl.sum("words"))
    ordered = sums.sort("words", *CLASS_KEYS, descending=[True, False, False])
    return ordered.select(CLASS_KEYS).rows()


# Punctuation marks and capitals: precision, recall and F of each kind, from a summary.
#
# F is 2 P R / (P + R). The error rate of one kind of mark is the sum of its missing and added
# marks divided by those of the reference. A mark in place of another one is missing as the one
# kind and added as the other; in the row of all kinds together it is one error.

RIGHT, REFERENCE, HYPOTHESIS = ".right", ".in_reference", ".in_hypothesis"
ALL = "all"
ERRORS = {  # of formatted words, in the order of tables
    "wrong_words": "words",
    "only_case": "only case",
    "only_punctuation": "only punct.",
    "case_and_punctuation": "case and punct.",
}


class MarkCounts(NamedTuple):
    """The counts of one kind of mark: right ones, those of each side, and errors."""

    kind: str
    right: int
    reference: int
    hypothesis: int
    errors: int

    @property
    def precision(self) -> float | None:
        """The share of the marks of the hypothesis that are right; None if it has none."""
        return self.right / self.hypothesis if self.hypothesis else None

    @property
    def recall(self) -> float | None:
        """The share of the marks of the reference that are right; None if it has none."""
        return self.right / self.reference if self.reference else None

    @property
    def f(self) -> float | None:
        """The harmonic mean of precision and recall; None if no side has marks."""
        both = self.reference + self.hypothesis
        return 2 * self.right / both if both else None

    @property
    def error_rate(self) -> float | None:
        """Errors per mark of the reference; None if it has none."""
        return self.errors / self.reference if self.reference else None


def mark_statistics(kind: str) -> tuple[str, str, str]:
    """Return the names of the statistics of a kind of mark.

    >>> mark_statistics("comma")
    ('comma.right', 'comma.in_reference', 'comma.in_hypothesis')
    """
    return kind + RIGHT, kind + REFERENCE, kind + HYPOTHESIS


def shown_kind(kind: str) -> str:
    """Return the name of a kind of mark in tables.

    >>> shown_kind("first_letter")
    'first letter'
    """
    return kind.replace("_", " ")


def mark_counts(row: Mapping[str, Any]) -> Iterable[MarkCounts]:
    """Yield the counts of each kind of mark that a row of a summary has, then those of all.

    >>> row = {"hits": 2, "substitutions": 1, "insertions": 0, "deletions": 1}
    >>> row |= {"comma.right": 2, "comma.in_reference": 4, "comma.in_hypothesis": 3}
    >>> [(each.kind, each.precision, each.recall, each.errors) for each in mark_counts(row)]
    [('comma', 0.6666666666666666, 0.5, 3), ('all', 0.6666666666666666, 0.5, 2)]
    """
    kinds = [name.removesuffix(RIGHT) for name in row if name.endswith(RIGHT)]
    present = [kind for kind in kinds if row[kind + RIGHT] is not None]
    if not present:
        return
    for kind in present:
        right, reference, hypothesis = (row[name] for name in mark_statistics(kind))
        if reference or hypothesis:
            errors = reference + hypothesis - 2 * right
            yield MarkCounts(kind, right, reference, hypothesis, errors)
    hits, replaced, added, missing = (
        row[name] for name in ("hits", "substitutions", "insertions", "deletions")
    )
    sizes = hits, hits + replaced + missing, hits + replaced + added
    yield MarkCounts(ALL, *sizes, replaced + added + missing)
