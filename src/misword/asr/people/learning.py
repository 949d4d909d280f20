"""Learn weights, and measure the blend on judgements that are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.people.agree import TOLERANCE
from misword.asr.people.judgements import Choices, Judgements, Ratings, Rows, Vector
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.stat.bootstrap import Bootstrap, Levels, interval, percentiles, widened
from misword.stat.correlation import COEFFICIENTS, correlation, pearson
from misword.stat.measure import ratio_of_terms
from misword.stat.paired import by_block, holm, paired

# Predictions of a blend for judgements that it was not learnt from (cross-validation).

# Returns the weights that are learnt from the given rows.
Learn = Callable[[Rows], Vector]


def splits(references: Rows, folds: int, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows to learn from and the rows to test, for each of several folds.

    All judgements of one reference are in the same fold.

    >>> learn, test = next(splits(np.array([0, 0, 1, 2]), 3, np.random.default_rng(0)))
    >>> sorted([*learn.tolist(), *test.tolist()])
    [0, 1, 2, 3]
    """
    count = int(references.max()) + 1
    fold = rng.permutation(count)[references] % folds
    for number in range(min(folds, count)):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def held_out(
    judgements: Judgements, learn: Learn, *, folds: int, repeats: int, seed: int
) -> NDArray[np.float64]:
    """Return predictions for every judgement by weights that were learnt from other references.

    There is one row for each repeat, a new division into folds. `learn` reads only the rows that
    it is given: scaling, selection and weights know nothing of the test fold. Weights add up to 1,
    so that predictions of several folds have one scale.
    """
    rng = np.random.default_rng(seed)
    predictions = np.empty((repeats, len(judgements)))
    for repeat in range(repeats):
        for rows, test in splits(judgements.references, folds, rng):
            weights = proportions(learn(rows))
            predictions[repeat, test] = judgements.features[test] @ weights
    return predictions


def proportions(weights: Vector) -> Vector:
    """Return weights that add up to 1; all 0 if no weight is above 0.

    >>> proportions(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else weights)


# How often blends, metrics and single voters choose as the majority of people does.

BLEND, VOTER = "blend", "one voter"


def majorities(choices: Choices) -> Vector:
    """Return the share of votes for the majority; -1 for equal votes, which no level contains."""
    votes = choices.votes
    shares = votes.max(axis=1) / np.maximum(votes.sum(axis=1), 1)
    return np.where(choices.sides != 0, shares, -1.0)


def credit(predictions: Vector, sides: Vector) -> tuple[Vector, Vector]:
    """Return whether predictions agree with the majority, and whether they are ties.

    A prediction that differs from 0 by at most TOLERANCE is a tie.

    >>> right, tied = credit(np.array([0.2, -0.1, 0.0]), np.array([1.0, 1.0, -1.0]))
    >>> right.tolist(), tied.tolist()
    ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    """
    tied = np.abs(predictions) <= TOLERANCE
    right = ~tied & (np.sign(predictions) == sides)
    return right.astype(np.float64), tied.astype(np.float64)


def agreements(choices: Choices, predictions: Vector, rows: Rows, levels: Vector) -> Vector:
    """Return the share of some rows in which predictions agree with people, for each level.

    `predictions` has a value for each of the rows.
    """
    right, _ = credit(predictions, choices.sides[rows])
    shares = majorities(choices)[rows]
    included = [shares >= max(level, 0.0) for level in levels]
    return np.array([right[rows_in].mean() if rows_in.any() else np.nan for rows_in in included])


def agreement_rows(
    choices: Choices, held_out: Vector, levels: Mapping[str, float], bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for the blend, each metric and one voter, at each level of consensus.

    `held_out` has the predictions of the blend, one row for each repeat; its agreement is the mean
    over repeats. Intervals and tests are over references. `p` is that of the difference from the
    blend, adjusted for the number of metrics.
    """
    sides = choices.sides
    repeated = [credit(values, sides) for values in held_out]
    right, tied = (np.mean([each[at] for each in repeated], axis=0) for at in (0, 1))
    columns = {BLEND: (right, tied)}
    for at, metric in enumerate(choices.metrics):
        columns[metric] = credit(choices.features[:, at], sides)
    rows = []
    for name, least in levels.items():
        included = np.flatnonzero(majorities(choices) >= max(least, 0.0))
        part = _ConsensusLevel(choices.references[included], bootstrap)
        at_level = [
            {
                "metric": metric,
                "consensus": name,
                "least": least,
                **part.shares(r[included], t[included]),
            }
            for metric, (r, t) in columns.items()
        ]
        tests = [
            part.p(right[included], columns[metric][0][included]) for metric in choices.metrics
        ]
        for row, p in zip(at_level, [np.nan, *holm(tests)], strict=True):
            row["p"] = float(p)
        if (voter := voter_credit(choices.votes[included])) is not None:
            shares = part.shares(*voter)
            at_level.append(
                {"metric": VOTER, "consensus": name, "least": least, **shares, "p": np.nan}
            )
        rows += at_level
    return sorted(rows, key=lambda row: [BLEND, *choices.metrics, VOTER].index(row["metric"]))


