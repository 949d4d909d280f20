"""Judgements of people and the rates of metrics for the same texts: read, scored and checked."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.asr.people.agree import corpus_of, corpus_of_rated, read_triplets_or_ratings
from misword.asr.people.blend_file import utterance_rates
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.formatting import counted, listed
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.files.sources import open_source
from misword.io.judgements import RATING_COLUMNS, TRIPLET_COLUMNS, pairs_of, shape_pairs
from misword.io.transcripts.columns import MissingColumnError, in_memory
from misword.stat.regression import Prior, linear_weights, logistic_weights

# Judgements of people and rates of metrics, from which weights are learnt.
#
# Choices and direct ratings are two kinds of judgements. Both give a matrix of features, one
# column per metric, in which higher means better: the weighted sum of a row is what a blend
# predicts. Everything that reads only rows, such as folds, the learning curve and the selection of
# metrics, works for both kinds.

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]

# How strongly the proportions of the weights are regularised towards the prior
# (`stat.regression.Prior`). A learnt prior is stronger than the default prior, by which all metrics
# have the same influence. `tools/simulate_prior.py` measures both.
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
        """Return the loss of each of `rows` for weights that were learnt from other rows."""

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


# The judgements of a file or table, scored by metrics and checked.

# Weights of fewer judgements would be those of the prior.
LEAST = 20


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTexts:
    """A table of judgements, before it is scored.

    `frame` has the columns that `io.judgements` reads: of triplets for choices, of scored pairs for
    ratings.
    """

    frame: pl.DataFrame
    are_choices: bool

    @property
    def corpus(self) -> Corpus:
        """The texts as a corpus; of choices, both hypotheses are systems."""

        return corpus_of(self.frame) if self.are_choices else corpus_of_rated(self.frame)


def read_judgements(source: Any, columns: Sequence[str] | None, format: str | None) -> JudgedTexts:
    """Read choices or ratings: from a file, a table, or a function that returns one of these.

    Five columns are choices: a reference, two hypotheses and the votes for each. Three are ratings:
    a reference, a hypothesis and a number. Six are those of several raters, whose mean is taken.
    """
    if callable(source):
        source = source()
    if isinstance(source, JudgedTexts):
        return source
    if columns is not None and len(columns) not in (3, 5, 6):
        raise OptionError(
            f"{len(columns)} columns are named",
            fix=f"five for choices ({','.join(TRIPLET_COLUMNS)}), three for ratings (reference,"
            f"hypothesis,score), six for those of several raters ({','.join(RATING_COLUMNS)})",
        )
    # Standard input can be read only once.
    opened = open_source(source) if isinstance(source, str | os.PathLike) else None

    def choices() -> JudgedTexts:
        given = source if opened is None else opened
        read = read_triplets_or_ratings(given, columns, format, "choices")
        if read.ratings is None:
            return JudgedTexts(read.triplets, True)
        return JudgedTexts(read.ratings.means(), False)

    def ratings() -> JudgedTexts:
        if opened is not None:
            return JudgedTexts(pairs_of(opened, columns, format), False)
        return JudgedTexts(shape_pairs(*in_memory(source, "ratings"), columns), False)

    return _first_that_reads(choices, ratings, columns)


def _first_that_reads(
    choices: Callable[[], JudgedTexts],
    ratings: Callable[[], JudgedTexts],
    columns: Sequence[str] | None,
) -> JudgedTexts:
    """Read a table as choices, or as ratings if it has no such columns.

    If it is neither, the error is that of the kind whose columns it has.
    """
    if columns is not None:
        return ratings() if len(columns) == 3 else choices()
    try:
        return choices()
    except MiswordError as no_choices:
        try:
            return ratings()
        except MiswordError as no_ratings:
            has_ratings = not isinstance(no_ratings, MissingColumnError)
            are_ratings = isinstance(no_choices, MissingColumnError) and has_ratings
            raise (no_ratings if are_ratings else no_choices) from None


def judge(
    texts: JudgedTexts, pairs: Pairs, metrics: dict[str, Metric], *, lower_is_better: bool = False
) -> Judgements:
    """Return the judgements with the features of metrics; raise if nothing can be learnt.

    `lower_is_better` says that good hypotheses have low ratings.
    """
    if lower_is_better and texts.are_choices:
        raise OptionError(
            "--lower-is-better is for ratings, and these are choices", fix="leave it out"
        )
    rates = utterance_rates(metrics.values(), pairs)
    size, names = len(texts.frame), tuple(metrics)
    first = texts.frame["reference" if texts.are_choices else "a"]
    references = first.rank("dense").to_numpy().astype(np.int64) - 1
    judgements: Judgements
    if texts.are_choices:
        votes = texts.frame.select("votes_a", "votes_b").to_numpy()
        judgements = Choices(names, rates[size:] - rates[:size], references, votes)
        usable = int(np.count_nonzero(judgements.sides))
        _check_votes(usable, size)
    else:
        ratings = texts.frame["score"].to_numpy().astype(np.float64)
        judgements = Ratings(names, -rates, references, -ratings if lower_is_better else ratings)
        usable = size
        _check_ratings(ratings)
    if usable < LEAST:
        raise InputError(
            f"weights cannot be learnt from {counted(usable, 'judgement')}",
            fix=f"collect {LEAST} or more; fifty are enough for four metrics",
        )
    _check_features(judgements)
    return judgements


def _check_votes(decided: int, size: int) -> None:
    if size and not decided:
        raise InputError(
            f"all {size:,} choices have as many votes for either hypothesis",
            fix="weights are learnt from choices with a majority",
        )


def _check_ratings(ratings: Vector) -> None:
    if len(ratings) and not np.ptp(ratings):
        raise InputError(
            f"all {counted(len(ratings), 'rating')} are equal",
            fix="weights are learnt from ratings that differ",
        )


def _check_features(judgements: Judgements) -> None:
    """Raise if a metric is constant over all judgements, or if all have the same reference."""
    spread = np.ptp(judgements.features, axis=0)
    if isinstance(judgements, Choices):
        spread = np.abs(judgements.features).max(axis=0)
    constant = [
        metric for metric, width in zip(judgements.metrics, spread, strict=True) if width <= 1e-12
    ]
    if constant:
        one = len(constant) == 1
        says = "says" if one else "say"
        raise InputError(
            f"{listed(constant)} {says} the same of all judgements and can have no weight",
            fix=f"leave {'it' if one else 'them'} out of --metrics",
        )
    if judgements.references.max() == 0:
        raise InputError(
            "all judgements have the same reference",
            fix="folds are made of references: add judgements of other references",
        )
