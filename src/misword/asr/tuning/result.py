"""The result of `misword.tune`: weights, rates of what they choose, and how stable both are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from misword.asr.translating.tables import TranslationTables
from misword.asr.tuning.list_weights import ListWeights
from misword.asr.tuning.tables import HELD_OUT, TEST, TUNED, TUNING
from misword.core import display
from misword.core.formatting import probability, signed
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuning(DisplayedResult):
    """Weights of the features of N-best lists, and the rates of what they choose.

    Attributes:
        rates: a row for each `metric` and `choice`: the rate, its interval, its difference from
            rank 1 with the interval and p-value of the difference, and the number of `changed`
            lists, whose choice is not rank 1. The choices are `rank 1`; `tuned`, by the weights, on
            the lists that they were tuned on; `held out`, by weights that were tuned on the other
            folds; and `oracle`, the choice with the lowest rate by this metric. `data` is `tuning`,
            or `test` for lists on which nothing was tuned.
        weights: a row for each feature: its `weight`, and its `spread`, the standard deviation
            within the lists. The rate stays the same from `low` to `high`, and is not significantly
            higher from `noise_low` to `noise_high`, if the other weights stay (null: no bound).
            `resampled_low` and `resampled_high` bound the weights of resamples, `fold_low` and
            `fold_high` those of the folds.
        folds: for each fold the rate `tuned` on the others, the rate `held_out`, and `rank_1`.
        fold_weights: the weights that were tuned without each fold.
        curves: the `rate` over each weight while the others stay, and the rate `held_out`.
        stability: the number of `resamples`, and how many have `others` as the best choices; the
            share of lists with a `changed` choice, with its interval; the mean `loss`: how much
            higher the rate of these choices is on the data.
        chosen: the `rank` and `text` of the tuned and of the held-out choices.
        scores: the scores of all hypotheses that the weights were tuned on.
        settings: the metric, the features, and the settings of search, folds and bootstrap.
        notes: facts about the lists and features, in sentences.
        translations: the scores of the translations of each choice, if translations are known
            (`misword.asr.translating.tables.TranslationTables`).
    """

    rates: pl.DataFrame
    weights: pl.DataFrame
    folds: pl.DataFrame
    fold_weights: pl.DataFrame
    curves: pl.DataFrame
    stability: pl.DataFrame
    chosen: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    translations: TranslationTables | None = None

    def overview(self) -> display.Overview:
        """Return the rates of all choices."""
        columns = (
            display.text("data"),
            display.text("metric"),
            display.text("choice"),
            display.percent("rate"),
            display.span(),
            display.signed("difference", "from rank 1"),
            display.probability("p"),
        )
        title = f"Tuning by {self.by}: {self.list_weights}; {self.verdict or 'no held-out rate'}"
        return display.Overview.of(title, self.rates, columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`."""
        return self.rates

    @property
    def by(self) -> str:
        """The label of the metric that the weights were tuned by."""
        return str(self.settings["tuned_by"])

    @property
    def list_weights(self) -> ListWeights:
        """The weights, to be applied to other lists or written to a file."""
        weights = dict(self.weights.select("feature", "weight").iter_rows())
        about = {name: self.settings[name] for name in ("tuned_by", "lists", "folds", "seed")}
        return ListWeights(weights, {"misword": __version__, **about, "verdict": self.verdict})

    @property
    def verdict(self) -> str:
        """Whether the weights are better than rank 1 on lists that they were not tuned on."""
        return verdict(self.rates, self.by, self.settings["confidence"])

    def texts(self) -> pl.DataFrame:
        """Return the chosen texts: of the test lists, or else the held-out choices.

        If there are neither, those of the tuned weights on the lists that they were tuned on.
        """
        for data, choice in ((TEST, TUNED), (TUNING, HELD_OUT)):
            rows = self.chosen.filter(data=data, choice=choice)
            if len(rows):
                return rows.select("utt", "system", "rank", "text")
        return self.chosen.select("utt", "system", "rank", "text")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        names = ("rates", "weights", "folds", "fold_weights", "curves", "stability", "chosen")
        tables = {name: getattr(self, name) for name in names}
        metrics = metric_provenance(self.scores.columns)
        if self.translations is not None:
            self.translations.add_to(tables, metrics)
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metrics,
            "verdict": self.verdict,
            "notes": list(self.notes),
        }
        return Result("tuning", tables, origin)


def verdict(rates: pl.DataFrame, by: str, confidence: float) -> str:
    """Return a sentence on the gain over rank 1 on data that nothing was tuned on.

    The difference on test lists decides if there are any, else that of the held-out choices. It is
    empty if there are neither, or if a rate is undefined.
    """
    for data, choice, where in ((TEST, TUNED, "on the test lists"), (TUNING, HELD_OUT, "held out")):
        for row in rates.filter(data=data, choice=choice, metric=by).to_dicts():
            if row["difference"] is not None:
                return _sentence(row, by, where, 1 - confidence)
    return ""


def _sentence(row: Row, by: str, where: str, level: float) -> str:
    difference, p = row["difference"], row["p"]
    if difference == 0:
        return f"nothing to gain: {where}, {by} is that of rank 1; keep rank 1"
    change = f"{where}, the weights change {by} by {signed(difference, 2, plain=True)} points from "
    change += "rank 1" if p is None else f"rank 1, p {_compared(p)}"
    if difference < 0 and p is None:
        return f"{change}; there are too few lists or blocks for a test"
    if difference < 0 and p < level:
        return change
    return f"no gain is shown: {change}; keep rank 1"


def _compared(p: float) -> str:
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"
