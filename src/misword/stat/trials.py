"""Means of repeated trials with their intervals, and lines fitted through points.

An interval over trials describes the effect of the random draws: the mean that other seeds would
give on the same corpus. It does not describe the effect of another corpus; for that, the rows are
resampled (`misword.stat.correlation.pearson_resamples`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from misword.stat.student_t import upper_quantile

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and its interval; nan where it is undefined."""

    value: float
    low: float
    high: float

    def divided_by(self, divisor: float) -> Mean:
        """Divide the mean and its interval by a constant; nan if that is 0."""
        if not divisor:
            return Mean(np.nan, np.nan, np.nan)
        low, high = sorted((self.low / divisor, self.high / divisor))
        return Mean(self.value / divisor, low, high)


@dataclass(frozen=True, slots=True)
class Line:
    """A line fitted by least squares, and the share of the variance that it explains."""

    slope: float
    intercept: float
    r2: float


def mean_of(trials: ArrayLike, confidence: float = 0.95) -> Mean:
    """Compute the mean over trials with Student's t interval; nan bounds for a single trial.

    >>> mean = mean_of([1, 2, 3])
    >>> mean.value, round(mean.low, 3), round(mean.high, 3)
    (2.0, -0.484, 4.484)
    """
    values = np.asarray(trials, np.float64)
    size, middle = len(values), float(values.mean()) if len(values) else np.nan
    if size < 2:
        return Mean(middle, np.nan, np.nan)
    quantile = upper_quantile((1 - confidence) / 2, size - 1)
    half = float(quantile * values.std(ddof=1) / size**0.5)
    return Mean(middle, middle - half, middle + half)


def line_through(x: ArrayLike, y: ArrayLike) -> Line:
    """Fit a line by least squares; nan below two distinct `x`, and R2 is nan below three.

    >>> line_through([0, 1, 2], [1, 0.5, 0])
    Line(slope=-0.5, intercept=1.0, r2=1.0)
    """
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    distinct = len(np.unique(xs))
    if distinct < 2:
        return Line(np.nan, np.nan, np.nan)
    x_mean, y_mean = float(xs.mean()), float(ys.mean())
    slope = float((xs - x_mean) @ (ys - y_mean) / np.square(xs - x_mean).sum())
    intercept = y_mean - slope * x_mean
    total = float(np.square(ys - y_mean).sum())
    residual = float(np.square(ys - intercept - slope * xs).sum())
    return Line(slope, intercept, 1 - residual / total if distinct > 2 and total else np.nan)
