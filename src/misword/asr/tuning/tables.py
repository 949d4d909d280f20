"""The tables of `misword.tune`: rates of choices, weights, folds, curves, stability."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.feature_lists import FeatureLists
from misword.asr.tuning.held_out import HeldOut
from misword.asr.tuning.resampling import ResampledWeights
from misword.asr.tuning.search import TunedWeights
from misword.asr.tuning.tuning_data import TuningData
from misword.asr.tuning.weight_curves import unit_feature, weight_curve, weight_range
from misword.stat.bootstrap import Bootstrap
from misword.stat.corrections import too_few_rows

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]

# The choices that the table of rates compares, and the data that they are made from.
RANK_1, TUNED, HELD_OUT, ORACLE = "rank 1", "tuned", "held out", "oracle"
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
    import polars as pl

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