class _ConsensusLevel:
    """The references of the choices that reach one level of consensus."""

    def __init__(self, references: Rows, bootstrap: Bootstrap) -> None:
        self.blocks = np.unique(references, return_inverse=True)[1]
        self.bootstrap = bootstrap

    def terms(self, credit: Vector) -> NDArray[np.float64]:
        """Return the sum of a credit and the number of choices, for each reference."""
        return by_block(np.column_stack([credit, np.ones(len(credit))]), self.blocks)

    def shares(self, right: Vector, tied: Vector) -> dict[str, float]:
        """Return the share of agreement with its interval, with half credit for ties, and ties."""
        if not len(right):
            return {
                "choices": 0,
                **dict.fromkeys(("agreed", "low", "high", "half", "ties"), np.nan),
            }
        low, high = interval(self.terms(right), ratio_of_terms, self.bootstrap)
        agreed, ties = float(right.mean()), float(tied.mean())
        return {
            "choices": len(right), "agreed": agreed, "low": low, "high": high,
            "half": agreed + ties / 2, "ties": ties,
        }  # fmt: skip

    def p(self, blend: Vector, other: Vector) -> float:
        """Return the p-value of the difference of two credits."""
        if not len(blend):
            return float("nan")
        no_resamples = Bootstrap(0)
        return paired(self.terms(blend), self.terms(other), ratio_of_terms, no_resamples).p


def voter_credit(votes: NDArray[np.int64]) -> tuple[Vector, Vector] | None:
    """Return how often a random voter agrees with the majority of the others, for each choice.

    The others may be divided equally: this is a tie. The credit of a tie is one half, because a
    voter has to choose; so the first value already contains it. None if a choice has one vote only.

    >>> right, tied = voter_credit(np.array([[4, 3], [7, 0]]))
    >>> right.round(3).tolist(), tied.tolist()
    ([0.286, 1.0], [0.0, 0.0])
    """
    total = votes.sum(axis=1)
    if (total < 2).any():
        return None
    right = np.zeros(len(votes))
    for own, other in ((0, 1), (1, 0)):
        left = votes[:, own] - 1
        credit = (left > votes[:, other]) + 0.5 * (left == votes[:, other])
        right += votes[:, own] / total * credit
    return right, np.zeros(len(votes))


# How well blends and metrics correlate with direct ratings of people.


