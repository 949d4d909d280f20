"""The paired permutation test: how far two systems differ when their results are swapped by chance.

If two systems are equally good, their results on one utterance could as well be swapped. The test
swaps the results of each row (utterance or block) with probability 1/2. The p-value is the
probability that the swapped difference of the rates is at least as large as the observed one, in
either direction. It holds for rows of any size and any distribution, and it is computed, not drawn,
so it does not end at the number of resamples.

A swap does not change the sum of both systems' terms. The rates can therefore be linearised at the
mean of the two sums: each row then adds its effect to the difference, or subtracts it if the row is
swapped. The error of the linearised difference is of third order in the difference of the sums.

The distribution of a sum of effects with random signs is

- counted over all swaps, if up to `COUNTED` rows differ;
- computed by the saddle-point approximation of Lugannani and Rice otherwise, with a continuity
  correction by the smallest effect. Its relative error is typically a few percent; with twenty rows
  of very unequal sizes it can be a factor of 1.5.

With n rows that differ, the smallest p-value is 2 / 2^n: all of them point in one direction.

References: E. Noreen, Computer-intensive methods for testing hypotheses, Wiley 1989; J. Robinson,
Saddlepoint approximations for permutation tests and confidence intervals, Journal of the Royal
Statistical Society B 44, 1982; R. Lugannani, S. Rice, Saddle point approximation for the
distribution of the sum of independent random variables, Advances in Applied Probability 12, 1980.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, exp, log, nan, pi, sqrt
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics

Effects = NDArray[np.float64]
Counts = NDArray[np.int64]

# All swaps of up to this many rows are counted.
COUNTED = 18
# Sums of effects that differ by less than this share of the sum of all sizes are equal. An effect
# that is smaller than this share of the largest effect is none.
NOISE = 1e-9
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
    steps = np.diag(STEP * largest)
    sizes = np.diagonal(steps)
    changes = rate(middle + steps) - rate(middle - steps)
    # A column of zeros changes nothing.
    gradient = np.divide(changes, 2 * sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    # Not a product of matrices, whose rounding can depend on the place of a row.
    effects: Effects = ((ours - theirs) * gradient).sum(axis=1)
    return effects


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
    differ = sizes > NOISE * sizes[-1]
    sizes, counts = sizes[differ], counts[differ]
    rows = int(counts.sum())
    largest, observed = float(sizes @ counts), abs(float((values * times).sum()))
    noise = NOISE * largest
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
