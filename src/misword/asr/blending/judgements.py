"""People's judgements beside the rates of metrics, from which weights are learnt.

Choices and direct ratings are two kinds of judgements. Both give a matrix of features, one column
per metric, in which higher means better: the weighted sum of a row is what a blend predicts.
Everything that reads only rows, such as folds, the learning curve and the selection of metrics,
works for both kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from misword.stat.nonnegative import Prior, linear_weights, logistic_weights

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]

# How strongly the proportions of the weights are drawn to the prior (`stat.nonnegative.Prior`).
# Weights that were learnt from people say more than the guess that all metrics have the same
# influence. `tools/simulate_prior.py` measures both.
STRENGTH = 3.0
STRENGTH_OF_LEARNT = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Judgements(ABC):
    """Judgements of people and the features of metrics.

    `metrics` are the specs of the metrics; `features` has a row for each judgement. `references`
    numbers the reference of each judgement from 0: judgements of one reference are not
    independent, so folds and resamples keep them together.
    """

    metrics: tuple[str, ...]
    features: Vector
    references: Rows

    def __len__(self) -> int:
        return len(self.features)

    @abstractmethod
    def learn(self, rows: Rows, prior: Prior) -> Vector:
        """Return the weights for the rows, in which features have the size 1."""

    @abstractmethod
    def losses(self, weights: Vector, learnt_from: Rows, rows: Rows) -> Vector:
        """Return how poorly weights that were learnt from some rows fit others; 0 is best."""

    def sizes(self, rows: Rows) -> Vector:
        """Return the root mean square of each feature; 1 for a constant one."""
        sizes = np.sqrt((self.features[rows] ** 2).mean(axis=0))
        return np.asarray(np.where(sizes > 0, sizes, 1.0))

    def fit(self, rows: Rows, proportions: Vector | None = None) -> Vector:
        """Learn the weight of each metric from some rows; nothing else of the data is read.

        A row that is given twice counts twice. `proportions` are the weights of a prior, for rates
        as they are. Without them, the prior gives all metrics the same influence: the weight of
        each is the inverse of its size.
        """
        sizes = self.sizes(rows)
        direction = np.ones(len(sizes)) if proportions is None else proportions * sizes
        direction = direction * sqrt(len(direction) / max(float(direction @ direction), 1e-300))
        strength = STRENGTH if proportions is None else STRENGTH_OF_LEARNT
        return self.learn(rows, Prior(direction, strength)) / sizes

    def subset(self, metrics: list[int]) -> Judgements:
        """Return the same judgements with only some of the metrics, by number."""
        chosen = tuple(self.metrics[at] for at in metrics)
        return replace(self, metrics=chosen, features=self.features[:, metrics])


@dataclass(frozen=True, slots=True, eq=False)
class Choices(Judgements):
    """Choices between two hypotheses, `a` and `b`.

    A feature is the rate of `b` minus the rate of `a`: positive where the metric prefers `a`.
    `votes` has the votes for `a` and for `b`. Weights are learnt from the choice of the majority;
    choices with equal votes are not used.
    """

    votes: NDArray[np.int64]

    @property
    def sides(self) -> Vector:
        """1 where most people chose `a`, -1 for `b`, 0 for equal votes."""
        return np.asarray(np.sign(self.votes[:, 0] - self.votes[:, 1]), np.float64)

    def learn(self, rows: Rows, prior: Prior) -> Vector:
        """Learn by logistic regression without an intercept, since `a` and `b` are exchangeable."""
        turned = self.features[rows] / self.sizes(rows) * self.sides[rows, None]
        decided = self.sides[rows] != 0
        return logistic_weights(turned[decided], prior)

    def losses(self, weights: Vector, learnt_from: Rows, rows: Rows) -> Vector:
        """The logistic loss; equal votes have none."""
        sides = self.sides[rows]
        return np.asarray(np.logaddexp(0, -(self.features[rows] @ weights) * sides) * (sides != 0))


@dataclass(frozen=True, slots=True, eq=False)
class Ratings(Judgements):
    """Direct ratings of hypotheses: `ratings` has one number for each, higher is better.

    A feature is a rate with the sign reversed.
    """

    ratings: Vector

    def learn(self, rows: Rows, prior: Prior) -> Vector:
        """Learn by linear regression with an intercept, over ratings of unit variance."""
        features = self.features[rows] / self.sizes(rows)
        targets = self.ratings[rows]
        # In a fold or a resample, all ratings can be equal: no metric has a weight then.
        standard = (targets - targets.mean()) / (targets.std() or 1.0)
        return linear_weights(features - features.mean(axis=0), standard, prior)

    def losses(self, weights: Vector, learnt_from: Rows, rows: Rows) -> Vector:
        """The squared error in units of the ratings' variance, with the intercept as learnt."""
        before = self.ratings[learnt_from]
        middle = (self.features[learnt_from] @ weights).mean()
        predictions = (self.features[rows] @ weights - middle) * before.std() + before.mean()
        return np.asarray((self.ratings[rows] - predictions) ** 2 / max(before.var(), 1e-300))
