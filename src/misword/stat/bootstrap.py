"""The bootstrap over utterances: its settings, its resamples and confidence intervals from them.

An error rate is a ratio of sums, so a resample needs only the number of times that each utterance
is drawn. Many utterances have the same statistics (two errors in eleven words). The counts of the
*distinct* rows follow a multinomial distribution: drawing from it gives exactly the bootstrap's
distribution and costs one draw per distinct row instead of one per utterance.

Draws are made over the distinct rows in ascending order, so the resamples depend on the rows and on
the seed, and not on the order of the rows.

Reference: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan, prod, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.types import Statistics
from misword.stat.options import Resampling
from misword.stat.student_t import upper_quantile

# A multinomial draw costs about as much per category as this many single draws.
DRAW_COST = 8
# Resamples that are drawn at a time from a multinomial distribution, to bound the memory.
BLOCK = 16
# Rows times resamples that are drawn at a time.
CELLS = 1 << 15
# Packed rows stay below this number, so that they fit in int64.
LARGEST = 1 << 62
# How intervals are computed from resamples, for the provenance. A new number means that the same
# data can give another interval.
INTERVALS = "jackknife-2"
# The names of the settings in `Result.provenance`.
BOOTSTRAP_SETTINGS = ("bootstrap", "confidence", "seed", "intervals")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The settings of a bootstrap, checked when the object is created.

    `times` is the number of resamples (0: no intervals), `confidence` the share that an interval
    covers, `seed` the start of the random numbers.

    >>> Bootstrap(confidence=95)
    Traceback (most recent call last):
    misword.core.errors.OptionError: confidence is 95
      use a share such as 0.95
    """

    times: int = 1000
    confidence: float = 0.95
    seed: int = 0

    @classmethod
    def of(cls, options: Resampling) -> Bootstrap:
        """Return the settings that the options of a function name."""
        return cls(options["bootstrap"], options["confidence"], options["seed"])

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence is {self.confidence}", fix="use a share such as 0.95")
        if self.times < 0:
            raise OptionError(f"bootstrap is {self.times}", fix="use 0 or more resamples")
        if self.seed < 0:
            raise OptionError(f"seed is {self.seed}", fix="use 0 or more")

    @property
    def settings(self) -> dict[str, float | str]:
        """The settings by the names that `Result.provenance` uses, and how intervals are made."""
        values = (self.times, self.confidence, self.seed, INTERVALS)
        return dict(zip(BOOTSTRAP_SETTINGS, values, strict=True))


