"""Minimum Bayes risk: the hypothesis of each N-best list with the least expected cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, ClassVar, Unpack

from misword.asr.corpus import check_complete
from misword.asr.forgiving.equivalents import equivalent_classes
from misword.asr.measuring import create_metrics
from misword.asr.metrics import METRICS
from misword.asr.nbest.choice import RANK_1, JudgedHypotheses, choose, in_list_order
from misword.asr.nbest.lists import HypothesisLists, Rows, make_list_corpus
from misword.asr.nbest.risk import (
    PairCost,
    RiskChoices,
    WeightedFeatures,
    candidate_scales,
    choose_scale,
    lists_with_scores,
)
from misword.asr.options import MbrOptions, OneMetric, Scoring, combine
from misword.asr.score import score
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import counted, listed, probability
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts.registry import split_specs
from misword.core.types import Corpus, Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.options import Models
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.hypotheses import MINIMUM_RISK
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

# The corpus of N-best lists of one system, from columns in memory or as it was read.


def list_corpus(
    hypotheses: Any,
    scores: Any = None,
    references: Any = None,
    ids: Any = None,
    depth: int | None = None,
) -> Corpus:
    """Return the first `depth` hypotheses of each list (None: all), list after list.

    The arguments are those of `misword.mbr`. Without references, those of the corpus are the first
    hypotheses.
    """

    if callable(hypotheses):
        hypotheses = hypotheses()
    if isinstance(hypotheses, Corpus):
        if scores is not None or ids is not None or references not in (None, True):
            raise OptionError("a Corpus has its own references, scores and ids")
        corpus = hypotheses
    else:
        corpus = _from_columns(hypotheses, scores, references, ids)
    if len(corpus.systems) != 1:
        raise OptionError(
            f"lists of {len(corpus.systems)} systems: {listed(corpus.systems)}",
            fix="choose from the lists of one system at a time",
        )
    check_complete(corpus)
    table = in_list_order(corpus.hypotheses)
    if depth is not None:
        table = table.filter(pl.col("rank") <= depth)
    return Corpus(corpus.references, table, corpus.words)


def _from_columns(hypotheses: Any, scores: Any, references: Any, ids: Any) -> Corpus:
    """Return a corpus of lists of texts, with lists of scores."""

    if references is True:
        raise OptionError("references=True needs a Corpus", fix="give the texts of the references")
    lists = list(hypotheses)
    if not lists:
        raise InputError("there are no lists", fix="give a list of texts for each utterance")
    texts = references
    if texts is None:  # an empty list is refused below, with the number of its utterance
        texts = [one if isinstance(one, str) else next(iter(one), "") for one in lists]
    corpus = make_list_corpus(texts, lists, ids=ids)
    if scores is None:
        return corpus
    sizes = [1 if isinstance(one, str) else len(one) for one in lists]
    given = [len(one) for one in scores]
    if given != sizes:
        wrong = next((n for n, pair in enumerate(zip(given, sizes, strict=False), 1)
                      if pair[0] != pair[1]), 0)  # fmt: skip
        what = f"the list of utterance {wrong}" if wrong else counted(len(sizes), "list")
        raise MismatchError(
            f"scores and hypotheses differ in number: {what}",
            fix="give a score for each hypothesis",
        )
    values = pl.Series("score", [float("nan") if v is None else v for one in scores for v in one])
    return Corpus(
        corpus.references,
        corpus.hypotheses.with_columns(values.cast(pl.Float64)),
        corpus.words,
    )


# The rates of chosen hypotheses, if there are references.

MBR, HELD_OUT, ORACLE = "mbr", "mbr, held out", "oracle"
# A difference with a higher p-value is not significant.
SIGNIFICANT = 0.05

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceJudge:
    """Judges choices from lists by the metrics of scores; the rows of both are in one order."""

    lists: HypothesisLists
    judged: Mapping[str, JudgedHypotheses]
    bootstrap: Bootstrap

    @classmethod
    def of(cls, lists: HypothesisLists, scores: Scores, bootstrap: Bootstrap) -> ChoiceJudge:
        """Read the terms of each metric from scores."""
        return cls(lists, JudgedHypotheses.by_label(scores.columns, scores.table), bootstrap)

    def rates(self, choices: Mapping[str, Rows]) -> Iterator[Row]:
        """Yield the rate of rank 1, of each choice, and of the best choice, by each metric.

        Differences are from rank 1. The best choice, the oracle, has no p-value: it cannot be worse
        than rank 1.
        """
        for label, judged in self.judged.items():
            best = choose(self.lists, self.judged, label).rows
            for name, rows in {RANK_1: self.lists.first, **choices, ORACLE: best}.items():
                numbers = judged.compared(rows, self.lists.first, self.bootstrap)
                if name in (RANK_1, ORACLE):
                    numbers["p"] = nan
                yield {"metric": label, "choice": name, **numbers}


def note_on_gain(rows: list[Row], metric: str) -> str:
    """Return a note if the choice is not shown to be better than rank 1; empty if it is.

    The choice is the one on held-out lists, if the scale was chosen on the same references.
    """
    own = {row["choice"]: row for row in rows if row["metric"] == metric}
    name = HELD_OUT if HELD_OUT in own else MBR
    difference, p = own[name]["difference"], own[name]["p"]
    if difference is None or p is None:
        return ""
    if difference < 0 and p < SIGNIFICANT:
        return ""
    if difference < 0:
        return (
            f"nothing is gained for certain: the choice ({name}) has a lower {metric} than rank 1, "
            f"but this may be chance (p = {probability(p)})"
        )
    return f"nothing is gained: the choice ({name}) has no lower {metric} than rank 1"


# The choice with the least expected cost.


AUTO = "auto"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MinimumRisk(DisplayedResult):
    """The hypotheses with the least expected cost.

    Attributes:
        chosen: the chosen hypothesis of each list: its `rank` and `text`, its `expected` cost and
            that of the first hypothesis (`expected_first`), its `posterior` (of the text, which the
            list may have several times), and the number of `hypotheses` of the list.
        rates: with references, a row for each metric and choice (`rank 1`, `mbr`, `mbr, held out`,
            `oracle`): the rate, its interval, its difference from rank 1 with interval and p-value.
        scales: if the scale was chosen, a row for each candidate: its `rate` on all lists, and the
            number of `folds` that chose it.
        scores: with references, the scores of all hypotheses.
        settings: metric, cost, scale, features and the settings of the bootstrap.
        notes: facts about lists and scores, in sentences for the user.
    """

    description: ClassVar[Description] = MINIMUM_RISK

    chosen: pl.DataFrame
    rates: pl.DataFrame | None
    scales: pl.DataFrame | None
    scores: Scores | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`, or `chosen` without references."""
        return self.chosen if self.rates is None else self.rates

    def texts(self) -> pl.DataFrame:
        """Return the chosen texts, one per utterance."""
        return self.chosen.select("utt", "rank", "text")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        found = {"chosen": self.chosen, "rates": self.rates, "scales": self.scales}
        tables = {name: table for name, table in found.items() if table is not None}
        judges = {} if self.scores is None else metric_provenance(self.scores.columns)
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **judges,
            "notes": list(self.notes),
        }
        return Result("mbr", tables, origin)


