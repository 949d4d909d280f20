"""Learn weights, and measure the blend on judgements that are held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from misword.asr.blending.choice_quality import agreement_rows, agreements
from misword.asr.blending.cross_validation import held_out, proportions
from misword.asr.blending.judgements import Choices, Judgements, Ratings, Rows, Vector
from misword.asr.blending.learning_curve import learning_curve
from misword.asr.blending.rating_quality import correlation_of, correlation_rows
from misword.asr.blending.selection import selection_rows, smallest_set
from misword.asr.blending.weights import weight_rows
from misword.core.errors import InputError, OptionError
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import Levels, percentiles

# The rows of a table.
Table = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Plan:
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


def learn_blend(judged: Judgements, prior: Vector | None, plan: Plan) -> Learnt:
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
            "people do not judge by any of these metrics: all weights are 0",
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


def _quality(judged: Judgements, predictions: Vector, plan: Plan) -> Table:
    if isinstance(judged, Choices):
        return agreement_rows(judged, predictions, plan.levels, plan.bootstrap)
    assert isinstance(judged, Ratings)
    return correlation_rows(judged, predictions, plan.bootstrap)


def _curve(judged: Judgements, prior: Vector | None, plan: Plan) -> Table:
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
