"""The bootstrap over utterances: its settings, resamples and intervals.

An error rate is a ratio of sums, so a resample needs only the number of times that each utterance
is drawn. Many utterances have the same statistics (two errors in eleven words). The counts of the
*distinct* rows follow a multinomial distribution: drawing from it gives exactly the bootstrap's
distribution and costs one draw per distinct row instead of one per utterance.

Reference: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.types import Statistics

# A multinomial draw costs about as much per category as this many single draws.
DRAW_COST = 8
# Resamples that are drawn at a time, to bound the memory.
BLOCK = 16
# Packed rows stay below this number, so that they fit in int64.
LARGEST = 1 << 62


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

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence is {self.confidence}", fix="use a share such as 0.95")
        if self.times < 0:
            raise OptionError(f"bootstrap is {self.times}", fix="use 0 or more resamples")
        if self.seed < 0:
            raise OptionError(f"seed is {self.seed}", fix="use 0 or more")

    @property
    def settings(self) -> dict[str, float]:
        """The settings by the names that `Result.provenance` uses."""
        return {"bootstrap": self.times, "confidence": self.confidence, "seed": self.seed}

    def percentiles(self, values: NDArray[Any]) -> tuple[float, float]:
        """Return the percentile interval of resampled values; nan values are left out.

        >>> Bootstrap(confidence=0.5).percentiles(np.array([1.0, 2, 3, 4, 5, np.nan]))
        (2.0, 4.0)
        """
        defined = values[~np.isnan(values)]
        if not len(defined):
            return nan, nan
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return float(low), float(high)


DEFAULT = Bootstrap()


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
    """The distinct rows in ascending order, and how often each occurs.

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
    """Percentile interval of a rate; nan if there are fewer than two rows or no resamples.

    Resamples in which the rate is undefined, such as ones without a reference word, are left out.
    """
    if len(statistics) < 2 or not bootstrap.times:
        return nan, nan
    return bootstrap.percentiles(rate(resample(statistics, bootstrap)))
