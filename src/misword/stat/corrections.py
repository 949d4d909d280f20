"""Corrections of p-values for the number of tests, and how many rows a test needs.

Holm's procedure multiplies the smallest p-value by the number of tests, the next one by one less,
and so on. With n blocks the smallest p-value of a permutation test is 2 / 2^n, so with ten blocks
and thirty systems no difference could be significant. The permutation tests of one table are made
on the same rows, however. If there are few rows, all tests are therefore swapped together, and each
step of Holm's procedure uses the distribution of the largest of the remaining tests (the step-down
maxT procedure of Westfall and Young).

References: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal
of Statistics 6, 1979; P. Westfall, S. Young, Resampling-based multiple testing, Wiley 1993.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import nan

import numpy as np
from numpy.typing import NDArray

from misword.stat.paired import holm
from misword.stat.permutation import NOISE, Effects, smallest_p, swapped_sums

# A difference with a corrected p-value of this or more is called not distinguishable.
SIGNIFICANCE_LEVEL = 0.05
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
    noise = NOISE * len(columns)
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
