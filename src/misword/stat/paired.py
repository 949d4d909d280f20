"""Differences of two systems on the same utterances: tests, intervals, corrections for many tests.

Both systems transcribed the same speech, so a hard utterance is hard for both. A resample therefore
draws utterances together with the results of both systems, and the difference of the two rates
varies far less than the rates themselves. Intervals come from this paired bootstrap, with the
levels of `stat.bootstrap`; p-values come from a paired permutation test.

Utterances of one speaker or one document are not independent. Tests of single utterances then
report chance differences as significant; tests of whole blocks do not (`by_block`).

References: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004; P. Koehn, Statistical significance tests for machine translation
evaluation, EMNLP 2004; Z. Liu, F. Peng, Statistical testing on ASR performance via blockwise
bootstrap, Interspeech 2020; S. Holm, A simple sequentially rejective multiple test procedure,
Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from math import erfc, exp, isnan, log, nan, pi, sqrt
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError
from misword.core.types import Statistics
from misword.stat.bootstrap import (
    DEFAULT,
    Bootstrap,
    DistinctRows,
    Rate,
    distinct,
    jackknife,
    percentiles,
    resample,
)
from misword.stat.measure import ratio
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.tallies.sums import exact_sums

# The paired permutation test: how far two systems differ when their results are swapped by chance.
#
# If two systems are equally good, their results on one utterance could as well be swapped. The
# test swaps the results of each row (utterance or block) with probability 1/2. The p-value is the
# probability that the swapped difference of the rates is at least as large as the observed one, in
# either direction. It holds for rows of any size and any distribution, and it is computed, not
# drawn, so it does not end at the number of resamples.
#
# A swap does not change the sum of both systems' terms. The rates can therefore be linearised at
# the mean of the two sums: each row then adds its effect to the difference, or subtracts it if the
# row is swapped. The error of the linearised difference is of third order in the difference of the
# sums.
#
# The distribution of a sum of effects with random signs is
#
# - counted over all swaps, if up to `COUNTED` rows differ;
# - computed by the saddle-point approximation of Lugannani and Rice otherwise, with a
#   continuity correction by the smallest effect. Its relative error is typically a few percent;
#   with twenty rows of very unequal sizes it can be a factor of 1.5.
#
# With n rows that differ, the smallest p-value is 2 / 2^n: all of them point in one direction.
#
# References: E. Noreen, Computer-intensive methods for testing hypotheses, Wiley 1989; J.
# Robinson, Saddlepoint approximations for permutation tests and confidence intervals, Journal of
# the Royal Statistical Society B 44, 1982; R. Lugannani, S. Rice, Saddle point approximation for
# the distribution of the sum of independent random variables, Advances in Applied Probability 12,
# 1980.

Effects = NDArray[np.float64]
Counts = NDArray[np.int64]

# All swaps of up to this many rows are counted.
COUNTED = 18
# Sums of effects that differ by less than this share of the sum of all sizes are equal. An effect
# that is smaller than this share of the largest effect is none.
SWAP_NOISE = 1e-9
# The step of numerical derivatives, as a share of the sum of the terms.
STEP = 1e-5
# Below this many standard deviations the normal distribution is exact enough, and the formula of
# Lugannani and Rice subtracts two large numbers.
CENTRE = 0.1


def swap_effects(
    baseline: Statistics,
    system: Statistics,
    rate: Callable[[Statistics], Statistics],
    counts: Counts | None = None,
) -> Effects:
    """Return what each row adds to the difference of the two rates, which is about their sum.

    If the results of a row are swapped, the sign of its effect changes. The effects are nan where a
    rate is undefined. `counts` says how often each row occurs, if not once.

    >>> baseline, system = np.array([[1, 10], [3, 10]]), np.array([[0, 10], [4, 10]])
    >>> swap_effects(baseline, system, lambda terms: terms[..., 0] / terms[..., 1]).round(6)
    array([-0.05,  0.05])
    """
    ours, theirs = (np.asarray(side, np.float64) for side in (system, baseline))
    times = 1.0 if counts is None else np.asarray(counts, np.float64)[:, None]
    middle = ((ours * times).sum(axis=0) + (theirs * times).sum(axis=0)) / 2
    largest = (np.abs(ours) * times).sum(axis=0) + (np.abs(theirs) * times).sum(axis=0)
    # Not a product of matrices, whose rounding can depend on the place of a row.
    effects: Effects = ((ours - theirs) * swap_gradient(middle, largest, rate)).sum(axis=1)
    return effects


def swap_gradient(
    middle: Statistics, largest: Statistics, rate: Callable[[Statistics], Statistics]
) -> Effects:
    """Return the derivatives of a rate by its terms, between the sums of two systems.

    `middle` has the means of the two sums, `largest` the sums of all absolute values.
    """
    steps = np.diag(STEP * largest)
    sizes = np.diagonal(steps)
    changes = rate(middle + steps) - rate(middle - steps)
    # A column of zeros changes nothing.
    gradient: Effects = np.divide(changes, 2 * sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return gradient


def permutation_p(effects: Effects, counts: Counts | None = None) -> float:
    """Return the two-sided p-value of a sum of effects; nan if an effect is undefined.

    `counts` says how often each effect occurs, if not once.

    >>> permutation_p(np.array([1.0, 2, 3, 4, 5, 6])), permutation_p(np.array([1.0, -1, 0]))
    (0.03125, 1.0)
    """
    if not len(effects) or np.isnan(effects).any():
        return nan
    values, times = _distinct(effects, counts)
    sizes, counts = _distinct(np.abs(values), times)
    differ = sizes > SWAP_NOISE * sizes[-1]
    sizes, counts = sizes[differ], counts[differ]
    rows = int(counts.sum())
    largest, observed = float(sizes @ counts), abs(float((values * times).sum()))
    noise = SWAP_NOISE * largest
    if observed <= noise:
        return 1.0
    if observed >= largest - noise:
        return smallest_p(rows)
    if rows <= COUNTED:
        swapped = np.abs(swapped_sums(np.repeat(sizes, counts)))
        return float(np.mean(swapped >= observed - noise))
    # The smallest step between two possible sums is about twice the smallest effect.
    tail = _saddle_point_tail(sizes, counts, max(observed - float(sizes[0]), 0.0))
    return min(1.0, max(2 * tail, smallest_p(rows)))


def _distinct(effects: Effects, counts: Counts | None) -> tuple[Effects, Counts]:
    """Return the distinct effects in ascending order, and how often each occurs.

    Sums over them do not depend on the order of the rows, nor on which equal rows are one row.
    """
    values, places = np.unique(effects, return_inverse=True)
    weights = None if counts is None else counts.astype(np.float64)
    return values, np.bincount(places.ravel(), weights).astype(np.int64)


def smallest_p(rows: int) -> float:
    """Return the p-value of `rows` rows that all differ in the same direction.

    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return max(2.0 ** (1 - rows), float_info.min) if rows else 1.0


def swapped_sums(effects: Effects) -> Effects:
    """Return the sums of effects for all swaps in which the first row is not swapped.

    The other swaps have the same sums with the opposite sign.
    """
    sums = effects[:1]
    for row in effects[1:]:
        sums = np.concatenate([sums + row, sums - row])
    return sums


def _saddle_point_tail(
    sizes: NDArray[np.float64], counts: NDArray[np.int64], bound: float
) -> float:
    """Return the probability that a sum of effects with random signs is at least `bound`.

    The cumulant generating function is K(s) = sum of counts * log cosh(s * size).
    """
    scale = sqrt(float(counts @ np.square(sizes)))
    sizes, bound = sizes / scale, bound / scale
    if bound <= CENTRE:
        return _normal_tail(bound)
    point = 0.0
    while True:  # K' is concave, so steps of Newton's method never go beyond the saddle point
        decay = np.exp(-2 * point * sizes)
        slope = float(counts @ (sizes * (1 - decay) / (1 + decay)))
        curvature = float(counts @ (4 * decay * np.square(sizes / (1 + decay))))
        step = (bound - slope) / curvature
        point += step
        exponents = point * sizes
        cumulant = float(counts @ (exponents + np.log1p(np.exp(-2 * exponents)) - log(2)))
        distance = 2 * (point * bound - cumulant)
        if step <= 1e-10 * point or distance > -2 * log(float_info.min):
            break
    root, spread = sqrt(distance), point * sqrt(curvature)
    density = exp(-distance / 2) / sqrt(2 * pi)
    return _normal_tail(root) + density * (1 / spread - 1 / root)


def _normal_tail(bound: float) -> float:
    return erfc(bound / sqrt(2)) / 2


# The difference of two rates.

# Relative rounding error between sums of the same numbers in different orders.
NOISE = 1e-12
# Rates of one utterance that differ by less are equal: the same costs were added in another order.
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """Rates of a system and of the baseline, their difference and the relative change.

    A negative difference is an improvement, since lower rates are better. nan means undefined.
    """

    rate: float
    baseline_rate: float
    difference: float
    low: float
    high: float
    relative: float
    relative_low: float
    relative_high: float
    p: float


def paired(
    baseline: Statistics,
    system: Statistics,
    rate: Callable[[Statistics], Statistics],
    bootstrap: Bootstrap = DEFAULT,
) -> Difference:
    """Compute the difference of two systems' rates, its intervals and its p-value.

    `baseline` and `system` are the terms of a metric, one row per utterance (or block), in the same
    order; which order that is does not matter. Intervals come from a paired bootstrap. The p-value
    is that of a two-sided paired permutation test; it does not depend on the number of resamples
    and is never 0.

    Resamples in which a rate is undefined are left out. With fewer than two rows, the intervals and
    the p-value are nan; with 0 resamples, the intervals. Equal terms have p = 1.

    Known problems: with fewer than ten rows, intervals are too narrow; rely on p there.

    >>> terms = np.array([[1, 10], [3, 12], [0, 8], [2, 10]])
    >>> better = terms - [[1, 0], [1, 0], [0, 0], [0, 0]]
    >>> result = paired(terms, better, lambda terms: terms[..., 0] / terms[..., 1])
    >>> result.baseline_rate, result.rate, round(result.relative, 4)
    (0.15, 0.1, -0.3333)
    """
    if baseline.shape != system.shape:
        raise MismatchError(f"{len(baseline)} rows of the baseline, {len(system)} of the system")
    return paired_sample(distinct(np.hstack([baseline, system])), rate, bootstrap)


def paired_sample(
    sample: DistinctRows,
    rate: Callable[[Statistics], Statistics],
    bootstrap: Bootstrap = DEFAULT,
) -> Difference:
    """Compute what `paired` does from distinct rows: terms of the baseline, then of the system."""
    width = sample.rows.shape[1] // 2
    sides = sample.rows[:, :width], sample.rows[:, width:]
    sums = exact_sums(sample)
    before, after = (float(rate(side)) for side in (sums[:width], sums[width:]))
    difference = after - before
    if abs(difference) <= NOISE * (abs(before) + abs(after)):
        difference = 0.0
    relative = float(_relative(np.array(before), np.array(after))) if difference else 0.0
    if sample.size < 2 or isnan(difference):
        return Difference(after, before, difference, nan, nan, relative, nan, nan, nan)
    effects = swap_effects(*sides, rate, sample.counts)
    p = permutation_p(effects, sample.counts) if difference else 1.0
    if not bootstrap.times:
        return Difference(after, before, difference, nan, nan, relative, nan, nan, p)
    if np.array_equal(*sides):  # in resamples the two could differ by rounding
        return Difference(after, before, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, p)

    def change(terms: Statistics) -> Statistics:
        return np.asarray(rate(terms[..., width:]) - rate(terms[..., :width]))

    drawn = resample(sample, bootstrap)
    # The relative change has the sign of the difference, so both intervals have the same levels.
    levels = jackknife(sample, change).symmetric_levels(bootstrap.confidence)
    return Difference(
        after,
        before,
        difference,
        *percentiles(change(drawn), levels),
        relative,
        *percentiles(_relative(rate(drawn[:, :width]), rate(drawn[:, width:])), levels),
        p,
    )