@takes(OneMetric, MbrOptions)
def mbr(
    hypotheses: Any,
    metric: str = "wer",
    *,
    scores: Any = None,
    references: Any = None,
    ids: Any = None,
    **options: Unpack[MbrOptions],
) -> MinimumRisk:
    """Choose from each N-best list the hypothesis with the least expected cost.

    The posterior of a hypothesis is exp(scale * score), divided by the sum over its list. Its
    expected cost is the sum, over the texts of the list, of their posterior times what `metric`
    counts if that text were the reference: errors, or the rate of the pair (`cost="rate"`).

    `hypotheses` has a list of texts for each utterance, the recogniser's best one first, and
    `scores` a list of numbers for each. Without scores, the texts are equally probable. Hypotheses
    may also be a `Corpus` with N-best lists of one system, or a function that returns one; its
    scores are the weighted sum of its columns `features` (default: `score`).

    `references` are texts to judge the choice by (`True`: those of the corpus), with `metric`
    and further `metrics`. Then `scale="auto"` chooses the scale, by cross-validation with `folds`.
    Only the first `depth` hypotheses of each list are used. The other options are those of
    `misword.score`.

    >>> import misword
    >>> lists = [["the cat sat", "a cat sat on", "a cat sat"]]
    >>> misword.mbr(lists, scores=[[-1.0, -1.2, -1.3]]).texts().rows()
    [('1', 3, 'a cat sat')]

    Reference: A. Stolcke, Y. König, M. Weintraub, Explicit word error minimization in N-best list
    rescoring, Eurospeech 1997.
    """
    resampling, scoring = Bootstrap.of(options), chosen(options, Scoring)
    scale, depth, folds = options["scale"], options["depth"], options["folds"]
    weighted = WeightedFeatures.of(options["features"], options["weights"])
    _check(metric, scale, depth, references)
    metric = METRICS.spelled(metric)
    judges = [metric, *split_specs(options["metrics"])]
    priced = _pair_cost(metric, judges, options["cost"], scoring)
    corpus = list_corpus(hypotheses, scores, references, ids, depth)
    lists, values = lists_with_scores(corpus, weighted)
    judging = None
    if references is not None:
        judging = score(corpus, metrics=judges, keep_texts=False, **scoring)
    scales = candidate_scales(lists, values) if isinstance(scale, str) else [float(scale)]
    choices = RiskChoices.of(corpus.hypotheses, lists, values, scales, priced)
    settings = {
        "chosen_by": metric, "cost": priced.kind, "features": list(weighted.names),
        "weights": list(weighted.weights), "depth": depth,
        "folds": folds if scale == AUTO else None, **resampling.settings,
    }  # fmt: skip
    return _minimum_risk(choices, judging, settings, resampling)