DEFAULT = Bootstrap()


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """The distinct rows of a sample in ascending order, and how often each occurs."""

    rows: Statistics
    counts: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of rows of the sample."""
        return int(self.counts.sum())

    def repeated(self) -> Statistics:
        """Return all rows of the sample in ascending order."""
        return np.repeat(self.rows, self.counts, axis=0)


def distinct(statistics: Statistics) -> DistinctRows:
    """Find the distinct rows of a sample.

    Rows of integers are packed into one integer each where that fits in 62 bits, because sorting
    single numbers is several times faster than sorting rows.
    """
    if statistics.dtype.kind == "i" and len(statistics):
        low = statistics.min(axis=0)
        spans = [int(top) + 1 for top in statistics.max(axis=0) - low]
        if prod(spans) < LARGEST:
            steps = np.array([prod(spans[at + 1 :]) for at in range(len(spans))])
            keys, counts = np.unique((statistics - low) @ steps, return_counts=True)
            return DistinctRows(keys[:, None] // steps % spans + low, counts)
    return DistinctRows(*np.unique(statistics, axis=0, return_counts=True))


def resample(sample: DistinctRows, bootstrap: Bootstrap) -> Statistics:
    """Sum the statistics over resamples of the rows: an array (resamples, columns)."""
    times, total = bootstrap.times, sample.size
    sums = np.empty((times, sample.rows.shape[1]))
    if DRAW_COST * len(sample.rows) < total:
        rng = np.random.default_rng(bootstrap.seed)
        for k in range(0, times, BLOCK):
            counts = rng.multinomial(total, sample.counts / total, size=min(BLOCK, times - k))
            sums[k : k + BLOCK] = counts.astype(np.float64) @ sample.rows
        return sums
    rows, at = sample.repeated().astype(np.float64), 0
    for drawn in draw_counts(total, bootstrap):
        sums[at : at + len(drawn)] = drawn @ rows
        at += len(drawn)
    return sums


def draw_counts(total: int, bootstrap: Bootstrap) -> Iterator[NDArray[np.float64]]:
    """Yield how often resamples have each of `total` rows, for some resamples at a time."""
    rng = np.random.default_rng(bootstrap.seed)
    block = max(1, CELLS // total)
    for k in range(0, bootstrap.times, block):
        count = min(block, bootstrap.times - k)
        places = rng.integers(total, size=(count, total))
        places += total * np.arange(count)[:, None]
        drawn = np.bincount(places.ravel(), minlength=places.size).reshape(places.shape)
        yield drawn.astype(np.float64)


# Confidence intervals from resamples: percentiles whose levels are adjusted to the sample.
#
# The plain interval of a bootstrap cuts off 2.5 % of the resampled rates at each end. For small
# samples it is too narrow: with 20 utterances it contains the true error rate in about 90 % of all
# cases instead of 95 %. Two adjustments move the levels at which the resampled rates are cut off:
#
# - *Wider.* Rates of resamples vary less than rates of samples, by a factor of sqrt((n - 1) /
#   n), and a spread that is estimated from few rows is itself uncertain. The level is that of
#   Student's t instead of the normal distribution (Hesterberg's expanded percentiles). If a few
#   utterances make most of the spread, it is as uncertain as with fewer rows; so the degrees of
#   freedom are computed from the kurtosis of the effects of the rows (Satterthwaite's
#   approximation).
# - *Shifted*, for rates. An error rate cannot be below 0 and has a long upper tail. The levels are
#   corrected for the bias of the resamples and for the skewness of the effects (Efron's BCa).
#   Differences of two systems are nearly symmetric. There the estimate of the skewness is mostly
#   noise, and the shift makes intervals worse; so their levels are only widened.
#
# The effect of a row is measured by the jackknife: the rate of all rows but this one. The ends of
# an interval are rates of resamples, or lie between two of them. So they are never out of range:
# no error rate below 0, no share above 1.
#
# `python tools/simulate_intervals.py` measures how often intervals contain the true value.
#
# Known problems: with fewer than ten rows, intervals are still too narrow, because no resample has
# a rate beyond those of single rows. If all rows have the same rate, for example no errors, then
# the interval has no width. This does not mean that the rate is known: n utterances without an
# error agree with a share of up to 3 / n of utterances with errors ("rule of three").
#
# References: B. Efron, Better bootstrap confidence intervals, Journal of the American Statistical
# Association 82, 1987; T. DiCiccio, B. Efron, Bootstrap confidence intervals, Statistical Science
# 11, 1996; T. Hesterberg, What teachers should know about the bootstrap, The American Statistician
# 69, 2015; F. Satterthwaite, An approximate distribution of estimates of variance components,
# Biometrics Bulletin 2, 1946.

Rate = Callable[[Statistics], Statistics]

# Effects of rows that are smaller than this share of the rate are rounding errors.
ROUNDING = 1e-15
# A resampled rate that differs from the rate by less than this share is equal to it.
TIED = 1e-12
# The fewest degrees of freedom that are read from the kurtosis.
FEWEST_FREEDOM = 2.0
NORMAL = NormalDist()


class Levels(NamedTuple):
    """The shares of the resampled values that are below the two ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Jackknife:
    """How the effects of single rows on a rate are distributed.

    `size` is the number of rows, `freedom` the degrees of freedom of the estimated spread,
    `acceleration` the skewness of the rate divided by 6, as Efron defines it.
    """

    size: float
    freedom: float
    acceleration: float = 0.0

    def symmetric_levels(self, confidence: float) -> Levels:
        """Return the widened levels, for differences and other symmetric values.

        >>> [round(level, 4) for level in Jackknife(20, 19).symmetric_levels(0.95)]
        [0.0159, 0.9841]
        """
        return Levels(*(NORMAL.cdf(z) for z in self._scores(confidence)))

    def shifted_levels(self, confidence: float, below: float) -> Levels:
        """Return the levels for a rate; `below` is the share of resamples with a lower rate.

        >>> [round(level, 4) for level in Jackknife(20, 19, 0.05).shifted_levels(0.95, 0.5)]
        [0.0262, 0.9919]
        """
        bias = NORMAL.inv_cdf(below)
        return Levels(*(self._shifted(bias, z) for z in self._scores(confidence)))

    def _scores(self, confidence: float) -> tuple[float, float]:
        """Return the two ends of a widened interval on the scale of the normal distribution."""
        quantile = upper_quantile((1 - confidence) / 2, self.freedom)
        end = quantile * sqrt(self.size / (self.size - 1))
        return -end, end

    def _shifted(self, bias: float, z: float) -> float:
        """Return the level of Efron's BCa interval for the end `z`."""
        moved = bias + z
        shrinking = 1 - self.acceleration * moved
        if shrinking <= 0:  # beyond the pole of the transformation
            return 1.0 if moved > 0 else 0.0
        return NORMAL.cdf(bias + moved / shrinking)


class Stratum(NamedTuple):
    """The effects of the distinct rows of a stratum on a value, and how often each row occurs."""

    effects: NDArray[np.float64]
    counts: NDArray[Any]


