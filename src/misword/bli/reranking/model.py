"""A reranker: what was learnt about right and wrong candidates, stored with a mapping."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.io.files.strict_json import integer, list_of, mapping_of, number, record, text
from misword.stat import regression
from misword.stat.regression import LogisticModel, fit_logistic, sigmoid

# Numbers by headword, candidate and feature; probabilities and logits by headword and candidate.
Features = NDArray[np.float64]
Probabilities = NDArray[np.float64]
RightFlags = NDArray[np.bool_]

ALL, WITHOUT_SPELLING = "all", "without spelling"
LARGEST_LOGIT = 30.0  # of rivals, so that their odds can be added up
RIVAL_FEATURES = 3
# Fields of a `Reranker` that the file has as they are.
FACTS = ("candidates", "headwords", "folds", "strength", "lexicon")
SCHEMA = record(
    {
        "candidates": integer(1, 1000),
        "headwords": integer(1),
        "folds": integer(1),
        "strength": number(0),
        "lexicon": text(),
        "models": mapping_of(
            record(
                {
                    "features": list_of(text()),
                    "candidates": regression.LOGISTIC_SCHEMA,
                    "rivals": regression.LOGISTIC_SCHEMA,
                }
            )
        ),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class ListModel:
    """The probability of each candidate of a list, in two steps.

    The first model gives each candidate a logit from its own features. The second model turns this
    logit into a probability, given the logits of the rivals, the other candidates of the list: if
    a rival is very likely, the candidate is less likely. `features` are the names of the features
    of the first model.
    """

    features: tuple[str, ...]
    candidates: LogisticModel
    rivals: LogisticModel

    @classmethod
    def fit(
        cls, names: tuple[str, ...], features: Features, right: RightFlags, strength: float
    ) -> ListModel:
        """Learn both models from lists of candidates of which it is known which are right."""
        labels = right.ravel().astype(np.float64)
        first = fit_logistic(features.reshape(-1, len(names)), labels, strength)
        with_rivals = rival_features(first.logits(features))
        second = fit_logistic(with_rivals.reshape(-1, RIVAL_FEATURES), labels, strength)
        return cls(names, first, second)

    def probabilities(self, features: Features) -> Probabilities:
        """Return the probability that each candidate is right; a row for each list."""
        return sigmoid(self.rivals.logits(rival_features(self.candidates.logits(features))))


@dataclass(frozen=True, slots=True, eq=False)
class Reranker:
    """Models of right candidates, and what they were learnt from.

    `candidates` is the length of the lists, `headwords` the number of lists, `folds` the number of
    parts for cross-fitting, `strength` the penalty of the weights, `lexicon` the digest of the
    lexicon. `models` has the model with all features and the model without those of spelling.
    """

    candidates: int
    headwords: int
    folds: int
    strength: float
    lexicon: str
    models: Mapping[str, ListModel]

    def model(self, spelling: bool) -> ListModel:
        """Return the model with all features, or the one without those of spelling."""
        return self.models[ALL if spelling else WITHOUT_SPELLING]

    @property
    def digest(self) -> str:
        """A hash of all numbers, which identifies the reranker in signatures."""
        return sha256(json.dumps(self.as_json(), sort_keys=True).encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON can store it (`SCHEMA`)."""
        models = {
            name: {
                "features": list(model.features),
                "candidates": model.candidates.as_json(),
                "rivals": model.rivals.as_json(),
            }
            for name, model in self.models.items()
        }
        return {**{name: getattr(self, name) for name in FACTS}, "models": models}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Reranker:
        """Return the reranker that `as_json` stored.

        Raises a ValueError if a model is missing or its sizes are wrong.
        """
        if not {ALL, WITHOUT_SPELLING} <= set(content["models"]):
            raise ValueError("a model of the reranker is missing")
        models = {
            name: ListModel(
                tuple(stored["features"]),
                LogisticModel.from_json(stored["candidates"], len(stored["features"])),
                LogisticModel.from_json(stored["rivals"], RIVAL_FEATURES),
            )
            for name, stored in content["models"].items()
        }
        return cls(**{name: content[name] for name in FACTS}, models=models)


def rival_features(logits: Features) -> Features:
    """Return for each candidate its logit, the square of it, and the rivals' odds.

    The odds of a candidate are exp(logit). The odds of all rivals are added up; the feature is the
    logarithm of one plus this sum.

    >>> rival_features(np.array([[0.0, 0.0]])).round(3).tolist()
    [[[0.0, 0.0, 0.693], [0.0, 0.0, 0.693]]]
    """
    odds = np.exp(np.minimum(logits, LARGEST_LOGIT))
    rivals = np.maximum(odds.sum(axis=-1, keepdims=True) - odds, 0.0)
    return np.stack([logits, logits**2, np.log1p(rivals)], axis=-1)
