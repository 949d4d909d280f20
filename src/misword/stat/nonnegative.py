"""Weights that are not negative: logistic and linear regression, drawn towards a prior direction.

The weights `w` minimise a loss plus `strength / 2 * |w - c * direction|^2` over `w >= 0` and
`c >= 0`. The penalty leaves the size of the weights free (`c` is fitted too) and draws their
proportions towards those of `direction`: where the data say little, the proportions are those of
the prior. The problem is convex and has few variables. It is solved by projected Newton steps.

Reference: D. P. Bertsekas, Projected Newton methods for optimization problems with simple
constraints, SIAM Journal on Control and Optimization 20, 1982.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# From the predictions of all rows: the loss of each row and its first and second derivative.
Loss = Callable[[Vector], tuple[Vector, Vector, Vector]]

STEPS = 200
HALVINGS = 40
# The search ends when a step would lower the loss by less than this share of it.
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The proportions that weights are drawn to, and how strongly.

    A strength of 0 gives plain regression. The curvature of the logistic loss is at most a quarter
    per row, so for features of unit size a strength of 3 counts as much as 12 rows or more.
    """

    direction: Vector
    strength: float


def logistic_weights(features: Vector, prior: Prior) -> Vector:
    """Return the weights with which `features @ weights` is positive as often as possible.

    Each row of `features` is a choice, turned so that a positive value favours what was chosen.

    >>> features = np.array([[1.0, -1.0], [2.0, 0.5], [1.0, 3.0], [-0.5, -1.0]])
    >>> prior = Prior(np.ones(2), 1.0)
    >>> logistic_weights(features, prior).round(3).tolist()
    [0.971, 0.19]
    """

    def loss(values: Vector) -> tuple[Vector, Vector, Vector]:
        wrong = 1 / (1 + np.exp(np.minimum(values, 700)))
        return np.logaddexp(0, -values), -wrong, wrong * (1 - wrong)

    return _minimise(features, loss, prior)


def linear_weights(features: Vector, targets: Vector, prior: Prior) -> Vector:
    """Return the weights with which `features @ weights` is nearest to the targets.

    >>> features = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> targets, prior = np.array([2.0, 1.0, 3.0]), Prior(np.ones(2), 0.0)
    >>> linear_weights(features, targets, prior).round(6).tolist()
    [2.0, 1.0]
    """

    def loss(values: Vector) -> tuple[Vector, Vector, Vector]:
        off = values - targets
        return off * off / 2, off, np.ones(len(off))

    return _minimise(features, loss, prior)


def _minimise(features: Vector, loss: Loss, prior: Prior) -> Vector:
    """Return the weights by projected Newton steps over the weights and the prior's size."""
    count = features.shape[1]
    penalty = _penalty(prior)
    # Predictions begin with the size 1: with larger ones, the logistic loss has no curvature.
    size = float(np.sqrt(np.mean((features @ prior.direction) ** 2))) if len(features) else 1.0
    point = np.append(prior.direction, 1.0) / (size or 1.0)

    def value(at: Vector) -> float:
        losses = loss(features @ at[:count])[0]
        return float(losses.sum() + at @ penalty @ at / 2)

    current = value(point)
    for _ in range(STEPS):
        _, slopes, curvatures = loss(features @ point[:count])
        gradient, curvature = penalty @ point, penalty.copy()
        gradient[:count] += features.T @ slopes
        curvature[:count, :count] += features.T @ (curvatures[:, None] * features)
        free = (point > 0) | (gradient < 0)
        if not free.any():
            break
        step = np.zeros_like(point)
        step[free] = -_solve(curvature[np.ix_(free, free)], gradient[free])
        if -gradient @ step <= TOLERANCE * abs(current):
            break
        point, lower = _line_search(value, current, point, step)
        if lower >= current:
            break
        current = lower
    return point[:count]


def _penalty(prior: Prior) -> Vector:
    """Return the matrix of the penalty as a quadratic form of the weights and the prior's size."""
    towards = np.column_stack([np.eye(len(prior.direction)), -prior.direction])
    return np.asarray(prior.strength * towards.T @ towards)


def _solve(matrix: Vector, vector: Vector) -> Vector:
    """Solve a system whose matrix may be singular, as where two features are equal."""
    ridge = 1e-10 * (np.trace(matrix) / len(matrix) + 1e-300)
    return np.asarray(np.linalg.solve(matrix + ridge * np.eye(len(matrix)), vector))


def _line_search(
    value: Callable[[Vector], float], current: float, point: Vector, step: Vector
) -> tuple[Vector, float]:
    """Halve the step until the loss falls; what would be negative is 0."""
    for _ in range(HALVINGS):
        tried = np.maximum(point + step, 0.0)
        if (lower := value(tried)) < current:
            return tried, lower
        step = step / 2
    return point, current