def correlation_rows(
    ratings: Ratings, held_out: Vector, bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for the blend and each metric: three coefficients with their intervals.

    `held_out` has the predictions of the blend, one row for each repeat; their mean is used. A
    prediction is high where the rate is low, so a coefficient of 1 is best. Intervals are over
    resamples of the references.
    """
    columns = {BLEND: held_out.mean(axis=0)}
    columns |= {metric: ratings.features[:, at] for at, metric in enumerate(ratings.metrics)}
    rows = []
    for metric, values in columns.items():
        found = correlation(values, ratings.ratings, bootstrap, blocks=ratings.references)
        row: dict[str, Any] = {"metric": metric}
        for name in COEFFICIENTS:
            coefficient = getattr(found, name)
            row |= {name: coefficient.value, f"{name}_low": coefficient.low}
            row[f"{name}_high"] = coefficient.high
        rows.append(row)
    return rows


def correlation_of(ratings: Ratings, predictions: Vector, rows: Rows) -> Vector:
    """Return Pearson's coefficient of the predictions of some rows and their ratings."""
    constant = not predictions.std() or not ratings.ratings[rows].std()
    return np.array([np.nan if constant else pearson(predictions, ratings.ratings[rows])])


# The weights of a blend, with intervals over resamples of the references.


def weight_rows(
    judgements: Judgements, weights: Vector, prior: Vector | None, bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for each metric: its weight, the interval, and its influence.

    The influence is the share of a metric in the predictions of the blend: its weight times the
    size of its features.
    """
    drawn = resampled_weights(judgements, prior, bootstrap)
    influence = proportions(weights * judgements.sizes(np.arange(len(judgements))))
    references = len(np.unique(judgements.references))
    rows = []
    for at, metric in enumerate(judgements.metrics):
        low, high = widened(drawn[:, at], references, bootstrap.confidence)
        shares = {"weight": float(weights[at]), "low": low, "high": high}
        rows.append({"metric": metric, **shares, "influence": float(influence[at])})
    return rows


def resampled_weights(judgements: Judgements, prior: Vector | None, bootstrap: Bootstrap) -> Vector:
    """Return the weights of each resample of the references: an array (resamples, metrics)."""
    rng = np.random.default_rng(bootstrap.seed)
    rows = np.arange(len(judgements))
    count = int(judgements.references.max()) + 1
    drawn = np.empty((bootstrap.times, len(judgements.metrics)))
    with progress("resampling weights", bootstrap.times) as step:
        for number in range(bootstrap.times):
            times = np.bincount(rng.integers(count, size=count), minlength=count)
            drawn_rows = np.repeat(rows, times[judgements.references])
            drawn[number] = proportions(judgements.fit(drawn_rows, prior))
            step(1)
    return drawn


# The smallest set of metrics whose blend is not worse than the best one.
#
# Metrics are removed one by one, always the one without which the loss on held-out folds is lowest.
# Of these sets, the smallest one is chosen that is shown not to be worse than the best one: its
# loss exceeds that of the best set by less than a margin, with 95 % confidence. This is a test of
# non-inferiority: with few judgements, metrics are kept. The margin is a hundredth of the loss
# without any metric.
#
# Reference: S. Wellek, Testing Statistical Hypotheses of Equivalence and Noninferiority, 2010.

FOLDS = 5
MARGIN = 0.01
ONE_SIDED = 1.645  # the 95 % quantile of the normal distribution


@dataclass(frozen=True, slots=True, eq=False)
class SelectionStep:
    """One set of metrics, by number, with the held-out loss of each judgement."""

    metrics: tuple[int, ...]
    losses: Vector

    def excess(self, best: SelectionStep, references: Rows) -> tuple[float, float]:
        """Return the mean loss above that of another set, and its standard error by reference."""
        sums = np.bincount(references, weights=self.losses - best.losses)
        counts = np.bincount(references)
        mean = float(sums.sum() / counts.sum())
        spread = sums - mean * counts
        used = counts > 0
        scale = used.sum() / max(used.sum() - 1, 1)
        return mean, sqrt(scale * float(spread @ spread)) / float(counts.sum())


def smallest_set(
    judgements: Judgements, rows: Rows, proportions: Vector | None, seed: int
) -> tuple[tuple[int, ...], list[SelectionStep]]:
    """Return the chosen metrics, by number, and all sets that were tried on the way down.

    Only the given rows are read.
    """
    part = _SelectionFolds(judgements, rows, proportions, seed)
    current = tuple(range(len(judgements.metrics)))
    steps = [part.step(current)]
    while len(current) > 1:
        smaller = [tuple(m for m in current if m != left) for left in current]
        steps.append(min(map(part.step, smaller), key=lambda step: step.losses.sum()))
        current = steps[-1].metrics
    best = min(steps, key=lambda step: step.losses.sum())
    references = judgements.references[rows]
    for step in reversed(steps):
        mean, error = step.excess(best, references)
        if mean + ONE_SIDED * error <= MARGIN * part.loss_without_metrics():
            return step.metrics, steps
    return best.metrics, steps


def selection_rows(judgements: Judgements, steps: list[SelectionStep]) -> list[dict[str, Any]]:
    """Return a row for each set of metrics: its held-out loss, and that above the best set's."""
    best = min(steps, key=lambda step: step.losses.sum())
    rows = []
    for step in steps:
        mean, error = step.excess(best, judgements.references)
        names = ",".join(judgements.metrics[at] for at in step.metrics)
        loss = {"loss": float(step.losses.mean()), "excess": mean, "standard_error": error}
        rows.append({"metrics": names, "size": len(step.metrics), **loss})
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class _SelectionFolds:
    """Some rows of judgements, divided into the same folds for every set of metrics."""

    judgements: Judgements
    rows: Rows
    proportions: Vector | None
    seed: int

    def loss_without_metrics(self) -> float:
        """Return the mean loss if all weights are 0."""
        nothing = np.zeros(len(self.judgements.metrics))
        return float(self.judgements.losses(nothing, self.rows, self.rows).mean())

    def step(self, metrics: tuple[int, ...]) -> SelectionStep:
        """Return the held-out losses of a set of metrics."""
        chosen = self.judgements.subset(list(metrics))
        prior = None if self.proportions is None else self.proportions[list(metrics)]
        losses = np.zeros(len(self.rows))
        _, references = np.unique(self.judgements.references[self.rows], return_inverse=True)
        rng = np.random.default_rng(self.seed)
        for learn, test in splits(references, FOLDS, rng):
            from_rows, to_rows = self.rows[learn], self.rows[test]
            weights = chosen.fit(from_rows, prior)
            losses[test] = chosen.losses(weights, from_rows, to_rows)
        return SelectionStep(metrics, losses)


# The learning curve: the quality of blends by the number of judgements.

SIZES = (20, 50, 100, 200, 400, 800, 1600, 3200)
DRAWS = 50
# At least this share of the judgements is kept for the test.
TESTED = 0.2


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The qualities of blends that were learnt from `size` judgements, one row for each draw."""

    size: int
    qualities: NDArray[np.float64]


def learning_curve(
    judgements: Judgements,
    prior: Vector | None,
    quality: Callable[[Vector, Rows], Vector],
    seed: int,
) -> list[CurvePoint]:
    """Learn from random subsets, and test on all judgements of other references.

    The curve ends before the size at which a subset has judgements of all references.

    `quality` returns one or more numbers for the predictions of the given rows.
    """
    rng = np.random.default_rng(seed)
    points = []
    for size in SIZES:
        if size > (1 - TESTED) * len(judgements):
            break
        subsets = [rng.permutation(len(judgements))[:size] for _ in range(DRAWS)]
        tests = [_unseen(judgements, rows) for rows in subsets]
        if not all(map(len, tests)):
            break
        qualities = []
        for rows, test in zip(subsets, tests, strict=True):
            weights = proportions(judgements.fit(rows, prior))
            qualities.append(quality(judgements.features[test] @ weights, test))
        points.append(CurvePoint(size, np.array(qualities)))
    return points


def _unseen(judgements: Judgements, rows: Rows) -> Rows:
    """Return all judgements whose references are not among those of some rows."""
    return np.flatnonzero(~np.isin(judgements.references, judgements.references[rows]))


# Weights and their quality, together.

# The rows of a table.
Table = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """How a blend is learnt and measured: folds, selection, levels of consensus, resamples."""

    folds: int
    repeats: int
    select: bool
    levels: Mapping[str, float]
    bootstrap: Bootstrap

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise OptionError(f"folds is {self.folds}", fix="use 2 or more, such as 10")
        if self.repeats < 1:
            raise OptionError(f"repeats is {self.repeats}", fix="use 1 or more, such as 10")

    @property
    def settings(self) -> dict[str, Any]:
        """What a result says about the measurement."""
        own = {"folds": self.folds, "repeats": self.repeats, "select": self.select}
        return {**own, "consensus": list(self.levels.values()), **self.bootstrap.settings}


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """The weights of a blend and the rows of the tables about it.

    `shares` are the weights of `metrics`; they add up to 1. `predictions` are those of weights that
    were learnt from other references, a row for each repeat. `slope` is that of `Blend`.
    """

    metrics: tuple[str, ...]
    shares: Vector
    slope: float
    predictions: Vector
    quality: Table
    weight_rows: Table
    curve: Table
    selection: Table


def learn_blend(judged: Judgements, prior: Vector | None, plan: LearningPlan) -> Learnt:
    """Learn a blend from all judgements, and measure it by cross-validation."""
    seed = plan.bootstrap.seed
    chosen, selection = list(range(len(judged.metrics))), []
    if plan.select:
        smallest, steps = smallest_set(judged, np.arange(len(judged)), prior, seed)
        chosen, selection = list(smallest), selection_rows(judged, steps)
    kept = judged.subset(chosen)
    kept_prior = None if prior is None else prior[chosen]
    weights = kept.fit(np.arange(len(kept)), kept_prior)
    if not weights.any():
        raise InputError(
            "no metric predicts the judgements: all weights are 0",
            fix="check the columns, or try other metrics; if low ratings are better, use "
            "--lower-is-better",
        )
    predictions = held_out(
        judged,
        lambda rows: learn_weights(judged, rows, prior, seed, select=plan.select),
        folds=plan.folds,
        repeats=plan.repeats,
        seed=seed,
    )
    shares = proportions(weights)
    return Learnt(
        kept.metrics,
        shares,
        float(weights.sum()) if isinstance(judged, Choices) else 0.0,
        predictions,
        _quality(judged, predictions, plan),
        weight_rows(kept, shares, kept_prior, plan.bootstrap),
        _curve(kept, kept_prior, plan),
        selection,
    )


def learn_weights(
    judged: Judgements, rows: Rows, prior: Vector | None, seed: int, *, select: bool
) -> Vector:
    """Learn weights from some rows; with `select`, also the set of metrics."""
    if not select:
        return judged.fit(rows, prior)
    chosen = list(smallest_set(judged, rows, prior, seed)[0])
    weights = np.zeros(len(judged.metrics))
    weights[chosen] = judged.subset(chosen).fit(rows, None if prior is None else prior[chosen])
    return weights


def _quality(judged: Judgements, predictions: Vector, plan: LearningPlan) -> Table:
    if isinstance(judged, Choices):
        return agreement_rows(judged, predictions, plan.levels, plan.bootstrap)
    assert isinstance(judged, Ratings)
    return correlation_rows(judged, predictions, plan.bootstrap)


def _curve(judged: Judgements, prior: Vector | None, plan: LearningPlan) -> Table:
    """Return the quality after learning from few judgements: mean and interval of the draws."""
    least = np.array(list(plan.levels.values()))

    def quality(values: Vector, rows: Rows) -> Vector:
        if isinstance(judged, Choices):
            return agreements(judged, values, rows, least)
        assert isinstance(judged, Ratings)
        return correlation_of(judged, values, rows)

    names = list(plan.levels) if isinstance(judged, Choices) else ["pearson"]
    tail = (1 - plan.bootstrap.confidence) / 2
    draws = Levels(tail, 1 - tail)
    rows = []
    for point in learning_curve(judged, prior, quality, plan.bootstrap.seed):
        for name, values in zip(names, point.qualities.T, strict=True):
            # A level of consensus without choices has no agreement.
            defined = values[~np.isnan(values)]
            mean, low, high = np.nan, np.nan, np.nan
            if len(defined):
                mean, (low, high) = float(defined.mean()), percentiles(defined, draws)
            row = {"judgements": point.size, "measure": name, "mean": mean}
            rows.append({**row, "low": low, "high": high})
    return rows
