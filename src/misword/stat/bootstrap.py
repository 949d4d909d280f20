"""The bootstrap over utterances: its settings and its resamples.

An error rate is a ratio of sums, so a resample needs only the number of times that each utterance
is drawn. Many utterances have the same statistics (two errors in eleven words). The counts of the
*distinct* rows follow a multinomial distribution: drawing from it gives exactly the bootstrap's
distribution and costs one draw per distinct row instead of one per utterance.

Draws are made over the distinct rows in ascending order, so the resamples depend on the rows and on
the seed, and not on the order of the rows. Intervals are computed in `stat.intervals`.

Reference: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.types import Statistics

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
