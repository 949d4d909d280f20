"""Paired permutation tests within many small groups, which are computed together.

The p-values are those of `stat.permutation` for each group alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics
from misword.stat.intervals import Rate
from misword.stat.permutation import NOISE, STEP, permutation_p, smallest_p

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
    small = sizes <= NOISE * sizes.max(axis=1, keepdims=True)
    counted = np.where(small, 0.0, sizes)
    largest, observed = counted.sum(axis=1), np.abs(effects.sum(axis=1))
    noise = NOISE * largest
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