def direction(before: Statistics, after: Statistics) -> NDArray[np.float64]:
    """Return -1 where a rate fell, 1 where it rose, 0 where both are equal up to rounding.

    The value is nan where a rate is undefined.

    >>> direction(np.array([0.5, 0.5, 0.3]), np.array([0.4, 0.5, 0.1 + 0.2])).tolist()
    [-1.0, 0.0, 0.0]
    """
    signs = np.sign(after - before)
    signs[np.isclose(before, after, rtol=NEAR, atol=NEAR)] = 0
    return np.asarray(signs)


def by_block(terms: Statistics, blocks: NDArray[np.int64]) -> Statistics:
    """Sum the rows of each block, numbered from 0, so that `paired` resamples whole blocks.

    >>> by_block(np.array([[1, 10], [3, 12], [0, 8]]), np.array([0, 1, 0])).tolist()
    [[1, 18], [3, 12]]
    """
    if terms.dtype.kind == "f":  # added in ascending order, so that the order does not matter
        order = np.lexsort(terms.T)
        terms, blocks = terms[order], blocks[order]
    sums = [np.bincount(blocks, weights=column) for column in terms.T]
    return np.stack(sums, axis=1).astype(terms.dtype)


def holm(p: Sequence[float]) -> NDArray[np.float64]:
    """Adjust p-values for multiple comparisons by Holm's procedure; nan values do not count.

    The adjusted values control the family-wise error rate, the probability of at least one false
    positive, whatever the dependence between the tests.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    values = np.array(p, np.float64)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # nan comes last
    raised = values[order] * np.arange(len(order), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return values


def _relative(before: Statistics, after: Statistics) -> Statistics:
    """Return the relative change; nan where the rate before was 0."""
    return ratio(after - before, before)


# Permutation tests within many small groups, which are computed together. The p-values are those of
# `permutation_p` for each group alone.

Reals = NDArray[np.float64]

# Groups of up to this many rows are computed together: each has 2^(rows - 1) swaps.
MOST_ROWS = 12
# Sums of swapped effects that are in memory at once.
SUMS = 1 << 21


def group_effects(baseline: Statistics, system: Statistics, rate: Rate) -> Reals:
    """Return what each row adds to the difference of the two rates of its group.

    The arrays have the axes group, row and term; the result has a value for each group and row.
    """
    ours, theirs = (np.asarray(side, np.float64) for side in (system, baseline))
    middle = (ours.sum(axis=1) + theirs.sum(axis=1)) / 2
    sizes = STEP * (np.abs(ours).sum(axis=1) + np.abs(theirs).sum(axis=1))
    gradient = np.zeros_like(sizes)
    for term in range(sizes.shape[1]):
        step = np.zeros_like(sizes)
        step[:, term] = sizes[:, term]
        change = rate(middle + step) - rate(middle - step)
        np.divide(change, 2 * sizes[:, term], out=gradient[:, term], where=sizes[:, term] > 0)
    return np.asarray(np.einsum("grt,gt->gr", ours - theirs, gradient))


def group_p(effects: Reals) -> Reals:
    """Return the two-sided p-value of each group, given the effects of its rows.

    >>> group_p(np.array([[1.0, 2, 3], [1, -1, 0]])).tolist()
    [0.25, 1.0]
    """
    groups, rows = effects.shape
    if rows > MOST_ROWS:
        return np.array([permutation_p(row) for row in effects])
    sizes = np.abs(effects)
    small = sizes <= SWAP_NOISE * sizes.max(axis=1, keepdims=True)
    counted = np.where(small, 0.0, sizes)
    largest, observed = counted.sum(axis=1), np.abs(effects.sum(axis=1))
    noise = SWAP_NOISE * largest
    p = np.empty(groups)
    signs = _signs(rows)
    for lo in range(0, groups, step := max(1, SUMS // signs.shape[1])):
        swapped = np.abs(counted[lo : lo + step] @ signs)
        bound = (observed - noise)[lo : lo + step, None]
        p[lo : lo + step] = np.mean(swapped >= bound, axis=1)
    least = np.array([smallest_p(count) for count in range(rows + 1)])[(~small).sum(axis=1)]
    p = np.where(observed >= largest - noise, least, p)
    p = np.where(observed <= noise, 1.0, p)
    return np.where(np.isnan(effects).any(axis=1), np.nan, p)


def _signs(rows: int) -> Reals:
    """Return the signs of all swaps in which the first row is not swapped: (rows, swaps)."""
    numbers = np.arange(1 << (rows - 1))
    swapped = numbers >> np.arange(rows)[:, None] & 1
    return np.where(swapped, -1.0, 1.0)


# Corrections of p-values for the number of tests, and how many rows a test needs.
#
# Holm's procedure multiplies the smallest p-value by the number of tests, the next one by one
# less, and so on. With n blocks the smallest p-value of a permutation test is 2 / 2^n, so with ten
# blocks and thirty systems no difference could be significant. The permutation tests of one table
# are made on the same rows, however. If there are few rows, all tests are therefore swapped
# together, and each step of Holm's procedure uses the distribution of the largest of the remaining
# tests (the step-down maxT procedure of Westfall and Young).
#
# References: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian
# Journal of Statistics 6, 1979; P. Westfall, S. Young, Resampling-based multiple testing, Wiley
# 1993.

# Tests are swapped together if they have at most this many rows.
SWAPPED_TOGETHER = 14
# In a swap in which all rows of another test point in one direction, that test can be larger than
# the tested one. Each test has two such swaps; simulations show that no more than this many matter.
AGREEING_SWAPS = 32


def correct(p: Sequence[float], effects: Sequence[Effects]) -> NDArray[np.float64]:
    """Correct the p-values of permutation tests on the same rows for their number.

    >>> correct([0.03125] * 2, [np.ones(6), np.full(6, -2.0)]).tolist()
    [0.03125, 0.03125]
    """
    few = 2 <= len(effects[0]) <= SWAPPED_TOGETHER
    return step_down(effects) if few else holm(p)


def step_down(effects: Sequence[Effects]) -> NDArray[np.float64]:
    """Return p-values of several tests on the same few rows, corrected by their joint distribution.

    All swaps are counted. Tests with an undefined effect are nan and do not count.

    >>> step_down([np.full(6, 2.0), np.full(6, -1.0), np.array([1.0, -2, 1, -2, 1, -2])])
    array([0.03125, 0.03125, 0.625  ])
    """
    corrected = np.full(len(effects), nan)
    defined = [at for at, column in enumerate(effects) if not np.isnan(column).any()]
    if not defined:
        return corrected
    columns = np.stack([effects[at] for at in defined], axis=1)
    # Sums in units of their standard deviation under swaps are comparable between tests.
    scales = np.sqrt(np.square(columns).sum(axis=0))
    columns = columns / np.where(scales > 0, scales, 1)
    observed = np.abs(columns.sum(axis=0))
    order = np.argsort(-observed, kind="stable")
    swapped = np.abs(swapped_sums(columns[:, order]))
    largest = np.maximum.accumulate(swapped[:, ::-1], axis=1)[:, ::-1]
    noise = SWAP_NOISE * len(columns)
    shares = np.mean(largest >= observed[order] - noise, axis=0)
    corrected[np.array(defined)[order]] = np.maximum.accumulate(shares)
    return corrected


def reachable_p(rows: int, tests: int) -> float:
    """Return the corrected p-value that a difference of ten standard errors reaches.

    `tools/simulate_verdicts.py` counts how often it does not.

    >>> reachable_p(6, tests=1), reachable_p(8, tests=3), reachable_p(11, tests=57)
    (0.03125, 0.046875, 0.03125)
    """
    if tests == 1:
        return smallest_p(rows)
    swaps = 2 * tests
    return smallest_p(rows) * (min(swaps, AGREEING_SWAPS) if rows <= SWAPPED_TOGETHER else swaps)


def too_few_rows(rows: int, tests: int) -> int | None:
    """Return the next number of rows that is enough for several tests; None if `rows` are enough.

    >>> too_few_rows(5, tests=1), too_few_rows(6, tests=1), too_few_rows(5, tests=57)
    (6, None, 11)
    """
    needed = next(n for n in count(rows) if reachable_p(n, tests) < SIGNIFICANCE_LEVEL)
    return needed if rows < needed else None