def _check(by: str, scale: float | str, depth: int | None, references: Any) -> None:
    """Raise if the options cannot be used together."""
    if len(split_specs(by)) != 1:
        raise OptionError(f"the choice needs one metric, not {by!r}", fix="name one, such as wer")
    if scale == AUTO:
        if references is None:
            raise OptionError(
                "the scale can be chosen only with references",
                fix="give references, or a number: --scale 1",
            )
    elif isinstance(scale, str) or not isfinite(scale):
        raise OptionError(f"scale is {scale!r}", fix="use a finite number, or auto")
    if depth is not None and depth < 1:
        raise OptionError(f"depth is {depth}", fix="use 1 or more")


def _pair_cost(
    metric: str, judges: Sequence[str], kind: str | None, scoring: Mapping[str, Any]
) -> PairCost:
    """Return the cost of pairs of hypotheses by a metric; all options are checked."""
    context = Context.of(**chosen(scoring, Models))
    options = combine(context, judges, **scoring)
    created = create_metrics(options.metrics, context)
    label = next(iter(METRICS.create_all(metric)))
    classes = equivalent_classes(scoring["equivalents"])
    return PairCost.of(created[label], kind, options, classes, context)


def _minimum_risk(
    choices: RiskChoices, judging: Scores | None, settings: dict[str, Any], bootstrap: Bootstrap
) -> MinimumRisk:
    """Return the result; with scores of the hypotheses, the scale is chosen and judged by them."""

    scale, rates, table, gain = 0, None, None, ""
    if judging is not None:
        label = next(iter(METRICS.create_all(settings["chosen_by"])))
        judge = ChoiceJudge.of(choices.lists, judging, bootstrap)
        named = {MBR: choices.rows[0]}
        if settings["folds"] is not None:
            judged = judge.judged[label]
            found = choose_scale(choices.rows, judged, settings["folds"], bootstrap.seed)
            scale, named = found.best, {MBR: choices.rows[found.best], HELD_OUT: found.held_out}
            table = pl.DataFrame(
                {"scale": choices.scales, "rate": found.rates, "folds": found.folds}
            ).fill_nan(None)
        rates = pl.DataFrame(list(judge.rates(named)), infer_schema_length=None).fill_nan(None)
        gain = note_on_gain(rates.to_dicts(), label)
    facts = {"scale": choices.scales[scale], "effective_hypotheses": choices.effective(scale)}
    advice = choices.notes(scale, fixed=settings["folds"] is None)
    notes = tuple(filter(None, [*advice, gain]))
    chosen = choices.chosen(scale)
    return MinimumRisk(chosen, rates, table, judging, {**settings, **facts}, notes)
