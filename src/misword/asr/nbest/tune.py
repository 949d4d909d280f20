"""The function `tune`: weights of features that choose one hypothesis of each N-best list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.asr.metrics import METRICS
from misword.asr.nbest.choice import RANK_1
from misword.asr.nbest.features import (
    RANK,
    FeatureLists,
    ListWeights,
    Numbers,
    Rows,
    corpus_with_features,
)
from misword.asr.nbest.lists import ScoredLists, scored_lists
from misword.asr.nbest.tuning_tables import (
    HELD_OUT,
    ORACLE,
    TEST,
    TUNED,
    TUNING,
    TuningData,
    curve_rows,
    fold_rows,
    fold_weight_rows,
    rate_rows,
    stability_row,
    table_of,
    weight_rows,
)
from misword.asr.nbest.weight_search import (
    HeldOut,
    ResampledWeights,
    SearchSettings,
    TunedWeights,
    check_folds,
    held_out,
    resampled_weights,
    rounded,
    tune_lists,
)
from misword.asr.options import OneMetric, Scoring, TuneOptions
from misword.asr.translating.sources import TranslationSource
from misword.asr.translating.tables import TranslationTables, judge_translations
from misword.core.errors import OptionError
from misword.core.formatting import listed, probability, signed
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts.registry import split_specs
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.hypotheses import TUNED_WEIGHTS
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

# The result of `misword.tune`: weights, rates of what they choose, and how stable both are.

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

    description: ClassVar[Description] = TUNED_WEIGHTS

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
    change = f"{where}, the weights change {by} by {signed(difference)} points from "
    change += "rank 1" if p is None else f"rank 1, p {_compared(p)}"
    if difference < 0 and p is None:
        return f"{change}; there are too few lists or blocks for a test"
    if difference < 0 and p < level:
        return change
    return f"no gain is shown: {change}; keep rank 1"


def _compared(p: float) -> str:
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


# The tuning.


@takes(OneMetric, TuneOptions)
def tune(
    references: Any,
    hypotheses: Any = None,
    metric: str = "wer",
    *,
    ids: Any = None,
    **options: Unpack[TuneOptions],
) -> Tuning:
    """Find the weights of features with which the chosen hypotheses have the lowest rate.

    The score of a hypothesis is the sum of its features times their weights; the one with the
    highest score of each list is chosen, the first of them if there are several. `references` and
    `hypotheses` are those of `misword.oracle`. `metric` is the one whose rate is lowered; `metrics`
    also judge the choice.

    `features` names columns of the lists; `words`, the number of words, and `rank` need no column.
    The default are all columns of numbers, and `words`. It may also be a mapping from names to
    lists of numbers, for lists of texts in memory. `start` are weights to begin with.

    The rate on the lists that weights were tuned on is too optimistic. So the lists are divided
    into `folds`, and from each fold hypotheses are chosen by weights that were tuned on the others
    (0: no folds). `block` is a metadata column, such as speaker: its utterances stay in one fold,
    and are resampled together. `test` is a `Corpus` with lists on which nothing is tuned, a
    function that returns one, or a tuple of references and hypotheses. The weights are tuned again
    on `resamples` of the lists to see how stable they are; `bootstrap` is the number of resamples
    of the intervals. The other options are those of `misword.score`, and the ones on translations
    of `misword.oracle`.

    >>> import misword
    >>> lists = [["a b", "a c"], ["d", "d e"], ["f g", "f"]]
    >>> lm, score = [[-9, -5], [-9, -4], [-9, -7]], [[-1, -2], [-1, -3], [-1, -9]]
    >>> found = misword.tune(["a c", "d e", "f g"], lists, features={"score": score, "lm": lm},
    ...                      folds=0, resamples=0, bootstrap=0)
    >>> found.rates.select("choice", "rate").rows()
    [('rank 1', 0.3333333333333333), ('tuned', 0.0), ('oracle', 0.0)]
    """
    resampling, features, block = Bootstrap.of(options), options["features"], options["block"]
    folds, starts, resamples = options["folds"], options["starts"], options["resamples"]
    _check_counts(folds, starts, resamples)
    label = next(iter(METRICS.create_all([metric])))
    scoring = {**chosen(options, Scoring), "metrics": _with_others(label, options["metrics"])}
    source = TranslationSource.of(options)
    if isinstance(features, Mapping):
        references = corpus_with_features(references, hypotheses, features, ids)
        hypotheses, ids, features = None, None, list(features)
    scored = scored_lists(references, hypotheses, ids, **scoring)
    names = features.split(",") if isinstance(features, str) else features
    data = TuningData.of(scored.scores, scored.texts, names, block)
    test = options["test"]
    test_data = None if test is None else _test_data(test, scoring, data.names, block)
    search = SearchSettings(starts=starts, seed=options["seed"])
    plan = TuningPlan(label, search, folds, resamples, resampling)
    return plan.run(data, scored, _start_weights(options["start"], data.names), test_data, source)


def _with_others(by: str, metrics: str | Iterable[str]) -> list[str]:
    """Return the metric that decides, then the others that judge."""
    others = map(METRICS.spelled, split_specs(metrics))
    return [by, *(metric for metric in others if metric != by)]


def _check_counts(folds: int, starts: int, resamples: int) -> None:
    check_folds(folds)
    if starts < 1:
        raise OptionError(f"starts is {starts}", fix="use 1 or more")
    if resamples < 0:
        raise OptionError(f"resamples is {resamples}", fix="use 0 or more")


def _start_weights(start: Mapping[str, float] | None, names: Sequence[str]) -> Numbers | None:
    if start is None:
        return None
    if unknown := [name for name in start if name not in names]:
        raise OptionError(
            f"a weight is given for {unknown[0]!r}, which is not among the features",
            fix=f"the features are: {', '.join(names)}",
        )
    return np.array([float(start.get(name, 0.0)) for name in names])


def _test_data(
    test: Any, options: Mapping[str, Any], names: Sequence[str], block: str | None
) -> TuningData:
    references, hypotheses = test if isinstance(test, tuple) else (test, None)
    scored = scored_lists(references, hypotheses, None, **options)
    known = block if block in scored.scores.metadata else None
    return TuningData.of(scored.scores, scored.texts, names, known)


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """What is computed: the metric, the search, folds, resamples, and the bootstrap."""

    by: str
    search: SearchSettings
    folds: int
    resamples: int
    bootstrap: Bootstrap

    def run(
        self,
        data: TuningData,
        scored: ScoredLists,
        start: Numbers | None,
        test: TuningData | None,
        source: TranslationSource | None = None,
    ) -> Tuning:
        """Tune on the data, and make all tables."""
        lists = data.feature_lists(self.by)
        tuned = rounded(lists, tune_lists(lists, self.search, start))
        blocks = int(data.blocks.max()) + 1
        folds = min(self.folds, blocks)
        validated = held_out(lists, data.blocks, folds, self.search, start) if folds > 1 else None
        resampled = resampled_weights(lists, data.blocks, tuned, self.resamples, self.search)
        choices = self._choices(data, tuned, validated)
        tested = {} if test is None else self._choices(test, tuned, None)
        rates = table_of("rates", [
            *rate_rows(data, TUNING, choices, self.bootstrap),
            *(rate_rows(test, TEST, tested, self.bootstrap) if test is not None else ()),
        ])  # fmt: skip
        chosen = [_chosen(data, TUNING, choices)]
        if test is not None:
            chosen.append(_chosen(test, TEST, tested))
        notes = list(_notes(data, lists, tuned, self.folds))
        translations = None
        if source is not None:
            best = data.judged[self.by].best(data.lists).first
            every = {RANK_1: data.lists.first, **choices, ORACLE: best}
            translations, more = judge_translations(
                source, scored, _listed_choices(data, every), (RANK_1,), self.bootstrap, data.blocks
            )
            notes += more
        return Tuning(
            rates=rates,
            **self._tables(data, lists, tuned, validated, resampled),
            chosen=pl.concat(chosen),
            scores=scored.scores,
            settings=self._settings(data, folds, blocks),
            notes=tuple(notes),
            translations=translations,
        )

    def _choices(
        self, data: TuningData, tuned: TunedWeights, validated: HeldOut | None
    ) -> dict[str, Rows]:
        """Return the rows that the weights choose, and those of the folds."""
        choices = {TUNED: data.feature_lists(self.by).choice(tuned.weights)}
        if validated is not None:
            choices[HELD_OUT] = validated.rows
        return choices

    def _tables(
        self,
        data: TuningData,
        lists: FeatureLists,
        tuned: TunedWeights,
        validated: HeldOut | None,
        resampled: ResampledWeights,
    ) -> dict[str, pl.DataFrame]:
        """Return the tables beside the rates."""
        confidence = self.bootstrap.confidence
        rows = {
            "weights": weight_rows(lists, data.names, tuned, validated, resampled, confidence),
            "folds": fold_rows(data, self.by, validated) if validated else iter(()),
            "fold_weights": fold_weight_rows(data.names, validated) if validated else iter(()),
            "curves": curve_rows(lists, data.names, tuned.weights, validated),
            "stability": stability_row(resampled, tuned, self.bootstrap),
        }
        return {name: table_of(name, of_table) for name, of_table in rows.items()}

    def _settings(self, data: TuningData, folds: int, blocks: int) -> dict[str, Any]:
        return {
            "tuned_by": self.by,
            "features": list(data.names),
            "lists": len(data),
            "folds": folds if folds > 1 else 0,
            "starts": self.search.starts,
            "blocks": blocks,
            **self.bootstrap.settings,
        }


def _chosen(data: TuningData, name: str, choices: Mapping[str, Rows]) -> pl.DataFrame:
    """Return the texts of the choices that weights made."""

    frames = [
        data.chosen(rows).with_columns(data=pl.lit(name), choice=pl.lit(choice))
        for choice, rows in choices.items()
    ]
    return pl.concat(frames).select("data", "choice", "system", "utt", "rank", "text")


def _listed_choices(data: TuningData, choices: Mapping[str, Rows]) -> pl.DataFrame:
    """Return the hypotheses of all choices, one choice after the other."""

    return pl.concat(
        data.chosen(rows).with_columns(chosen_by=pl.lit(name)) for name, rows in choices.items()
    )


def _notes(data: TuningData, lists: FeatureLists, tuned: TunedWeights, folds: int) -> Iterator[str]:
    """Yield sentences on lists and features that cannot change a choice, and on the weights."""
    single = int((data.lists.lengths == 1).sum())
    if single:
        yield f"{single:,} of {len(data):,} lists have one hypothesis: weights cannot change them"
    constant = [n for n, s in zip(data.names, lists.spreads(), strict=True) if not s]
    if constant:
        yield (f"constant within each list, so without a weight: {listed(constant)}")
    if data.names[0] not in (RANK, *constant) and not tuned.weights[0] > 0:
        yield (
            f"the weight of the first feature, {data.names[0]}, is not above 0; the weights are "
            "divided by the largest absolute one"
        )
    blocks = int(data.blocks.max()) + 1
    if folds > blocks:
        yield f"{folds} folds of {blocks} blocks: there are {blocks if blocks > 1 else 'no'} folds"
