"""Rates from run to run: covariances, changes, the best of the last runs, and when to stop.

A *series* has the rate of one system in each of several runs, and the covariances of these rates.
The covariance of two runs comes from the effects of single utterances on the rates: if both runs
have the same utterances of a set, their effects are paired; otherwise the runs are independent. So
one method serves a fixed test set, a new sample every night, and anything between.

Changes are looked for after each run, as a team does that looks at the chart every morning. After
run t, the mean of the last 1, 3, 8, 21, ... runs is compared with the mean of the runs before
them, as far as the last change. With so many looks, something is always "significant". The p-value
of a change is therefore the probability that in 100 looks at a system that does not change, any
comparison is as large as this one (`looks_p`); it was fitted to simulated histories
(`tools/simulate_changes.py`). For several systems it is multiplied by their number.

If runs of new utterances differ more than their utterances explain (another mix of speakers every
night), the variances are multiplied by the factor by which the differences of successive runs
exceed their variances, as soon as a test shows that there is such a factor.

Known problems: the test assumes that rates are normally distributed, which needs about a hundred
utterances in a run. A slow drift is found late, since it has no single place.

References: D. Siegmund, Sequential Analysis, Springer 1985; E. Page, Continuous inspection schemes,
Biometrika 41, 1954.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, exp, isnan, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from misword.stat.options import SIGNIFICANCE_LEVEL

Reals = NDArray[np.float64]

# Numbers of the last runs whose mean is compared with the runs before.
LENGTHS = (1, 3, 8, 21, 55, 144)
# The probability that a comparison exceeds z standard errors somewhere in 100 looks is about
# SCALE * z * exp(-z^2 / 2): the form of such probabilities for random walks (Siegmund 1985).
LOOKS = 100
SCALE = 14.0
# Differences of successive runs from which a factor of the variance is estimated, at least, and the
# level at which it must be shown to exceed 1.
FEWEST_DIFFERENCES, FACTOR_LEVEL = 8, 0.0005
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, eq=False)
class RunRows:
    """The rows of one run and set: a hash of the utterance ids, and their effects on the rate."""

    ids: str
    effects: Reals


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The rates of a system in several runs, in order, and the covariances of these rates."""

    rates: Reals
    covariance: Reals

    @classmethod
    def of(cls, rates: Sequence[float], rows: Sequence[Sequence[RunRows]]) -> Series:
        """Return the series of averages over sets; `rows` has the sets of each run."""
        size = len(rates)
        covariance = np.zeros((size, size))
        for sets in zip(*rows, strict=True):
            for ids in dict.fromkeys(own.ids for own in sets):
                same = [place for place, own in enumerate(sets) if own.ids == ids]
                effects = np.stack([sets[place].effects for place in same])
                # Variances of small samples: a sum of n squares has n - 1 degrees of freedom.
                scale = effects.shape[1] / max(effects.shape[1] - 1, 1)
                covariance[np.ix_(same, same)] += scale * (effects @ effects.T)
        return cls(np.array(rates, np.float64), covariance)

    def __len__(self) -> int:
        return len(self.rates)

    def difference(self, after: slice, before: slice) -> tuple[float, float]:
        """Return the mean of some runs minus that of others, and the standard error of this."""
        weights = np.zeros(len(self.rates))
        weights[after] += 1 / len(self.rates[after])
        weights[before] -= 1 / len(self.rates[before])
        variance = float(weights @ self.covariance @ weights)
        return float(weights @ self.rates), sqrt(max(variance, 0.0))

    def intervals(self, confidence: float) -> tuple[Reals, Reals]:
        """Return the ends of the interval of each rate, by the normal distribution."""
        reach = NORMAL.inv_cdf((1 + confidence) / 2) * np.sqrt(np.diag(self.covariance))
        return np.maximum(self.rates - reach, 0.0), self.rates + reach

    def widened(self, upto: int) -> Series:
        """Return the series with the variance that the first `upto` runs show, if it is larger."""
        factor = _variance_factor(self, upto)
        return self if factor == 1 else Series(self.rates, factor * self.covariance)


def _variance_factor(series: Series, upto: int) -> float:
    """Return by which factor successive runs differ more than by their utterances; 1 if unproven.

    The largest difference is left out, since it may be a change.
    """
    pairs = [series.difference(slice(t, t + 1), slice(t - 1, t)) for t in range(1, upto)]
    ratios = sorted((d / error) ** 2 for d, error in pairs if error > 0)[:-1]
    count = len(ratios)
    if count < FEWEST_DIFFERENCES:
        return 1.0
    mean = sum(ratios) / count
    # Squares of successive differences of independent runs: variance 3 / count of their mean.
    bound = 1 + NORMAL.inv_cdf(1 - FACTOR_LEVEL) * sqrt(3 / count)
    return mean if mean > bound else 1.0


@dataclass(frozen=True, slots=True)
class RateChange:
    """A change of a rate.

    Attributes:
        place: the first run after the change.
        found: the run after which it was found.
        before: the mean rate before it, back to the change before.
        after: the mean rate from `place` to `found`.
        z: the difference in standard errors.
        p: the probability of such a difference in 100 looks at a system that does not change.
    """

    place: int
    found: int
    before: float
    after: float
    z: float
    p: float


def looks_p(z: float) -> float:
    """Return the probability that 100 looks at a constant rate show a comparison of `z` or more.

    >>> round(looks_p(2.0), 3), looks_p(3.9) < 0.05 < looks_p(3.6)
    (1.0, True)
    """
    size = abs(z)
    return min(1.0, SCALE * size * exp(-(size**2) / 2)) if size > 1 else 1.0


