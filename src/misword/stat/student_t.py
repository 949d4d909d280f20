"""Student's t distribution, means of repeated trials with their intervals, and fitted lines."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, gamma, log, log1p, pi, sin, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Quantiles and p-values.
#
# Newton's method inverts the probability of the upper tail, which is a regularized incomplete beta
# function. The relative error of a quantile is below 1e-12 for up to 10,000 degrees of freedom.
#
# Reference: NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, 5.11(iii)
# (ratios of gamma functions) and 8.17(v) (continued fraction of the incomplete beta function).

# Iterations end when a step changes the value by less than this share.
PRECISION = 2.0**-52
# Half the degrees of freedom from which the ratio of gamma functions is computed by its series.
SERIES_FROM = 100
# The degree of the polynomial for quantiles of many degrees of freedom.
DEGREE = 30


def upper_quantile(tail: float, freedom: float) -> float:
    """Return the value that Student's t exceeds with the probability `tail`.

    `tail` is above 0 and at most 1/2; `freedom` is the number of degrees of freedom, 1 or more.

    >>> round(upper_quantile(0.025, 9), 3)
    2.262
    """
    if freedom == 1:
        return cos(pi * tail) / sin(pi * tail)
    if freedom == 2:
        return (1 - 2 * tail) / sqrt(2 * tail * (1 - tail))
    # The quantile of the normal distribution, whose tail is smaller, is below the result. The tail
    # is a convex function, so a step of Newton's method never goes beyond the result.
    value = -NormalDist().inv_cdf(tail)
    while True:
        density = _density(value, freedom)
        step = (_upper_tail(value, freedom, density) - tail) / density
        value += step
        if step <= PRECISION * value:
            return value


def upper_quantiles(tail: float, freedom: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantiles of many degrees of freedom.

    The logarithm of the quantile is a smooth function of 1 / freedom, which is computed at a few
    points. The relative error is below 1e-12 for tails from 1e-4 on.

    >>> upper_quantiles(0.025, np.array([2.0, 9])).round(3).tolist()
    [4.303, 2.262]
    """
    if not len(freedom):
        return freedom

    def logarithms(inverse: NDArray[np.float64]) -> Any:
        return np.array([log(upper_quantile(tail, 1 / point)) for point in inverse.tolist()])

    domain = (min(0.5, 1 / float(freedom.max())), 1.0)
    fitted = np.polynomial.Chebyshev.interpolate(logarithms, DEGREE, domain)
    return np.asarray(np.exp(fitted(1 / freedom)))


def two_sided_p(value: float, freedom: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as `value`.

    >>> round(two_sided_p(-2.262, 9), 4)
    0.05
    """
    density = _density(abs(value), freedom)
    return 2 * _upper_tail(abs(value), freedom, density)


def _density(value: float, freedom: float) -> float:
    """Return the density of Student's t at `value`."""
    decay = exp(-(freedom + 1) / 2 * log1p(value * value / freedom))
    return _density_at_zero(freedom) * decay


def _density_at_zero(freedom: float) -> float:
    """Return the density of Student's t at 0: Γ(n/2 + 1/2) / Γ(n/2) / sqrt(n π)."""
    half = freedom / 2
    if half < SERIES_FROM:
        ratio = gamma(half + 0.5) / gamma(half)
    else:  # the next term of the series is below 1e-16
        ratio = sqrt(half) * exp(-1 / (8 * half) + 1 / (192 * half**3) - 1 / (640 * half**5))
    return ratio / sqrt(freedom * pi)


def _upper_tail(value: float, freedom: float, density: float) -> float:
    """Return the probability that Student's t exceeds `value`, which has the given density.

    The probability is I(n / (n + t²); n/2, 1/2) / 2. The factor before the continued fraction of I
    is a multiple of the density. Where the fraction converges slowly, 1 - I is computed instead.
    """
    half, square = freedom / 2, value * value
    share = freedom / (freedom + square)
    if share < (half + 1) / (half + 2.5):
        return density * value / freedom * _beta_fraction(half, 0.5, share)
    return 0.5 - density * value * _beta_fraction(0.5, half, square / (freedom + square))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction F in I(x; a, b) = x^a (1 - x)^b F / (a B(a, b)).

    The method of Lentz computes it from its beginning: each step multiplies the value by a ratio of
    successive numerators and a ratio of successive denominators.
    """
    value, numerator, denominator, step = 1.0, 1.0, 0.0, 0
    while True:
        m = step // 2
        if step % 2:
            term = (m + 1) * (b - m - 1) * x / ((a + step) * (a + step + 1))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + step) * (a + step + 1))
        step += 1
        numerator, denominator = 1 + term / numerator, 1 / (1 + term * denominator)
        change = numerator * denominator
        value *= change
        if abs(change - 1) <= PRECISION:
            return 1 / value


# Means of repeated trials with their intervals, and lines fitted through points.
#
# An interval over trials describes the effect of the random draws: the mean that other seeds would
# give on the same corpus. It does not describe the effect of another corpus; for that, the rows
# are resampled (`misword.stat.correlation.pearson_resamples`).

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean and its interval; nan where it is undefined."""

    value: float
    low: float
    high: float

    def divided_by(self, divisor: float) -> MeanInterval:
        """Divide the mean and its interval by a constant; nan if that is 0."""
        if not divisor:
            return MeanInterval(np.nan, np.nan, np.nan)
        low, high = sorted((self.low / divisor, self.high / divisor))
        return MeanInterval(self.value / divisor, low, high)


@dataclass(frozen=True, slots=True)
class Line:
    """A line fitted by least squares, and the share of the variance that it explains."""

    slope: float
    intercept: float
    r2: float


def mean_of(trials: ArrayLike, confidence: float = 0.95) -> MeanInterval:
    """Compute the mean over trials with Student's t interval; nan bounds for a single trial.

    >>> mean = mean_of([1, 2, 3])
    >>> mean.value, round(mean.low, 3), round(mean.high, 3)
    (2.0, -0.484, 4.484)
    """
    values = np.asarray(trials, np.float64)
    size, middle = len(values), float(values.mean()) if len(values) else np.nan
    if size < 2:
        return MeanInterval(middle, np.nan, np.nan)
    quantile = upper_quantile((1 - confidence) / 2, size - 1)
    half = float(quantile * values.std(ddof=1) / size**0.5)
    return MeanInterval(middle, middle - half, middle + half)


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
