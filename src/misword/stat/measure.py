"""Measures: statistics that add up, the rate that follows, and groups of rows with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.core.parts import Part, describe
from misword.core.signature import Signature
from misword.core.types import Statistics, offsets_of
from misword.stat.bootstrap import (
    DRAW_COST,
    FEWEST_FREEDOM,
    LARGEST,
    NORMAL,
    ROUNDING,
    TIED,
    Bootstrap,
    DistinctRows,
    Rate,
    distinct,
    draw_counts,
    interval_of_sample,
)
from misword.stat.student_t import upper_quantiles

# Groups of rows.


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
        # Any name may be that of a metadata column, so the columns get numbers as names.
        columns = [table.get_column(name).alias(str(at)) for at, name in enumerate(by)]
        numbered = pl.DataFrame(columns)
        rows = numbered.with_columns(row=pl.int_range(pl.len(), dtype=pl.Int64))
        grouped = rows.group_by(numbered.columns, maintain_order=True).agg("row")
        # Values of Python: categories become strings.
        values = grouped.drop("row").rows()
        keys = pl.DataFrame(values, list(by), orient="row", infer_schema_length=None)
        sizes = grouped["row"].list.len().to_numpy().astype(np.int64)
        starts = offsets_of(sizes)
        return cls(keys, grouped["row"].explode().to_numpy(), starts)

    @classmethod
    def of_systems(cls, table: pl.DataFrame, by: Sequence[str] = ()) -> RowGroups:
        """Group the rows by system and columns, without a copy if there is one group."""
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


# Intervals of the rates of many small groups, which are computed together.
#
# All groups of the same size are resampled by the same draws, so a product of matrices gives the
# resamples of all of them. The intervals are those of `stat.bootstrap` for each group alone, up to
# rounding.

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_ROWS = 256  # rows of a small group
RESAMPLED = 1 << 21  # resampled values that are in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRows:
    """The rows of groups: group `g` has the rows `starts[g]` to `starts[g + 1] - 1`."""

    terms: Statistics
    starts: Integers

    @property
    def sizes(self) -> Integers:
        """The number of rows of each group."""
        return np.diff(self.starts)

    def sample(self, group: int) -> DistinctRows:
        """Return the distinct rows of a group."""
        return distinct(self.terms[self.starts[group] : self.starts[group + 1]])

    def small(self, bootstrap: Bootstrap) -> Iterator[tuple[Integers, SmallSamples]]:
        """Yield numbers of small groups of the same size, and their rows with the resamples."""
        return small_samples(self.terms, self.starts, bootstrap)


@dataclass(frozen=True, slots=True, eq=False)
class GroupedCounts:
    """The distinct rows of groups, in ascending order in each group, and how often each occurs."""

    rows: Statistics
    counts: Integers
    starts: Integers

    @property
    def sizes(self) -> Integers:
        """The number of rows of each group, repeated ones included."""
        return np.add.reduceat(self.counts, self.starts[:-1]) if len(self.counts) else self.counts

    def sample(self, group: int) -> DistinctRows:
        """Return the distinct rows of a group."""
        part = slice(self.starts[group], self.starts[group + 1])
        return DistinctRows(self.rows[part], self.counts[part])

    def small(self, bootstrap: Bootstrap) -> Iterator[tuple[Integers, SmallSamples]]:
        """Yield numbers of small groups of the same size, and their rows with the resamples."""
        chosen = np.flatnonzero(self.sizes <= MOST_ROWS)
        if not len(chosen):
            return
        repeated = [self.sample(group).repeated() for group in chosen.tolist()]
        starts = offsets_of(self.sizes[chosen])
        for numbers, samples in small_samples(np.concatenate(repeated), starts, bootstrap):
            yield chosen[numbers], samples


def group_intervals(
    groups: GroupedRows | GroupedCounts, rate: Rate, bootstrap: Bootstrap
) -> tuple[Reals, Reals]:
    """Return the ends of the intervals of all groups; nan where a group has no interval."""
    sizes = groups.sizes
    low, high = np.full((2, len(sizes)), np.nan)
    rest = np.ones(len(low), np.bool_)
    for numbers, samples in groups.small(bootstrap):
        low[numbers], high[numbers] = samples.shifted_interval(rate, bootstrap)
        rest[numbers] = False
    for group in np.flatnonzero(rest & (sizes > 1)).tolist():
        low[group], high[group] = interval_of_sample(groups.sample(group), rate, bootstrap)
    return low, high


def small_samples(
    terms: Statistics, starts: Integers, bootstrap: Bootstrap
) -> Iterator[tuple[Integers, SmallSamples]]:
    """Yield numbers of groups of the same size, and their rows with the resamples.

    Left out are groups of one row or of many, those with many equal rows, for which other draws are
    made, and all groups of terms that are not whole, whose sums are rounded.
    """
    if terms.dtype.kind != "i" or not bootstrap.times:
        return
    keys = _keys(terms)
    sizes = np.diff(starts)
    for size in np.unique(sizes[(sizes > 1) & (sizes <= MOST_ROWS)]).tolist():
        draws = np.concatenate(list(draw_counts(size, bootstrap)))
        groups = np.flatnonzero(sizes == size)
        step = max(1, RESAMPLED // (bootstrap.times * terms.shape[1]))
        for lo in range(0, len(groups), step):
            part = groups[lo : lo + step]
            places = starts[part][:, None] + np.arange(size)
            order = np.argsort(keys[places], axis=1, kind="stable")
            places = np.take_along_axis(places, order, axis=1)
            distinct = 1 + np.count_nonzero(np.diff(keys[places], axis=1), axis=1)
            drawn_singly = DRAW_COST * distinct >= size
            yield part[drawn_singly], SmallSamples.of(terms[places[drawn_singly]], draws)


def _keys(terms: Statistics) -> Integers:
    """Return a number for each row of whole numbers; rows are ordered as these numbers are."""
    keys, span = np.zeros(len(terms), np.int64), 1
    for column in terms.T:
        values = column - column.min(initial=0)
        width = int(values.max(initial=0)) + 1
        if span * width >= LARGEST:
            keys, values = (np.unique(part, return_inverse=True)[1] for part in (keys, values))
            span, width = int(keys.max()) + 1, int(values.max()) + 1
        keys, span = keys * width + values, span * width
    return keys


@dataclass(frozen=True, slots=True, eq=False)
class SmallSamples:
    """Groups of the same size: `rows` (groups, rows, terms), `sums` (groups, resamples, terms)."""

    rows: Reals
    sums: Reals

    @classmethod
    def of(cls, rows: Statistics, draws: Reals) -> SmallSamples:
        """Resample; `draws` says how often each resample has each row."""
        groups, size, width = rows.shape
        rows = rows.astype(np.float64)
        columns = np.moveaxis(rows, 1, 0).reshape(size, groups * width)
        sums = (draws @ columns).reshape(len(draws), groups, width)
        return cls(rows, np.ascontiguousarray(np.moveaxis(sums, 1, 0)))

    def take(self, groups: NDArray[np.bool_]) -> SmallSamples:
        """Return some of the groups."""
        return SmallSamples(self.rows[groups], self.sums[groups])

    def shifted_interval(self, rate: Rate, bootstrap: Bootstrap) -> tuple[Reals, Reals]:
        """Return the intervals of a rate."""
        drawn = rate(self.sums)
        below, places = np.unique(self._share_below(drawn, rate), return_inverse=True)
        bias = np.array([NORMAL.inv_cdf(share) for share in below.tolist()])[places]
        freedom, acceleration = self._jackknife(rate)
        end = self._end(freedom, bootstrap.confidence)
        levels = []
        for z in (-end, end):
            moved = bias + z
            shrinking = 1 - acceleration * moved
            beyond = shrinking <= 0  # the pole of the transformation
            score = bias + moved / np.where(beyond, 1.0, shrinking)
            levels.append(np.where(beyond, moved > 0, _normal_levels(score)))
        return percentiles_of_rows(drawn, *levels)

    def symmetric_levels(self, value: Rate, confidence: float) -> tuple[Reals, Reals]:
        """Return the levels of the intervals of a difference."""
        end = self._end(self._jackknife(value)[0], confidence)
        return _normal_levels(-end), _normal_levels(end)

    def _end(self, freedom: Reals, confidence: float) -> Reals:
        """Return the upper end of widened intervals on the scale of the normal distribution."""
        size = self.rows.shape[1]
        return upper_quantiles((1 - confidence) / 2, freedom) * sqrt(size / (size - 1))

    def _share_below(self, drawn: Reals, rate: Rate) -> Reals:
        """Return the share of resampled rates below the rate, with half of the equal ones."""
        value = rate(self.rows.sum(axis=1))[:, None]
        noise = TIED * np.abs(value)
        lower = np.count_nonzero(drawn < value - noise, axis=1)
        not_higher = np.count_nonzero(drawn <= value + noise, axis=1)
        most = np.maximum(2 * np.count_nonzero(~np.isnan(drawn), axis=1), 2)
        return np.asarray(np.clip(lower + not_higher, 1, most - 1) / most)

    def _jackknife(self, rate: Rate) -> tuple[Reals, Reals]:
        """Return the degrees of freedom of the spread of a rate, and its acceleration."""
        size = self.rows.shape[1]
        without = rate(self.rows.sum(axis=1, keepdims=True) - self.rows)
        defined = ~np.isnan(without)
        total, without = defined.sum(axis=1), np.where(defined, without, 0.0)
        mean = without.sum(axis=1) / np.maximum(total, 1)
        effects = np.where(defined, mean[:, None] - without, 0.0)
        largest = np.abs(effects).max(axis=1)
        varied = largest > ROUNDING * np.abs(without).max(axis=1)
        effects /= np.where(varied, largest, 1.0)[:, None]
        squares, cubes, fourths = (np.sum(effects**power, axis=1) for power in (2, 3, 4))
        squares = np.where(varied, squares, 1.0)
        freedom = _freedom(total, total * fourths / squares**2 - 3)
        acceleration = cubes / (6 * squares**1.5)
        return np.where(varied, freedom, size - 1.0), np.where(varied, acceleration, 0.0)


def _freedom(size: Integers, excess: Reals) -> Reals:
    """Return the degrees of freedom of variances, as `stat.bootstrap` does for one."""
    enough = np.maximum(size, 4)
    excess = (enough - 1) / ((enough - 2) * (enough - 3)) * ((enough + 1) * excess + 6)
    freedom = 2 / (np.maximum(excess, 0.0) / enough + 2 / (enough - 1))
    return np.where(size < 4, np.maximum(size - 1, 1), np.maximum(FEWEST_FREEDOM, freedom))


def _normal_levels(scores: Reals) -> Reals:
    return np.array([NORMAL.cdf(score) for score in scores.tolist()])


def percentiles_of_rows(values: Reals, low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Return two quantiles of each row of values, whose levels differ; nan values are left out.

    >>> percentiles_of_rows(np.array([[1.0, np.nan, 2, 4]]), np.array([0.25]), np.array([0.5]))
    (array([1.5]), array([2.]))
    """
    ordered = np.sort(values, axis=1)  # nan comes last
    last = np.count_nonzero(~np.isnan(values), axis=1) - 1
    rows = np.arange(len(values))
    ends = []
    for level in (low, high):
        place = np.maximum(last, 0) * level
        before = np.floor(place).astype(np.int64)
        lower = ordered[rows, before]
        upper = ordered[rows, np.minimum(before + 1, np.maximum(last, 0))]
        ends.append(lower + (upper - lower) * (place - before))
    return ends[0], ends[1]


