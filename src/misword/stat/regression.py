"""Regression by Newton steps: with a ridge penalty, or with weights that are not negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.io.files.strict_json import list_of, number, record

# Logistic regression with a quadratic penalty (ridge), fitted by Newton steps.
#
# The weights minimise the sum of the logistic losses plus `strength / 2 * |weights|^2`. Features
# are first scaled to mean 0 and standard deviation 1, so that the penalty treats them alike; the
# intercept has no penalty.
#
# Reference: S. le Cessie, J. C. van Houwelingen, Ridge estimators in logistic regression, Applied
# Statistics 41, 1992.

Vector = NDArray[np.float64]

NEWTON_STEPS = 100
HALVINGS = 40
# The search ends when a step would lower the loss by less than this share of it.
TOLERANCE = 1e-12
LOGISTIC_SCHEMA = record(
    {
        "means": list_of(number()),
        "scales": list_of(number()),
        "weights": list_of(number()),
        "intercept": number(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """A fitted model: mean, scale and weight of each feature, and the intercept.

    >>> model = LogisticModel(np.zeros(1), np.ones(1), np.array([2.0]), -1.0)
    >>> model.probabilities(np.array([[0.5], [3.0]])).round(3).tolist()
    [0.5, 0.993]
    """

    means: Vector
    scales: Vector
    weights: Vector
    intercept: float

    def logits(self, features: Vector) -> Vector:
        """Return the logarithm of the odds; the last axis of `features` numbers the features."""
        return np.asarray((features - self.means) / self.scales @ self.weights + self.intercept)

    def probabilities(self, features: Vector) -> Vector:
        """Return the probability of the label 1."""
        return sigmoid(self.logits(features))

    def as_json(self) -> dict[str, Any]:
        """Return the numbers of the model, as JSON can store them (`LOGISTIC_SCHEMA`)."""
        arrays = {"means": self.means, "scales": self.scales, "weights": self.weights}
        lists = {name: array.tolist() for name, array in arrays.items()}
        return {**lists, "intercept": self.intercept}

    @classmethod
    def from_json(cls, content: dict[str, Any], features: int) -> LogisticModel:
        """Return the model that `as_json` stored; raise a ValueError if its sizes are wrong."""
        means, scales, weights = (
            np.array(content[name], np.float64) for name in ("means", "scales", "weights")
        )
        if {len(means), len(scales), len(weights)} != {features} or not (scales > 0).all():
            raise ValueError(f"no logistic model of {features} features")
        return cls(means, scales, weights, float(content["intercept"]))


def sigmoid(logits: Vector) -> Vector:
    """Return the probabilities of logits, without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0, -logits)))


def fit_logistic(features: Vector, labels: Vector, strength: float = 1.0) -> LogisticModel:
    """Fit a model; `features` has a row for each example, `labels` are 0 or 1.

    Raises a ValueError if all labels are equal: the intercept would be infinite.

    >>> features = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = fit_logistic(features, np.array([0.0, 0.0, 1.0, 1.0]))
    >>> model.probabilities(features).round(2).tolist()
    [0.22, 0.4, 0.6, 0.78]
    """
    if len(labels) == 0 or (labels == labels[0]).all():
        raise ValueError("examples of both classes are needed")
    means, scales = features.mean(axis=0), features.std(axis=0)
    scales = np.where(scales > 0, scales, 1.0)
    design = np.column_stack([(features - means) / scales, np.ones(len(features))])
    penalty = np.append(np.full(features.shape[1], strength), 0.0)
    point = _minimise_logistic(design, labels, penalty)
    return LogisticModel(means, scales, point[:-1], float(point[-1]))


def _minimise_logistic(design: Vector, labels: Vector, penalty: Vector) -> Vector:
    """Return the weights, the intercept last, by Newton steps with a line search."""
    signs = 2 * labels - 1

    def loss(at: Vector) -> float:
        values = np.logaddexp(0, -signs * (design @ at))
        return float(values.sum() + at @ (penalty * at) / 2)

    share = labels.mean()
    point = np.append(np.zeros(design.shape[1] - 1), np.log(share / (1 - share)))
    current = loss(point)
    for _ in range(NEWTON_STEPS):
        likely = sigmoid(design @ point)
        gradient = design.T @ (likely - labels) + penalty * point
        weighted = design * (likely * (1 - likely))[:, None]
        step = -np.linalg.solve(design.T @ weighted + np.diag(penalty + 1e-12), gradient)
        if -gradient @ step <= TOLERANCE * current:
            break
        point, lower = _line_search(loss, current, point, step)
        if lower >= current:
            break
        current = lower
    return point


def _line_search(
    loss: Callable[[Vector], float],
    current: float,
    point: Vector,
    step: Vector,
    least: float = -np.inf,
) -> tuple[Vector, float]:
    """Halve the step until the loss falls; what would be below `least` is `least`."""
    for _ in range(HALVINGS):
        tried = np.maximum(point + step, least)
        if (lower := loss(tried)) < current:
            return tried, lower
        step = step / 2
    return point, current


# Weights that are not negative: logistic and linear regression, drawn towards a prior direction.
#
# The weights `w` minimise a loss plus `strength / 2 * |w - c * direction|^2` over `w >= 0` and `c
# >= 0`. The penalty leaves the size of the weights free (`c` is fitted too) and draws their
# proportions towards those of `direction`: where the data say little, the proportions are those of
# the prior. The problem is convex and has few variables. It is solved by projected Newton steps.
#
# Reference: D. P. Bertsekas, Projected Newton methods for optimization problems with simple
# constraints, SIAM Journal on Control and Optimization 20, 1982.

# From the predictions of all rows: the loss of each row and its first and second derivative.
Loss = Callable[[Vector], tuple[Vector, Vector, Vector]]

PROJECTED_STEPS = 200


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

    return _minimise_nonnegative(features, loss, prior)


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

    return _minimise_nonnegative(features, loss, prior)


def _minimise_nonnegative(features: Vector, loss: Loss, prior: Prior) -> Vector:
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
    for _ in range(PROJECTED_STEPS):
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
        point, lower = _line_search(value, current, point, step, least=0.0)
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
