"""The tables of `misword.tune`: rates of choices, weights, folds, curves, stability."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import block_column
from misword.asr.nbest.choice import RANK_1, JudgedHypotheses, in_list_order
from misword.asr.nbest.features import FeatureLists, Numbers, Rows, default_features, feature_values
from misword.asr.nbest.lists import HypothesisLists
from misword.asr.nbest.weight_search import (
    Changes,
    HeldOut,
    RateStretch,
    ResampledWeights,
    TunedWeights,
    stretch_at,
)
from misword.core.errors import OptionError
from misword.core.formatting import listed
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import Measure
from misword.stat.paired import too_few_rows
from misword.stat.score_tables import KEYS
from misword.stat.scores import Scores

# The N-best lists that weights are tuned on or tested on: features, scores and blocks.


@dataclass(frozen=True, slots=True, eq=False)
class TuningData:
    """The hypotheses of one system, list by list, with their features and scores.

    `table` are the scores, a row for each hypothesis, and `texts` the texts, if they are known.
    `names` are the features and `features` their values. `blocks` numbers the lists that belong
    together, such as those of one speaker; without blocks, each list has a number of its own.
    """

    table: pl.DataFrame
    texts: pl.DataFrame | None
    names: tuple[str, ...]
    features: Numbers
    lists: HypothesisLists
    judged: dict[str, JudgedHypotheses]
    blocks: Rows

    @classmethod
    def of(
        cls,
        scores: Scores,
        texts: pl.DataFrame | None,
        names: Sequence[str] | None,
        block: str | None,
    ) -> TuningData:
        """Take the lists of scores; `names` are features (default: all), `block` is a column."""
        if len(scores.systems) > 1:
            raise OptionError(
                f"weights are tuned for one system, and here are {listed(scores.systems)}",
                fix="name one file of N-best lists; to choose one of several systems: --systems",
            )
        columns = scores.features
        chosen = tuple(names) if names is not None else default_features(columns)
        table = in_list_order(scores.table)
        lists = HypothesisLists.of(table["rank"].to_numpy())
        blocks = np.arange(len(lists))
        if block:
            block_column(scores, block)
            named = table[block][lists.first].to_list()
            numbers = {value: number for number, value in enumerate(dict.fromkeys(named))}
            blocks = np.array([numbers[value] for value in named], np.int64)
        judged = JudgedHypotheses.by_label(scores.columns, table)
        features = feature_values(table, chosen, columns, texts)
        return cls(table, texts, chosen, features, lists, judged, blocks)

    def __len__(self) -> int:
        return len(self.lists)

    def feature_lists(self, by: str) -> FeatureLists:
        """Return the lists with their features and the terms of the metric `by`."""
        judged = self.judged[by]
        return FeatureLists(self.features, self.lists.offsets, judged.terms, judged.measure)

    def chosen(self, rows: Rows) -> pl.DataFrame:
        """Return the utterance, system, rank and text of chosen rows; null if it is not known."""

        chosen = self.table[rows].select(KEYS)
        if self.texts is None:
            return chosen.with_columns(text=pl.lit(None, pl.String))
        texts = self.texts.select(*KEYS, pl.col("hypothesis").alias("text"))
        return chosen.join(texts, on=KEYS, how="left", maintain_order="left")


# The rate as a function of one weight, the others fixed: its plateau, and its range within noise.
#
# The first feature that has a positive weight is the unit of the others, so its own weight has no
# curve.

# Weights at which a curve is drawn.
POINTS = 121
# A curve is drawn over the central part of the weights at which a choice changes.
CENTRAL = (0.05, 0.95)
# The step of numerical derivatives, as a share of the sums.
STEP = 1e-5
# An effect that is smaller than this share of the largest is a rounding error.
NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class WeightRange:
    """How far one weight may move: within its plateau, and within noise.

    Within `plateau` the rate does not change. Within `low` to `high` it is not significantly higher
    than at the tuned weight. A range without an end is infinite.
    """

    plateau: RateStretch
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class WeightCurve:
    """Rates over one weight: on the data that it was tuned on, and held out (nan: not known)."""

    weights: Numbers
    rates: Numbers
    held_out: Numbers


def unit_feature(weights: Numbers) -> int:
    """Return the number of the feature whose weight is 1 or -1: the unit of the others."""
    return 0 if weights[0] > 0 else int(np.argmax(np.abs(weights)))


def weight_range(
    lists: FeatureLists, weights: Numbers, feature: int, confidence: float
) -> WeightRange:
    """Return how far the weight of a feature may move while the others stay."""
    changes = Changes.along(lists, weights, np.eye(len(weights))[feature])
    here = float(weights[feature])
    stretch = stretch_at(changes.plateaus(lists.terms), lists.measure, 0.0)
    low, high = _within_noise(lists, weights, changes, confidence)
    plateau = RateStretch(stretch.rate, here + stretch.low, here + stretch.high)
    return WeightRange(plateau, here + min(low, stretch.low), here + max(high, stretch.high))


def _within_noise(
    lists: FeatureLists, weights: Numbers, changes: Changes, confidence: float
) -> tuple[float, float]:
    """Return the positions around 0 between which the rate is not significantly higher.

    The effect of a list is the change of the rate that its other choice makes. On each plateau, the
    sum of the effects is compared with its standard deviation if each effect could as well have the
    other sign, as in a paired permutation test. The smallest effect is subtracted from the sum,
    because the test compares steps (continuity correction). Sums of the effects and of their
    squares are running sums, as those of the terms.
    """
    chosen = lists.choice(weights)
    effects = lists.terms @ _gradient(lists.measure, lists.terms[chosen].sum(axis=0))
    first = effects[changes.first] - effects[chosen]
    after, before = (
        effects[rows] - effects[chosen[changes.lists]] for rows in (changes.rows, changes.before)
    )
    sums = _running(first, after - before)
    squares = _running(np.square(first), np.square(after) - np.square(before))
    sizes = np.abs(np.concatenate([first, after]))
    step = sizes.min(where=sizes > NOISE * sizes.max(), initial=np.inf)
    bound = NormalDist().inv_cdf((1 + confidence) / 2)
    higher = sums - step > bound * np.sqrt(np.maximum(squares, 0))
    starts = np.concatenate([[-np.inf], changes.positions])
    here = int(np.searchsorted(starts, 0.0, side="right")) - 1
    left, right = np.flatnonzero(higher[:here]), np.flatnonzero(higher[here:])
    low = float(starts[left[-1] + 1]) if len(left) else -np.inf
    return low, float(starts[here + right[0]]) if len(right) else np.inf


def _running(first: Numbers, changes: Numbers) -> Numbers:
    return np.concatenate([[first.sum()], changes]).cumsum()


def _gradient(measure: Measure, sums: Statistics) -> Numbers:
    """Return the derivatives of the rate by the sums of its terms; 0 where it is undefined."""
    steps = STEP * np.abs(sums).astype(np.float64)
    changes = measure.rate(sums + np.diag(steps)) - measure.rate(sums - np.diag(steps))
    slopes = np.divide(changes, 2 * steps, out=np.zeros(len(steps)), where=steps > 0)
    return np.asarray(np.nan_to_num(slopes), np.float64)


def weight_curve(
    lists: FeatureLists, weights: Numbers, feature: int, held_out: HeldOut | None
) -> WeightCurve:
    """Return the rate over the weight of a feature; on each fold with the weights of that fold."""
    axis = np.eye(len(weights))[feature]
    changes = Changes.along(lists, weights, axis)
    grid = _grid(changes.positions, float(weights[feature]))
    sums = changes.plateaus(lists.terms).sums_at(grid - weights[feature])
    rates = np.asarray(lists.measure.rate(sums), np.float64)
    return WeightCurve(grid, rates, _held_out_rates(lists, weights, feature, held_out, grid))


def _grid(positions: Numbers, weight: float) -> Numbers:
    """Return weights over the range in which most changes are, the tuned one among them."""
    ends = [weight - 1, weight + 1]
    if len(positions):
        ends = [weight, *(weight + np.quantile(positions, CENTRAL))]
    return np.union1d(np.linspace(min(ends), max(ends), POINTS), [weight])


def _held_out_rates(
    lists: FeatureLists,
    weights: Numbers,
    feature: int,
    held_out: HeldOut | None,
    grid: Numbers,
) -> NDArray[np.float64]:
    """Return rates of all folds together, each with the other weights that were tuned without it.

    They are nan if the weights of a fold have another unit.
    """
    unit = unit_feature(weights)
    if held_out is None or (held_out.weights[:, unit] * weights[unit] <= 0).any():
        return np.full(len(grid), np.nan)
    total: Statistics = np.zeros((len(grid), lists.terms.shape[1]))
    for number, tuned in enumerate(held_out.weights):
        same_unit = tuned / abs(tuned[unit])
        same_unit[feature] = 0.0
        part = lists.take(_fold(held_out, number))
        changes = Changes.along(part, same_unit, np.eye(len(weights))[feature])
        total = total + changes.plateaus(part.terms).sums_at(grid)
    return np.asarray(lists.measure.rate(total), np.float64)


def _fold(held_out: HeldOut, number: int) -> Rows:
    return np.flatnonzero(held_out.fold == number)


# The tables.


Row = dict[str, Any]

# The choices that the table of rates compares, and the data that they are made from.
TUNED, HELD_OUT, ORACLE = "tuned", "held out", "oracle"
TUNING, TEST = "tuning", "test"
# The columns of each table and their types.
NUMBERS = ("rate", "low", "high", "difference", "difference_low", "difference_high", "p")
RANGES = ("low", "high", "noise_low", "noise_high")
SPANS = ("resampled_low", "resampled_high", "fold_low", "fold_high")
SCHEMAS: dict[str, dict[str, type]] = {
    "rates": {
        **dict.fromkeys(("data", "metric", "choice"), str),
        **dict.fromkeys(NUMBERS, float),
        "changed": int,
    },
    "weights": {"feature": str, **dict.fromkeys(("weight", "spread", *RANGES, *SPANS), float)},
    "folds": {
        **dict.fromkeys(("fold", "lists"), int),
        **dict.fromkeys(("tuned", "held_out", "rank_1"), float),
    },
    "fold_weights": {"fold": int, "feature": str, "weight": float},
    "curves": {"feature": str, **dict.fromkeys(("weight", "rate", "held_out"), float)},
    "stability": {
        **dict.fromkeys(("resamples", "others"), int),
        **dict.fromkeys(("changed", "changed_low", "changed_high", "loss"), float),
    },
}


def table_of(name: str, rows: Iterable[Row]) -> pl.DataFrame:
    """Return rows as the table of this name; nan becomes null."""

    return pl.DataFrame(list(rows), schema=SCHEMAS[name]).fill_nan(None)


def rate_rows(
    data: TuningData, name: str, choices: Mapping[str, Rows], bootstrap: Bootstrap
) -> Iterator[Row]:
    """Yield the rate of rank 1, of each choice, and of the best choice, by each metric.

    `name` says which data it is. Differences are from rank 1; intervals and tests draw whole
    blocks. There is no p-value if there are too few blocks to call any difference significant, nor
    for the best choice, which cannot be worse than rank 1.
    """
    first = data.lists.first
    few = too_few_rows(int(data.blocks.max()) + 1, tests=1) is not None
    for label, judged in data.judged.items():
        best = judged.best(data.lists).first
        for choice, rows in {RANK_1: first, **choices, ORACLE: best}.items():
            numbers = judged.compared(rows, first, bootstrap, data.blocks)
            if few or choice in (RANK_1, ORACLE):
                numbers["p"] = np.nan
            head = {"data": name, "metric": label, "choice": choice}
            yield {**head, **numbers, "changed": int((rows != first).sum())}


def weight_rows(
    lists: FeatureLists,
    names: tuple[str, ...],
    tuned: TunedWeights,
    folds: HeldOut | None,
    resampled: ResampledWeights | None,
    confidence: float,
) -> Iterator[Row]:
    """Yield the weight of each feature and how far it may move; null where there is no bound."""
    spreads, unit = lists.spreads(), unit_feature(tuned.weights)
    for number, name in enumerate(names):
        row: Row = {"feature": name, "weight": float(tuned.weights[number])}
        row |= {"spread": float(spreads[number])}
        ranges = dict.fromkeys(RANGES, np.nan)
        if number != unit and spreads[number] > 0:
            found = weight_range(lists, tuned.weights, number, confidence)
            values = (found.plateau.low, found.plateau.high, found.low, found.high)
            ranges = dict(zip(ranges, values, strict=True))
        row |= {key: value if np.isfinite(value) else None for key, value in ranges.items()}
        tails = ((1 - confidence) / 2, (1 + confidence) / 2)
        row |= _span("resampled", None if resampled is None else resampled.weights, number, tails)
        yield row | _span("fold", None if folds is None else folds.weights, number, (0, 1))


def _span(name: str, weights: Numbers | None, number: int, levels: tuple[float, float]) -> Row:
    """Return two quantiles of the weights of a feature; null without weights."""
    names = (f"{name}_low", f"{name}_high")
    if weights is None or not len(weights):
        return dict.fromkeys(names)
    values = np.quantile(weights[:, number], levels).tolist()
    return dict(zip(names, values, strict=True))


def fold_rows(data: TuningData, by: str, folds: HeldOut) -> Iterator[Row]:
    """Yield the rates of each fold: tuned on the others, held out, and of rank 1."""
    judged = data.judged[by]
    for number, tuned in enumerate(folds.tuned.tolist()):
        lists = np.flatnonzero(folds.fold == number)
        yield {
            "fold": number + 1,
            "lists": len(lists),
            "tuned": tuned,
            "held_out": judged.rate(folds.rows[lists]),
            "rank_1": judged.rate(data.lists.first[lists]),
        }


def fold_weight_rows(names: tuple[str, ...], folds: HeldOut) -> Iterator[Row]:
    """Yield the weights that were tuned without each fold."""
    for number, weights in enumerate(folds.weights.tolist(), start=1):
        for name, weight in zip(names, weights, strict=True):
            yield {"fold": number, "feature": name, "weight": weight}


def curve_rows(
    lists: FeatureLists, names: tuple[str, ...], weights: Numbers, folds: HeldOut | None
) -> Iterator[Row]:
    """Yield the rate over each weight but the unit, the others fixed."""
    spreads, unit = lists.spreads(), unit_feature(weights)
    for number, name in enumerate(names):
        if number == unit or not spreads[number]:
            continue
        curve = weight_curve(lists, weights, number, folds)
        points = zip(curve.weights, curve.rates, curve.held_out, strict=True)
        for weight, rate, held_out in points:
            yield {"feature": name, "weight": weight, "rate": rate, "held_out": held_out}


def stability_row(
    resampled: ResampledWeights, tuned: TunedWeights, bootstrap: Bootstrap
) -> Iterator[Row]:
    """Yield one row: how often resamples lead to other choices, and what these cost."""
    tails = ((1 - bootstrap.confidence) / 2, (1 + bootstrap.confidence) / 2)
    if not len(resampled.rates):
        return
    low, high = np.quantile(resampled.changed, tails)
    yield {
        "resamples": len(resampled.rates),
        "others": int((resampled.changed > 0).sum()),
        "changed": float(resampled.changed.mean()),
        "changed_low": float(low),
        "changed_high": float(high),
        "loss": float((resampled.rates - tuned.rate).mean()),
    }