# Measures and their columns in a table.

ROWS = 1 << 18  # rows of a table whose statistics are copied at once


class Measure(Part):
    """A part whose rate follows from statistics that add up over utterances.

    `statistics` names the columns that are stored for each pair of reference and hypothesis. They
    are whole numbers except those named in `fractional`. For the statistics named in `means`, a
    summary shows the mean per utterance instead of the sum.

    `is_quotient` is false if the rate is not the first of its terms divided by the second. Such a
    rate must be quasi-concave: a sum between two others has no lower rate than both of them.
    `misword oracle` relies on this.
    """

    __slots__ = ()

    is_quotient: ClassVar[bool] = True
    statistics: ClassVar[tuple[str, ...]] = ()
    fractional: ClassVar[frozenset[str]] = frozenset()
    means: ClassVar[frozenset[str]] = frozenset()

    def terms(self, statistics: Statistics) -> Statistics:
        """Return the sums that the rate needs: a linear function of the last axis."""
        return statistics

    def rate(self, terms: Statistics) -> Statistics:
        """Compute the rate from the terms; nan where it is undefined."""
        raise NotImplementedError

    def reference(self, statistics: Statistics) -> Statistics:
        """Return the size of the reference: its tokens, or the number of utterances."""
        raise NotImplementedError

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Describe what the rate does not show, from the sums of the whole-number statistics.

        `pairs` is the number of pairs of reference and hypothesis that were added up.
        """
        return ()


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """Divide; nan, without a warning, where the denominator is 0."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient


def ratio_of_terms(terms: Statistics) -> Statistics:
    """Return the first term divided by the second; nan where the second is 0."""
    return ratio(terms[..., 0], terms[..., 1])


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric of a table of scores: its label, the metric, and its signature.

    The table has a column `<label>.<statistic>` for each statistic of the metric. `words` names the
    table of words that has the metric's alignment; it is empty if the metric does not align words.
    """

    label: str
    measure: Measure
    signature: Signature
    words: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns of the table that have the metric's statistics."""
        return [f"{self.label}.{name}" for name in self.measure.statistics]

    @property
    def whole(self) -> list[str]:
        """The statistics that are whole numbers."""
        return [name for name in self.measure.statistics if name not in self.measure.fractional]

    def statistics(self, table: pl.DataFrame) -> Statistics:
        """Return the statistics, one row per row of the table."""
        return table.select(self.names).to_numpy()

    def terms(self, table: pl.DataFrame) -> Statistics:
        """Return the terms of the rate, one row per row of the table."""
        parts = [self.measure.terms(part) for part in self._parts(table)]
        return np.concatenate(parts)

    def rates_of_rows(self, table: pl.DataFrame) -> Statistics:
        """Compute the rate of each row of the table; nan where it is undefined."""
        return np.concatenate([self.rates(part) for part in self._parts(table)])

    def empty_references(self, table: pl.DataFrame) -> int:
        """Count the rows whose reference has no tokens."""
        parts = (self.measure.reference(part) for part in self._parts(table))
        return sum(int((sizes == 0).sum()) for sizes in parts)

    def _parts(self, table: pl.DataFrame) -> Iterator[Statistics]:
        """Yield the statistics of some rows at a time, because copies of all rows are large."""
        columns = table.select(self.names)
        for lo in range(0, max(len(table), 1), ROWS):
            yield columns[lo : lo + ROWS].to_numpy()

    def rates(self, statistics: Statistics) -> Statistics:
        """Compute rates from statistics (the last axis); nan where a rate is undefined."""
        return self.measure.rate(self.measure.terms(statistics))

    def totals(self, table: pl.DataFrame) -> dict[str, float]:
        """Sum each statistic without rounding, so that the order of the rows does not matter."""
        return {
            name: fsum(table[column])
            if name in self.measure.fractional
            else int(table[column].sum())
            for name, column in zip(self.measure.statistics, self.names, strict=True)
        }

    def group_totals(self, table: pl.DataFrame, groups: RowGroups) -> dict[str, Statistics]:
        """Sum each statistic of the rows of each group, without rounding."""
        return {
            name: groups.sums(table[column].to_numpy())
            for name, column in zip(self.measure.statistics, self.names, strict=True)
        }

    def summary(
        self, table: pl.DataFrame, groups: RowGroups, bootstrap: Bootstrap
    ) -> dict[str, Statistics]:
        """Compute the rate of each group, its interval, the statistics, and the reference size.

        The statistics are sums, or means per utterance for those named in `measure.means`.
        """
        terms = groups.arrange(self.terms(table))
        rows = GroupedRows(terms, groups.starts)
        return self.summary_of(self.group_totals(table, groups), rows, bootstrap)

    def summary_of(
        self,
        totals: Mapping[str, Statistics],
        groups: GroupedRows | GroupedCounts,
        bootstrap: Bootstrap,
    ) -> dict[str, Statistics]:
        """Compute what `summary` does from the sums of each statistic, and the terms of groups."""
        sums = np.stack(list(totals.values()), axis=-1)
        low, high = group_intervals(groups, self.measure.rate, bootstrap)
        sizes = self.measure.reference(sums)
        filled = np.where(sizes == 0, 1, sizes)
        shown = {
            name: total / filled if name in self.measure.means else total
            for name, total in totals.items()
        }
        reference = sizes.astype(np.int64)
        return {"rate": self.rates(sums), "low": low, "high": high, **shown, "reference": reference}

    def remarks(self, table: pl.DataFrame) -> list[str]:
        """Return what the rate of the rows does not show, as notes for the user."""
        totals = {name: int(table[f"{self.label}.{name}"].sum()) for name in self.whole}
        return self.remarks_of(totals, len(table))

    def remarks_of(self, totals: dict[str, int], pairs: int) -> list[str]:
        """Return the remarks on sums of the whole-number statistics of some pairs."""
        return [f"{self.label}: {text}" for text in self.measure.remarks(totals, pairs)]


def metric_provenance(columns: Sequence[MetricColumn]) -> dict[str, Any]:
    """Return the labels, signatures and descriptions of metrics, for `Result.provenance`."""
    return {
        "metrics": [column.label for column in columns],
        "signatures": {column.label: str(column.signature) for column in columns},
        "parts": {column.label: describe(column.measure) for column in columns},
    }
