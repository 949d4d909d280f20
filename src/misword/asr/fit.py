"""Learn a blend of metrics from the judgements of people, and measure how good it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.agree import CONSENSUS, name_levels
from misword.asr.blending.blend_file import Blend, BlendedMetric, settings_of
from misword.asr.blending.choice_quality import BLEND, agreement_rows, agreements
from misword.asr.blending.cross_validation import held_out, proportions
from misword.asr.blending.evidence import JudgedTexts, judge, read_judgements
from misword.asr.blending.judgements import Choices, Judgements, Ratings, Rows, Vector
from misword.asr.blending.learning_curve import learning_curve
from misword.asr.blending.prior import find_prior
from misword.asr.blending.rating_quality import correlation_of, correlation_rows
from misword.asr.blending.result import Fit
from misword.asr.blending.selection import selection_rows, smallest_set
from misword.asr.blending.weights import weight_rows
from misword.asr.metrics import METRICS, Metric
from misword.asr.metrics.blend import BlendedRate
from misword.asr.pairs import EquivalentClasses
from misword.asr.presets import Preset
from misword.asr.score import create_metrics, measure_whole, prepare_with, scores_of
from misword.asr.scoring_options import RuleFile, combine
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import Levels, percentiles
from misword.text.normalizers import Steps

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

FOLDS, REPEATS = 10, 10


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
    resampling, levels = Bootstrap(bootstrap, confidence, seed), name_levels(consensus)
    _check_folds(folds, repeats)
    start = find_prior(prior)
    if metrics is None:
        metrics = start.metrics
    context = Context.of(lang, vectors, max_words, vector_format, cache=cache, workers=workers)
    options = combine(
        context, preset=preset, metrics=metrics, normalize=normalize, rules=rules,
        alternatives=alternatives, forgive=forgive,
    )  # fmt: skip
    created = create_metrics(options.metrics, context)
    _check_metrics(created)
    first = None if prior is None else start.weights_of(tuple(created))
    texts = read_judgements(judgements, columns, input_format)
    pairs = prepare_with(options, texts.corpus, equivalents, context)
    judged = judge(texts, pairs, created, lower_is_better=lower_is_better)
    settings = {
        "folds": folds, "repeats": repeats, "select": select, "consensus": list(levels.values()),
        "prior": "equal influence" if prior is None else str(prior),
        "lower_is_better": lower_is_better, **resampling.settings,
    }  # fmt: skip
    chosen, steps = _chosen_metrics(judged, first, seed, select=select)
    kept = judged.subset(chosen)
    kept_prior = None if first is None else first[chosen]
    predictions = held_out(
        judged,
        lambda rows: _weights(judged, rows, first, seed, select=select),
        folds=folds,
        repeats=repeats,
        seed=seed,
    )
    weights = kept.fit(np.arange(len(kept)), kept_prior)
    if not weights.any():
        raise InputError(
            "people do not judge by any of these metrics: all weights are 0",
            fix="check the columns, or try other metrics; if low ratings are better, use "
            "--lower-is-better",
        )
    scores = scores_of(measure_whole(pairs, created), created)
    quality = _frame(_quality(judged, predictions, levels, resampling))
    about: dict[str, Any] = {"misword": __version__, **settings, "judgements": len(judged)}
    about["quality"] = quality.filter(metric=BLEND).to_dicts()
    blend = _blend(kept, weights, pairs.context, about)
    return Fit(
        blend,
        quality,
        _frame(weight_rows(kept, proportions(weights), kept_prior, resampling)),
        _frame(_curve_rows(kept, kept_prior, levels, resampling)),
        _judged_frame(texts, predictions),
        _frame(selection_rows(judged, steps)) if select else None,
        scores,
        settings,
        _notes(judged),
    )


def _check_folds(folds: int, repeats: int) -> None:
    if folds < 2:
        raise OptionError(f"folds is {folds}", fix="use 2 or more, such as 10")
    if repeats < 1:
        raise OptionError(f"repeats is {repeats}", fix="use 1 or more, such as 10")


def _check_metrics(metrics: Mapping[str, Metric]) -> None:
    for spec, metric in metrics.items():
        if isinstance(metric, BlendedRate):
            raise OptionError(
                f"a blend cannot be part of a blend: {spec}", fix="name the metrics of the blend"
            )


def _chosen_metrics(
    judged: Judgements, prior: Vector | None, seed: int, *, select: bool
) -> tuple[list[int], list[Any]]:
    """Return the metrics of the blend, by number, and the sets that were tried."""
    if not select:
        return list(range(len(judged.metrics))), []
    chosen, steps = smallest_set(judged, np.arange(len(judged)), prior, seed)
    return list(chosen), steps


def _weights(
    judged: Judgements, rows: Rows, prior: Vector | None, seed: int, *, select: bool
) -> Vector:
    """Learn weights from some rows; with `select`, also the set of metrics."""
    if not select:
        return judged.fit(rows, prior)
    chosen = list(smallest_set(judged, rows, prior, seed)[0])
    weights = np.zeros(len(judged.metrics))
    weights[chosen] = judged.subset(chosen).fit(rows, None if prior is None else prior[chosen])
    return weights


def _quality(
    judged: Judgements, predictions: Vector, levels: Mapping[str, float], bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    if isinstance(judged, Choices):
        return agreement_rows(judged, predictions, levels, bootstrap)
    assert isinstance(judged, Ratings)
    return correlation_rows(judged, predictions, bootstrap)


def _curve_rows(
    judged: Judgements, prior: Vector | None, levels: Mapping[str, float], bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return the quality after learning from few judgements: mean and interval of the draws."""
    least = np.array(list(levels.values()))

    def quality(values: Vector, rows: Rows) -> Vector:
        if isinstance(judged, Choices):
            return agreements(judged, values, rows, least)
        assert isinstance(judged, Ratings)
        return correlation_of(judged, values, rows)

    names = list(levels) if isinstance(judged, Choices) else ["pearson"]
    tail = (1 - bootstrap.confidence) / 2
    draws = Levels(tail, 1 - tail)
    rows = []
    for point in learning_curve(judged, prior, quality, bootstrap.seed):
        for name, values in zip(names, point.qualities.T, strict=True):
            # A level of consensus without choices has no agreement.
            defined = values[~np.isnan(values)]
            mean, low, high = np.nan, np.nan, np.nan
            if len(defined):
                mean, (low, high) = float(defined.mean()), percentiles(defined, draws)
            row = {"judgements": point.size, "measure": name, "mean": mean}
            rows.append({**row, "low": low, "high": high})
    return rows


def _blend(
    judged: Judgements, weights: Vector, context: Context, about: Mapping[str, Any]
) -> Blend:
    """Return the blend of all metrics with a weight above 0."""
    total = float(weights.sum())
    shares = proportions(weights)
    metrics = tuple(
        BlendedMetric(spec, float(share), settings_of(METRICS.create(spec), context))
        for spec, share in zip(judged.metrics, shares, strict=True)
        if share > 0
    )
    slope = total if isinstance(judged, Choices) else 0.0
    return Blend(metrics, context.lang, slope, dict(about))


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