def jackknife(sample: DistinctRows, rate: Rate) -> Jackknife:
    """Measure the effects of single rows; rows without which the rate is undefined are left out.

    >>> errors = distinct(np.array([[0, 10], [1, 10], [2, 10], [9, 10]]))
    >>> found = jackknife(errors, lambda terms: terms[..., 0] / terms[..., 1])
    >>> round(found.acceleration, 3), round(found.freedom, 3)
    (0.085, 2.0)
    """
    size = sample.size
    without = rate(sample.counts @ sample.rows - sample.rows)
    defined = ~np.isnan(without)
    counts, without = sample.counts[defined], without[defined]
    total = int(counts.sum())
    if not total:
        return Jackknife(size, size - 1)
    effects = float(counts @ without) / total - without
    largest = float(np.abs(effects).max())
    if largest <= ROUNDING * float(np.abs(without).max()):
        return Jackknife(size, size - 1)
    effects /= largest
    squares, cubes, fourths = (float(counts @ effects**power) for power in (2, 3, 4))
    freedom = _freedom(total, total * fourths / squares**2 - 3)
    return Jackknife(size, freedom, cubes / (6 * squares**1.5))


def stratified_jackknife(strata: Sequence[Stratum]) -> Jackknife | None:
    """Return the spread of a value to which the rows of several strata add their effects.

    Resamples draw the rows of each stratum by themselves. Those of a stratum of n rows vary less
    than samples by sqrt((n - 1) / n), so the size is that of a sample with the same ratio for all
    strata together. Returns None if no row has an effect, or if a stratum has a single row.

    >>> effects = [np.array([-3.0, -1, 1, 3]), np.array([-1.0, 0, 1])]
    >>> found = stratified_jackknife([Stratum(each, np.ones(len(each))) for each in effects])
    >>> round(found.size, 3), round(found.freedom, 3)
    (3.87, 5.194)
    """
    largest = max((float(np.abs(own.effects).max(initial=0)) for own in strata), default=0.0)
    sizes = [float(own.counts.sum()) for own in strata]
    if largest == 0 or min(sizes) < 2:
        return None
    total = sum(sizes)
    spread, widened, cubes, fourths = 0.0, 0.0, 0.0, 0.0
    for own, size in zip(strata, sizes, strict=True):
        effects = (own.effects - float(own.counts @ own.effects) / size) / largest
        squares = effects * effects
        summed = float(own.counts @ squares)
        spread, widened = spread + summed, widened + summed * size / (size - 1)
        cubes += float(own.counts @ (squares * effects))
        fourths += float(own.counts @ (squares * squares))
    freedom = _freedom(int(total), total * fourths / spread**2 - 3)
    return Jackknife(widened / (widened - spread), freedom, cubes / (6 * spread**1.5))


def _freedom(size: int, excess: float) -> float:
    """Return the degrees of freedom of a variance, from the excess kurtosis of `size` values.

    The kurtosis is corrected for the bias of its estimate in small samples. A variance of n values
    from a normal distribution has n - 1 degrees of freedom; here it never has more.
    """
    if size < 4:  # too few for a kurtosis
        return float(max(size - 1, 1))
    excess = (size - 1) / ((size - 2) * (size - 3)) * ((size + 1) * excess + 6)
    return max(FEWEST_FREEDOM, 2 / (max(excess, 0.0) / size + 2 / (size - 1)))


def percentiles(values: NDArray[Any], levels: Levels) -> tuple[float, float]:
    """Return the interval of resampled values; nan values are left out.

    >>> percentiles(np.array([1.0, 2, 3, 4, 5, np.nan]), Levels(0.25, 0.75))
    (2.0, 4.0)
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return nan, nan
    low, high = np.quantile(defined, levels)
    return float(low), float(high)


def widened(values: NDArray[Any], size: float, confidence: float) -> tuple[float, float]:
    """Return the interval of values of resamples of `size` rows, widened for few rows.

    This is for values whose jackknife would take too long, such as rank correlations.
    """
    if size < 2:
        return nan, nan
    return percentiles(values, Jackknife(size, size - 1).symmetric_levels(confidence))


def interval(
    statistics: Statistics, rate: Rate, bootstrap: Bootstrap = DEFAULT
) -> tuple[float, float]:
    """Return the interval of a rate; nan if there are fewer than two rows or no resamples.

    Resamples in which the rate is undefined, such as ones without a reference word, are left out.
    The order of the rows does not matter.
    """
    if len(statistics) < 2 or not bootstrap.times:
        return nan, nan
    return interval_of_sample(distinct(statistics), rate, bootstrap)


def interval_of_sample(
    sample: DistinctRows, rate: Rate, bootstrap: Bootstrap
) -> tuple[float, float]:
    """Return the interval of a rate, given the distinct rows and how often each occurs."""
    if sample.size < 2 or not bootstrap.times:
        return nan, nan
    drawn = rate(resample(sample, bootstrap))
    below = share_below(drawn, float(rate(sample.counts @ sample.rows)))
    levels = jackknife(sample, rate).shifted_levels(bootstrap.confidence, below)
    return percentiles(drawn, levels)


def share_below(drawn: NDArray[Any], rate: float) -> float:
    """Return the share of resampled rates below the rate, with half of the equal ones.

    The share is never 0 or 1, since no number of resamples proves that.
    """
    defined = drawn[~np.isnan(drawn)]
    noise = TIED * abs(rate)
    lower = int(np.count_nonzero(defined < rate - noise))
    not_higher = int(np.count_nonzero(defined <= rate + noise))
    most = max(2 * len(defined), 2)
    return min(max(lower + not_higher, 1), most - 1) / most