def changes(series: Series, level: float = SIGNIFICANCE_LEVEL, tests: int = 1) -> list[RateChange]:
    """Return the changes that are found by a look after each run; `tests` is the number of series.

    >>> rates = [0.10] * 5 + [0.13] * 4
    >>> found = changes(Series(np.array(rates), np.diag([1e-5] * 9)))
    >>> [(change.place, change.found) for change in found]
    [(5, 5)]
    """
    found: list[RateChange] = []
    start = 0
    for now in range(1, len(series)):
        own = series.widened(now)
        lengths = [length for length in LENGTHS if length <= now - start]
        sizes = [abs(_z(own, start, now + 1 - length, now)) for length in lengths]
        if not sizes or tests * looks_p(max(sizes)) >= level:
            continue
        place = max(range(start + 1, now + 1), key=lambda at: abs(_z(own, start, at, now)))
        z = max(sizes)
        before, after = series.rates[start:place].mean(), series.rates[place : now + 1].mean()
        p = min(1.0, tests * looks_p(z))
        sign = 1 if after > before else -1
        found.append(RateChange(place, now, float(before), float(after), sign * z, p))
        start = place
    return found


def _z(series: Series, start: int, place: int, now: int) -> float:
    """Return the difference of the runs from `place` to `now` and those before, in errors."""
    difference, error = series.difference(slice(place, now + 1), slice(start, place))
    return difference / error if error > 0 else 0.0


# The last run against the best of the runs before it.


@dataclass(frozen=True, slots=True)
class AgainstBest:
    """The last run against the best of some runs before it.

    Attributes:
        best: the place of the run with the lowest rate.
        difference: the rate of the last run minus that of the best.
        low: the lower end of the interval of the difference.
        high: the upper end.
        p_worse: one-sided p-value against "worse by the margin at most". The lowest of several
            rates is low also by chance: it is multiplied by the number of runs.
        p_no_worse: one-sided p-value against "worse by the margin or more".
        same: whether the two runs do not differ in any utterance.
    """

    best: int
    difference: float
    low: float
    high: float
    p_worse: float
    p_no_worse: float
    same: bool


def against_best(
    series: Series, last: int, margin: float = 0.0, confidence: float = 0.95
) -> AgainstBest | None:
    """Compare the last run with the best of the `last` runs before; None if there are none."""
    size = len(series)
    earlier = range(max(0, size - 1 - last), size - 1)
    if not earlier:
        return None
    best = min(earlier, key=lambda place: series.rates[place])
    difference, error = series.difference(slice(size - 1, size), slice(best, best + 1))
    reach = NORMAL.inv_cdf((1 + confidence) / 2) * error
    if error == 0:
        worse = float(difference <= margin)
        no_worse = float(difference > margin)
    else:
        worse = min(1.0, len(earlier) * upper_tail((difference - margin) / error))
        no_worse = upper_tail((margin - difference) / error)
    same = error == 0 and difference == 0
    ends = difference - reach, difference + reach
    return AgainstBest(best, difference, *ends, worse, no_worse, same)


def upper_tail(z: float) -> float:
    """Return the probability that a normal variable exceeds `z`.

    >>> round(upper_tail(1.96), 3)
    0.025
    """
    return nan if isnan(z) else erfc(z / sqrt(2)) / 2


@dataclass(frozen=True, slots=True)
class StopAdvice:
    """Whether the training of a series of checkpoints still pays.

    Attributes:
        advice: `go on`, `stop` or `wait`.
        best: the place of the checkpoint with the lowest rate.
        since: the number of checkpoints after the last gain that is more than chance.
        gain: how much lower the rate of the last checkpoint is than the best before it.
        low: the lower end of the interval of the gain.
        high: the upper end.
        p: one-sided p-value of the gain, multiplied by the number of looks (checkpoints - 1).
    """

    advice: str
    best: int
    since: int
    gain: float
    low: float
    high: float
    p: float


# After this many checkpoints without a gain, the advice is to stop.
PATIENT_CHECKPOINTS = 3


def stop_advice(series: Series, confidence: float = 0.95) -> StopAdvice | None:
    """Say whether the last gain is more than chance; None if there is one checkpoint.

    The rate of a checkpoint is compared with the lowest rate before it. A gain counts if it is more
    than chance, corrected for one look at each checkpoint. After three checkpoints without such a
    gain, the advice is to stop.
    """
    size, level = len(series), 1 - confidence
    if size < 2:
        return None
    last_gain = 0
    for place in range(1, size):
        gain, error = _gain(series, place, last_gain)
        if error > 0 and (size - 1) * upper_tail(gain / error) < level:
            last_gain = place
    gain, error = _gain(series, size - 1)
    p = min(1.0, (size - 1) * upper_tail(gain / error)) if error > 0 else float(gain <= 0)
    since, best = size - 1 - last_gain, int(np.argmin(series.rates))
    advice = "go on" if p < level else "stop" if since >= PATIENT_CHECKPOINTS else "wait"
    reach = NORMAL.inv_cdf((1 + confidence) / 2) * error
    return StopAdvice(advice, best, since, gain, gain - reach, gain + reach, p)


def _gain(series: Series, place: int, against: int | None = None) -> tuple[float, float]:
    """Return how much lower a rate is than the lowest before it, or than `against`, and its error.

    The lowest of several rates is low also by chance, so that such a gain is rather too small.
    """
    best = int(np.argmin(series.rates[:place])) if against is None else against
    difference, error = series.difference(slice(place, place + 1), slice(best, best + 1))
    return -difference, error
