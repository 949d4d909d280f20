"""What repeated trials say: means with intervals over trials, and lines through them.

An interval over trials says how far the noise of the draw moves a mean: with other seeds and the
same corpus it would lie about there. It does not say what another corpus would give; for that, rows
are resampled (`misword.stat.correlation.pearson_resamples`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and its interval; nan where it is undefined."""

    value: float
    low: float
    high: float

    def over(self, whole: float) -> Mean:
        """All three as parts of a number that is known."""
        if not whole:
            return Mean(np.nan, np.nan, np.nan)
        low, high = sorted((self.low / whole, self.high / whole))
        return Mean(self.value / whole, low, high)


@dataclass(frozen=True, slots=True)
class Line:
    """A line by least squares, and the share of variance that it explains."""

    slope: float
    intercept: float
    r2: float


def mean_of(trials: ArrayLike, confidence: float = 0.95) -> Mean:
    """The mean over trials with Student's interval; a single trial has none.

    >>> found = mean_of([1, 2, 3])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    """
    from scipy import stats

    values = np.asarray(trials, np.float64)
    size, middle = len(values), float(values.mean()) if len(values) else np.nan
    if size < 2:
        return Mean(middle, np.nan, np.nan)
    half = float(stats.t.ppf((1 + confidence) / 2, size - 1) * values.std(ddof=1) / size**0.5)
    return Mean(middle, middle - half, middle + half)


def line_through(x: ArrayLike, y: ArrayLike) -> Line:
    """The line nearest to points; undefined (nan) below two places, and R2 below three.

    >>> line_through([0, 1, 2], [1, 0.5, 0])
    Line(slope=-0.5, intercept=1.0, r2=1.0)
    """
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    places = len(np.unique(across))
    if places < 2:
        return Line(np.nan, np.nan, np.nan)
    middle, height = float(across.mean()), float(up.mean())
    slope = float((across - middle) @ (up - height) / np.square(across - middle).sum())
    intercept = height - slope * middle
    total = float(np.square(up - height).sum())
    left = float(np.square(up - intercept - slope * across).sum())
    return Line(slope, intercept, 1 - left / total if places > 2 and total else np.nan)
