"""Learn a blend of metrics from the judgements of people, and measure how good it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.agree import CONSENSUS, name_levels
from misword.asr.blending.blend_file import Blend, BlendedMetric, settings_of
from misword.asr.blending.choice_quality import BLEND
from misword.asr.blending.evidence import JudgedTexts, judge, read_judgements
from misword.asr.blending.judgements import Choices, Judgements, Vector
from misword.asr.blending.learning import Learnt, Plan, learn_blend
from misword.asr.blending.prior import find_prior
from misword.asr.blending.result import Fit
from misword.asr.metrics import METRICS, Metric
from misword.asr.metrics.blend import BlendedRate
from misword.asr.pairs import EquivalentClasses, Pairs
from misword.asr.presets import Preset
from misword.asr.score import create_metrics, measure_whole, prepare_with, scores_of
from misword.asr.scoring_options import RuleFile, combine
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.text.normalizers import Steps

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

FOLDS, REPEATS = 10, 10
DIGITS = 8


def fit(
    judgements: Any,
    metrics: str | Iterable[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    input_format: str | None = None,
    select: bool = False,
    prior: str | os.PathLike[str] | None = None,
    lower_is_better: bool = False,
    folds: int = FOLDS,
    repeats: int = REPEATS,
    consensus: Sequence[float] = CONSENSUS,
    preset: str | Preset | None = None,
    normalize: Steps | None = None,
    rules: RuleFile | None = None,
    alternatives: bool = True,
    equivalents: EquivalentClasses = (),
    forgive: str | Iterable[str] = (),
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    cache: bool = False,
    workers: int | None = None,
) -> Fit:
    """Learn a blend of metrics from people's choices or ratings.

    `judgements` is a file, a table, or a function that returns one of these. Choices have a
    reference, two hypotheses and the votes for each; ratings have a reference, a hypothesis and a
    number, higher for better unless `lower_is_better`. `columns` names these five or three columns.

    The quality is that of weights that were learnt from other references: `folds` parts of the
    references are left out in turn, `repeats` times. `select` searches for the smallest set of
    metrics that is not worse, within the folds too. `prior` is `people`, `people:size=small` or the
    file of a blend: the weights are drawn to its proportions instead of to equal influence. The
    other options are those of `misword.score`.
    """
    levels, resampling = name_levels(consensus), Bootstrap(bootstrap, confidence, seed)
    plan, start = Plan(folds, repeats, select, levels, resampling), find_prior(prior)
    context = Context.of(lang, vectors, max_words, vector_format, cache=cache, workers=workers)
    options = combine(
        context, preset=preset, metrics=start.metrics if metrics is None else metrics,
        normalize=normalize, rules=rules, alternatives=alternatives, forgive=forgive,
    )  # fmt: skip
    created = create_metrics(options.metrics, context)
    _check_metrics(created)
    weights = None if prior is None else start.weights_of(tuple(created))
    texts = read_judgements(judgements, columns, input_format)
    pairs = prepare_with(options, texts.corpus, equivalents, context)
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
        _notes(judged),
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
    import polars as pl

    numbered = texts.frame.with_row_index("judgement", offset=1)
    return numbered.with_columns(pl.Series("blend", predictions.mean(axis=0)))


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _notes(judged: Judgements) -> tuple[str, ...]:
    """Say how many choices have no majority."""
    if not isinstance(judged, Choices):
        return ()
    undecided = int(np.count_nonzero(judged.sides == 0))
    left_out = f"{undecided:,} of {len(judged):,} choices have as many votes for either"
    return (f"{left_out} and are left out",) if undecided else ()
