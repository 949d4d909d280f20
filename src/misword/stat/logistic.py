"""Logistic regression with a quadratic penalty (ridge), fitted by Newton steps.

The weights minimise the sum of the logistic losses plus `strength / 2 * |weights|^2`. Features are
first scaled to mean 0 and standard deviation 1, so that the penalty treats them alike; the
intercept has no penalty.

Reference: S. le Cessie, J. C. van Houwelingen, Ridge estimators in logistic regression, Applied
Statistics 41, 1992.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.io.files.schema import list_of, number, record

Vector = NDArray[np.float64]

STEPS = 100
HALVINGS = 40
# The search ends when a step would lower the loss by less than this share of it.
TOLERANCE = 1e-12
SCHEMA = record(
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
        """Return the numbers of the model, as JSON can store them (`SCHEMA`)."""
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
    point = _minimise(design, labels, penalty)
    return LogisticModel(means, scales, point[:-1], float(point[-1]))


def _minimise(design: Vector, labels: Vector, penalty: Vector) -> Vector:
    """Return the weights, the intercept last, by Newton steps with a line search."""
    signs = 2 * labels - 1

    def loss(at: Vector) -> float:
        values = np.logaddexp(0, -signs * (design @ at))
        return float(values.sum() + at @ (penalty * at) / 2)

    share = labels.mean()
    point = np.append(np.zeros(design.shape[1] - 1), np.log(share / (1 - share)))
    current = loss(point)
    for _ in range(STEPS):
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
    loss: Callable[[Vector], float], current: float, point: Vector, step: Vector
) -> tuple[Vector, float]:
    """Halve the step until the loss falls."""
    for _ in range(HALVINGS):
        tried = point + step
        if (lower := loss(tried)) < current:
            return tried, lower
        step = step / 2
    return point, current
