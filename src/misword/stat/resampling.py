"""Bootstrap over utterances from additive statistics.

An error rate is a ratio of sums, so a resample needs only the number of times that each utterance
is drawn. Many utterances have the same statistics (two errors in eleven words). The counts of the
*distinct* rows follow a multinomial distribution: drawing from it gives exactly the bootstrap's
distribution and costs one draw per distinct row instead of one per utterance.

Reference: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.stat.bootstrap import DEFAULT, Bootstrap

Statistics = NDArray[Any]  # integers where a metric counts, else float64

# A multinomial draw costs about as much per category as this many single draws.
DRAW_COST = 8
# Resamples that are drawn at a time, to bound the memory.
BLOCK = 16
# Packed rows stay below this number, so that they fit in int64.
LARGEST = 1 << 62


def resample(statistics: Statistics, bootstrap: Bootstrap) -> Statistics:
    """Sum the statistics over resamples of the rows: an array (resamples, columns)."""
    times = bootstrap.times
    rows, weights = distinct(statistics)
    total = len(statistics)
    rng = np.random.default_rng(bootstrap.seed)
    sums = np.empty((times, statistics.shape[1]))
    if DRAW_COST * len(rows) < total:
        for k in range(0, times, BLOCK):
            drawn = rng.multinomial(total, weights / total, size=min(BLOCK, times - k))
            sums[k : k + BLOCK] = drawn.astype(np.float64) @ rows
        return sums
    for k in range(times):
        sums[k] = np.bincount(rng.integers(total, size=total), minlength=total) @ statistics
    return sums


def distinct(statistics: Statistics) -> tuple[Statistics, Statistics]:
    """Return the distinct rows in ascending order, and how often each occurs.

    Rows of integers are packed into one integer each where that fits in 62 bits, because sorting
    single numbers is several times faster than sorting rows.
    """
    if statistics.dtype.kind == "i" and len(statistics):
        low = statistics.min(axis=0)
        spans = [int(top) + 1 for top in statistics.max(axis=0) - low]
        if prod(spans) < LARGEST:
            steps = np.array([prod(spans[at + 1 :]) for at in range(len(spans))])
            keys, counts = np.unique((statistics - low) @ steps, return_counts=True)
            return keys[:, None] // steps % spans + low, counts
    return np.unique(statistics, axis=0, return_counts=True)


def interval(
    statistics: Statistics,
    rate: Callable[[Statistics], Statistics],
    bootstrap: Bootstrap = DEFAULT,
) -> tuple[float, float]:
    """Return the percentile interval of a rate.

    It is nan if there are fewer than two rows or no resamples. Resamples in which the rate is
    undefined, such as ones without a reference word, are left out.
    """
    if len(statistics) < 2 or not bootstrap.times:
        return nan, nan
    return bootstrap.percentiles(rate(resample(statistics, bootstrap)))


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """Divide two arrays; nan, without a warning, where the denominator is not above 0."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient
