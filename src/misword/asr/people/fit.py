"""The function `fit`: learn a blend of metrics from judgements of people, and evaluate it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.asr.measuring import create_metrics, measure_whole, prepare_with, scores_of
from misword.asr.metrics import METRICS, Metric
from misword.asr.metrics.blend import BlendedRate
from misword.asr.options import BLENDED_METRICS, BlendedMetrics, FitOptions, Scoring, combine
from misword.asr.pairs import Pairs
from misword.asr.people.agree import name_levels
from misword.asr.people.blend_file import (
    BLENDS,
    Blend,
    BlendedMetric,
    read_blend,
    settings_of,
    write_blend,
)
from misword.asr.people.judgements import (
    Choices,
    JudgedTexts,
    Judgements,
    Vector,
    judge,
    read_judgements,
)
from misword.asr.people.learning import BLEND, LearningPlan, Learnt, learn_blend
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.options import Models
from misword.io.files.sources import PathLike
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.people import FIT, better_alone
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

# The prior: the blend towards which weights are regularised while they are learnt.


@dataclass(frozen=True, slots=True)
class StartingWeights:
    """The weights of a blend by the specs of its metrics; empty without a prior."""

    weights: dict[str, float]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are blended if none are named."""
        return tuple(self.weights) or BLENDED_METRICS

    def weights_of(self, metrics: tuple[str, ...]) -> Vector:
        """Return the weights of some metrics, 0 for those that the prior does not have."""
        found = np.array([self.weights.get(spec, 0.0) for spec in metrics])
        if not found.any():
            raise OptionError(
                "the prior has none of these metrics",
                fix=f"blend some of its own: --metrics {','.join(self.weights)}",
            )
        return found


def find_prior(prior: str | os.PathLike[str] | None) -> StartingWeights:
    """Return the weights of `people`, of `people:size=small` or of the file of a blend."""
    if prior is None:
        return StartingWeights({})
    blend = _find_blend(os.fspath(prior))
    return StartingWeights({part.spec: part.weight for part in blend.metrics})


def _find_blend(name: str) -> Blend:
    if name.partition(":")[0] in BLENDS:
        metric = METRICS.create(name)
        assert isinstance(metric, BlendedRate)
        return metric.weights()
    return read_blend(name)


# The result of learning a blend: weights, quality, learning curve and what people chose.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit(DisplayedResult):
    """A blend of metrics that was learnt from people's judgements, and its quality.

    Attributes:
        blend: the metrics and their weights; `save` writes them to a file.
        quality: of choices, a row for the blend, each metric and one voter at each level of
            consensus: the number of `choices`, the share `agreed` with its interval, the share
            `half` with half credit for ties, the share of `ties`, and the p-value of the
            difference from the blend. Of ratings, three correlation coefficients.
        weights: a row for each metric: weight, interval and influence.
        curve: the quality of blends that were learnt from fewer judgements.
        judgements: the texts and judgements; `blend` is the prediction of weights that were learnt
            from other references (choices: positive if the blend prefers `a`).
        selection: the sets of metrics that `select` tried, largest first; None without it.
        scores: the scores of all hypotheses by each metric.
        settings: the settings of the cross-validation and of the bootstrap.
    """

    description: ClassVar[Description] = FIT

    blend: Blend
    quality: pl.DataFrame
    weights: pl.DataFrame
    curve: pl.DataFrame
    judgements: pl.DataFrame
    selection: pl.DataFrame | None
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def save(self, path: PathLike) -> None:
        """Write the blend to a file, for `--metrics blend:file=FILE`."""
        write_blend(self.blend, path)

    def main_table(self) -> pl.DataFrame:
        """Return the table `quality`."""
        return self.quality

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance.

        The table `words` has the aligned words; `utt` is the number of the judgement.
        """
        tables = {
            "quality": self.quality,
            "weights": self.weights,
            "curve": self.curve,
            "judgements": self.judgements,
            "words": self.scores.words(),
        }
        if self.selection is not None:
            tables["selection"] = self.selection
        families = self.scores.forgiven.families
        weights = {part.spec: part.weight for part in self.blend.metrics}
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.scores.columns),
            **({"forgiven": list(families)} if families else {}),
            "notes": list(self.notes),
            "blend": {"weights": weights, "digest": self.blend.digest, "slope": self.blend.slope},
        }
        return Result("fit", tables, origin)


# The learning of a blend.


DIGITS = 8  # of a weight in the file of a blend


@takes(BlendedMetrics, FitOptions)
def fit(
    judgements: Any, metrics: str | Iterable[str] | None = None, **options: Unpack[FitOptions]
) -> Fit:
    """Learn a blend of metrics from people's choices or ratings.

    `judgements` is a file, a table, or a function that returns one of these. Choices have a
    reference, two hypotheses and the votes for each; ratings have a reference, a hypothesis and a
    number, higher for better unless `lower_is_better`, or also an item, a system and a rater: then
    the mean rating of each hypothesis is learnt. `columns` names these five, three or six columns.

    The quality is measured by cross-validation over references: `folds` parts of the references are
    left out in turn, `repeats` times. `select` searches for the smallest set of metrics that is not
    worse, within the folds too. `prior` is `people`, `people:size=small` or the file of a blend:
    the weights are regularised towards its proportions instead of equal influence. The other
    options are those of `misword.score`.
    """
    levels, resampling = name_levels(options["consensus"]), Bootstrap.of(options)
    plan = LearningPlan(options["folds"], options["repeats"], options["select"], levels, resampling)
    prior, lower_is_better = options["prior"], options["lower_is_better"]
    start = find_prior(prior)
    context = Context.of(**chosen(options, Models))
    named = start.metrics if metrics is None else metrics
    combined = combine(context, named, **chosen(options, Scoring))
    created = create_metrics(combined.metrics, context)
    _check_metrics(created)
    weights = None if prior is None else start.weights_of(tuple(created))
    texts = read_judgements(judgements, options["columns"], options["input_format"])
    pairs = prepare_with(combined, texts.corpus, options["equivalents"], context)
    judged = judge(texts, pairs, created, lower_is_better=lower_is_better)
    learnt = learn_blend(judged, weights, plan)
    origin = "equal influence" if prior is None else str(prior)
    settings = {**plan.settings, "prior": origin, "lower_is_better": lower_is_better}
    return _result(texts, judged, learnt, settings, pairs, created)


def _check_metrics(metrics: Mapping[str, Metric]) -> None:
    for spec, metric in metrics.items():
        if isinstance(metric, BlendedRate):
            raise OptionError(
                f"a blend cannot be part of a blend: {spec}", fix="name the metrics of the blend"
            )


def _result(
    texts: JudgedTexts,
    judged: Judgements,
    learnt: Learnt,
    settings: Mapping[str, Any],
    pairs: Pairs,
    metrics: dict[str, Metric],
) -> Fit:
    """Return what was learnt as tables, with the blend and the scores of all hypotheses."""
    quality = _frame(learnt.quality)
    about: dict[str, Any] = {"misword": __version__, **settings, "judgements": len(judged)}
    about["quality"] = quality.filter(metric=BLEND).to_dicts()
    return Fit(
        _blend(learnt, pairs.context, about),
        quality,
        _frame(learnt.weight_rows),
        _frame(learnt.curve),
        _judged_frame(texts, learnt.predictions),
        _frame(learnt.selection) if learnt.selection else None,
        scores_of(measure_whole(pairs, metrics), metrics),
        settings,
        _notes(judged, quality),
    )


def _blend(learnt: Learnt, context: Context, about: Mapping[str, Any]) -> Blend:
    """Return the blend of all metrics with a weight above 0."""
    # The last digits differ between processors; without them, the digest does not.
    shares = learnt.shares.round(DIGITS)
    metrics = tuple(
        BlendedMetric(spec, float(share), settings_of(METRICS.create(spec), context))
        for spec, share in zip(learnt.metrics, shares, strict=True)
        if share > 0
    )
    return Blend(metrics, context.lang, learnt.slope, dict(about))


def _judged_frame(texts: JudgedTexts, predictions: Vector) -> pl.DataFrame:
    """Return the judgements with the mean held-out prediction of the blend."""

    numbered = texts.frame.with_row_index("judgement", offset=1)
    return numbered.with_columns(pl.Series("blend", predictions.mean(axis=0)))


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _notes(judged: Judgements, quality: pl.DataFrame) -> tuple[str, ...]:
    """Return notes on choices without a majority, and on a metric that is better than the blend."""
    notes = [better_alone(quality.to_dicts())]
    if isinstance(judged, Choices) and (undecided := int(np.count_nonzero(judged.sides == 0))):
        left_out = f"{undecided:,} of {len(judged):,} choices have as many votes for either"
        notes.insert(0, f"{left_out} and are left out")
    return tuple(filter(None, notes))
