"""Rates of classes: entities and keywords, punctuation marks and capitals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import group_intervals, ratio_of_terms
from misword.stat.tallies.sums import COUNT, add_counts, count_table, grouped_counts, key_columns

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


def count_classes(counts: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """Count the distinct rows of the table `entity_counts` by system and the columns of `by`.

    The result adds up over utterances (`stat.tallies.sums.add_counts`); `class_rates` reads it.
    """
    keys = key_columns([counts["system"], *(counts[name] for name in by)])
    return count_table(counts.select(*CLASS_KEYS, *ENTITY_COUNTS).with_columns(keys))


def class_rates(
    counted: pl.DataFrame,
    systems: Sequence[str],
    by: Sequence[str] = (),
    bootstrap: Bootstrap | None = None,
) -> pl.DataFrame:
    """Compute a row for each system, group, source and class.

    `counted` is what `count_classes` returned for the columns of `by`. The columns are `rate`
    (errors in words of the class, divided by these words), `recall` (terms without an error,
    divided by all terms), `precision` (terms of the hypothesis that are correct, divided by its
    terms), each with `_low` and `_high` of its interval, then the counts, and the number of
    `utterances`. Intervals come from a bootstrap over the utterances that have words of the class.
    """
    settings = bootstrap or Bootstrap()
    ends = (f"{name}{end}" for name in RATES for end in ("", "_low", "_high"))
    for name in {*CLASS_KEYS, *ENTITY_COUNTS, *ends}.intersection(by):
        raise OptionError(f"the table of classes has a column {name!r}", fix="rename yours")
    names = ["system", *by, *CLASS_KEYS]
    keys = key_columns(
        [counted[key] for key in (*(f"k{at}" for at in range(1 + len(by))), *CLASS_KEYS)]
    )
    rows = pl.DataFrame([*keys, *counted.select(*ENTITY_COUNTS, COUNT)])
    sums = _class_sums(rows, [key.name for key in keys])
    columns: dict[str, Statistics] = {}
    for name, (numerator, denominator) in RATES.items():
        terms = pl.sum_horizontal(numerator).alias("v0"), pl.col(denominator).alias("v1")
        columns[name] = ratio_of_terms(sums.select(*terms).fill_null(0).to_numpy())
        own = rows.select(*(key.name for key in keys), *(t.fill_null(0) for t in terms), COUNT)
        groups = grouped_counts(add_counts([own]))
        low, high = group_intervals(groups, ratio_of_terms, settings)
        defined = ~np.isnan(columns[name])
        columns[f"{name}_low"] = np.where(defined, low, np.nan)
        columns[f"{name}_high"] = np.where(defined, high, np.nan)
    values = [pl.Series(name, rates).fill_nan(None) for name, rates in columns.items()]
    named = sums.select(pl.col(key.name).alias(name) for key, name in zip(keys, names, strict=True))
    table = named.hstack([*values, *sums.select(*ENTITY_COUNTS, "utterances")])
    return table[_order(table, systems, by)]


def _class_sums(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return the sums of the counts of each class; null if no row has a count."""
    sums = (
        pl.when(pl.col(name).is_not_null().any())
        .then((pl.col(name) * pl.col(COUNT)).sum())
        .alias(name)
        for name in ENTITY_COUNTS
    )
    utterances = pl.col(COUNT).sum().alias("utterances")
    return rows.group_by(keys).agg(*sums, utterances).sort(keys, nulls_last=True)


def _order(table: pl.DataFrame, systems: Sequence[str], by: Sequence[str]) -> list[int]:
    """Return the order of rows: systems, groups as they appear, classes with the most words."""
    place = {key: at for at, key in enumerate(classes_of(table))}
    groups: dict[tuple[object, ...], int] = {}
    columns = (table.select(names).rows() for names in (["system", *by], CLASS_KEYS))
    keys = [
        (systems.index(group[0]), groups.setdefault(group, len(groups)), place[name])
        for group, name in zip(*columns, strict=True)
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
