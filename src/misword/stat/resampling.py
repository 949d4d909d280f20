"""Bootstrap over utterances from additive statistics.

An error rate is a ratio of sums, so resampling utterances needs only how often each is drawn. Many
utterances have the same statistics (two errors in eleven words); drawing how often each *distinct*
row comes up, from a multinomial, has exactly the bootstrap's distribution and costs a draw per
distinct row instead of one per utterance.

Reference: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Statistics = NDArray[Any]  # whole numbers where a metric counts, else float64

# A multinomial draw costs about this many plain draws per category.
DRAW_COST = 8
# Resamples drawn at a time: all of them at once could fill the memory.
BLOCK = 16
LARGEST = 1 << 62


def resample(statistics: Statistics, times: int, seed: int) -> Statistics:
    """Sums of the statistics over `times` resamples of the rows: an array (times, columns)."""
    rows, weights = distinct(statistics)
    total = len(statistics)
    rng = np.random.default_rng(seed)
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
    """The distinct rows in rising order, and how often each is there.

    Rows of whole numbers are sorted as one number each, where they fit: several times sooner.
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
    *,
    times: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of a rate; undefined (nan) below two utterances.

    Resamples in which the rate is undefined, such as ones without a reference word, are left out.
    """
    if len(statistics) < 2 or times < 1:
        return float("nan"), float("nan")
    rates = rate(resample(statistics, times, seed))
    rates = rates[~np.isnan(rates)]
    if not len(rates):
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(rates, [tail, 1 - tail])
    return float(low), float(high)


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """A quotient that is nan, without a warning, where nothing can be divided."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient
