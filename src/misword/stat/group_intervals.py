"""Intervals of the rates of many small groups, which are computed together.

All groups of the same size are resampled by the same draws, so a product of matrices gives the
resamples of all of them. The intervals are those of `stat.intervals` for each group alone, up to
rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics
from misword.stat.bootstrap import (
    DRAW_COST,
    LARGEST,
    Bootstrap,
    DistinctRows,
    distinct,
    draw_counts,
)
from misword.stat.intervals import (
    FEWEST_FREEDOM,
    NORMAL,
    ROUNDING,
    TIED,
    Rate,
    interval_of_sample,
)
from misword.stat.student_t import upper_quantiles

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
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.sizes[chosen])])
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
    """Return the degrees of freedom of variances, as `stat.intervals` does for one."""
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
