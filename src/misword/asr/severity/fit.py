"""Levels learnt from labels of the user's own: 0 no, 1 minimal, 2 significant impact.

Two logistic regressions with a ridge penalty give the probabilities that the label is above 0 and
that it is 2, from a few sums over the labelled errors of an utterance. All printed numbers are of
predictions for groups that were left out (leave one group out): recordings, calls, speakers. With a
context (the question before the answer), one more feature is tried: the risk of errors in words
that the context has as well; it is kept only if the left-out predictions get better.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.corpus import make_corpus
from misword.asr.measuring import prepare_with
from misword.asr.options import combine
from misword.asr.severity.labelling import PairErrors, PairLabels, knowledge, label_pairs
from misword.asr.severity.levels import CONTENT
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike, open_source
from misword.io.files.writing import write_whole
from misword.io.transcripts.formats.tables import read_rows
from misword.stat.calibration import (
    area_under_curve,
    calibration_bins,
    expected_calibration_error,
    kappa,
)
from misword.stat.descriptions.severity import SEVERITY_FIT
from misword.stat.regression import LogisticModel, fit_logistic

FEATURES = ("score", "content", "closed classes", "errors", "reference words")
CONTEXT_FEATURE = "in the context"
KIND = "severity"  # of the file
HIGHEST = 2  # the labels are 0, 1 and 2
STRENGTH = 1.0
FEWEST = 20
CLIP = 0.01
SHOWN_BINS = 5

Reals = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SeverityFit(DisplayedResult):
    """Levels learnt from labels, and how well those of left-out groups are predicted.

    Attributes:
        models: the regressions for labels above 0 and above 1, without the context.
        features: the names of the features of the printed numbers.
        quality: AUC, calibration error and kappa of the prototype's own score and of the fit.
        agreement: kappa of the predicted levels with each column of labels.
        calibration: predicted probabilities and the shares that happened.
        weights: what carries the prediction: the weight of each scaled feature.
        predictions: a row for each utterance.
    """

    description: ClassVar[Description] = SEVERITY_FIT

    models: tuple[LogisticModel, LogisticModel]
    features: tuple[str, ...]
    quality: pl.DataFrame
    agreement: pl.DataFrame
    calibration: pl.DataFrame
    weights: pl.DataFrame
    predictions: pl.DataFrame
    notes: tuple[str, ...]

    def main_table(self) -> pl.DataFrame:
        """Return the table `quality`."""
        return self.quality

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        names = ("quality", "agreement", "calibration", "weights", "predictions")
        facts = {"misword": __version__, **(provenance or {}), "notes": list(self.notes)}
        return Result("severity-fit", {name: getattr(self, name) for name in names}, facts)

    def save(self, path: PathLike) -> None:
        """Write the models, for `--metrics severity:file=FILE`."""
        content = {"kind": KIND, "models": [model.as_json() for model in self.models]}
        write_whole(f"{json.dumps(content, indent=1)}\n".encode(), path)


def fit_severity(
    labels: Any,
    *,
    lang: str | None = None,
    columns: Sequence[str] | None = None,
    block: str | None = None,
    context: str | None = None,
) -> SeverityFit:
    """Learn levels from a table with the columns reference, hypothesis and label (0, 1 or 2).

    `columns` names these three, then columns of further annotators. `block` is the column of the
    groups that are left out in turn (default: each row is a group of its own), `context` the column
    of the text before the utterance.
    """
    frame, named = _read(labels, columns, (block, context))
    reference, hypothesis, label, *annotators = named
    target = _labels(frame, label)
    run = Context.of(lang)
    corpus = make_corpus(frame[reference].to_list(), frame[hypothesis].to_list())
    found = label_pairs(prepare_with(combine(run, "severity"), corpus, (), run))
    groups = frame[block].cast(pl.String).to_list() if block else list(range(len(frame)))
    contexts = frame[context].fill_null("").to_list() if context else [""] * len(frame)
    features = features_of(found, run.lang, contexts)
    plain = features[:, : len(FEATURES)]
    predicted, notes = _left_out(plain, target, groups), list[str]()
    used = plain
    names: tuple[str, ...] = FEATURES
    if context:
        with_context = _left_out(features, target, groups)
        before, after = (_auc(each[:, 0], target) for each in (predicted, with_context))
        helps = after > before
        notes.append(
            f"the context {'helps' if helps else 'does not help'}: AUC {before:.3f} without it, "
            f"{after:.3f} with it"
        )
        if helps:
            predicted, used, names = with_context, features, (*FEATURES, CONTEXT_FEATURE)
    models = fit_models(plain, target)
    levels = levels_of(predicted)
    return SeverityFit(
        models,
        names,
        _quality(found.score, predicted, target),
        _agreement(levels, frame, [label, *annotators]),
        _calibration(predicted[:, 0], target > 0),
        _weights(fit_models(used, target), names),
        frame.select(reference, hypothesis, label).with_columns(
            predicted=pl.Series(levels),
            matters=pl.Series(predicted[:, 0]),
            score=pl.Series(found.score),
        ),
        tuple(notes),
    )


def features_of(found: PairLabels, lang: str, contexts: Sequence[str]) -> Reals:
    """Return a row of features for each pair, the one of the context last."""
    rows = np.zeros((len(found.words), len(FEATURES) + 1))
    for pair in range(len(rows)):
        of_pair = found.errors_of(pair)
        errors = of_pair.errors if of_pair else ()
        score = min(max(float(found.score[pair]), CLIP), 1 - CLIP)
        rows[pair] = (
            np.log(score / (1 - score)),
            sum(error.risk for error in errors if error.label in CONTENT),
            sum(error.risk for error in errors if error.label not in CONTENT),
            sum(error.level > 0 for error in errors),
            np.log1p(found.words[pair]),
            _shared_risk(of_pair, lang, contexts[pair]) if of_pair else 0.0,
        )
    return rows


def _shared_risk(found: PairErrors, lang: str, context: str) -> float:
    """Return the risk of errors in words that the context has as well."""
    known = knowledge(lang)
    words = {known.lemma(piece) for word in context.split() for piece in known.pieces(word)}
    total = 0.0
    for error in found.errors:
        said = found.reference[error.start : error.end]
        pieces = [piece for word in said for piece in known.pieces(word)]
        if any(known.weight(piece) and known.lemma(piece) in words for piece in pieces):
            total += error.risk
    return total


def fit_models(features: Reals, labels: Labels) -> tuple[LogisticModel, LogisticModel]:
    """Return the regressions for labels above 0 and above 1."""
    above = [(labels > least).astype(np.float64) for least in range(HIGHEST)]
    return (
        fit_logistic(features, above[0], STRENGTH),
        fit_logistic(features, above[1], STRENGTH),
    )


def read_models(path: PathLike) -> tuple[LogisticModel, LogisticModel]:
    """Read the models that `SeverityFit.save` wrote."""
    source = open_source(path)
    try:
        content = json.loads(source.text)
        if content["kind"] != KIND:
            raise ValueError("another kind of file")
        first, second = (
            LogisticModel.from_json(model, len(FEATURES)) for model in content["models"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"no levels of severity: {error}",
            where=str(path),
            fix="name a file of `misword fit --severity -o`",
        ) from None
    return first, second


def fitted_levels(
    found: PairLabels, lang: str, models: tuple[LogisticModel, LogisticModel]
) -> tuple[Labels, Reals]:
    """Return the label (0, 1, 2) that models predict for each pair, and P(label > 0).

    A pair without errors has 0 for both.
    """
    features = features_of(found, lang, [""] * len(found.words))[:, : len(FEATURES)]
    predicted = np.stack([model.probabilities(features) for model in models], axis=1)
    predicted[found.of_pair < 0] = 0
    return levels_of(predicted), np.asarray(predicted[:, 0])


def _left_out(features: Reals, labels: Labels, groups: Sequence[Any]) -> Reals:
    """Return both probabilities of each row, from models that did not see its group."""
    predicted = np.zeros((len(labels), HIGHEST))
    numbers = np.array([list(dict.fromkeys(groups)).index(group) for group in groups])
    for group in np.unique(numbers).tolist():
        out = numbers == group
        models = fit_models(features[~out], labels[~out])
        for place, model in enumerate(models):
            predicted[out, place] = model.probabilities(features[out])
    return predicted


def levels_of(predicted: Reals) -> Labels:
    """Return the label of each row whose probability is above one half; 0 if none is."""
    return np.asarray((predicted[:, 0] > 0.5).astype(np.int64) + (predicted.min(axis=1) > 0.5))


def _auc(scores: Reals, labels: Labels) -> float:
    found = area_under_curve(scores, labels > 0)
    return float("nan") if found is None else found


def _quality(score: Reals, predicted: Reals, labels: Labels) -> pl.DataFrame:
    rows = []
    for name, values in (("score, not fitted", score), ("fitted, group left out", predicted[:, 0])):
        error = expected_calibration_error(calibration_bins(values, labels > 0))
        decided = values > 0.5
        rows.append(
            {
                "prediction": name, "auc": _auc(values, labels), "calibration_error": error,
                "kappa_matters": kappa(decided, labels > 0), "utterances": len(labels),
            }
        )  # fmt: skip
    return pl.DataFrame(rows)


def _agreement(levels: Labels, frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return kappa of the predicted levels, and of the columns with each other."""
    sides = {"predicted": levels, **{name: _labels(frame, name) for name in columns}}
    rows = []
    listed = list(sides)
    for at, one in enumerate(listed):
        for other in listed[at + 1 :]:
            a, b = sides[one], sides[other]
            rows.append(
                {
                    "one": one,
                    "other": other,
                    "kappa": kappa(a, b),
                    "kappa_matters": kappa(a > 0, b > 0),
                }
            )
    return pl.DataFrame(rows)


def _calibration(probabilities: Reals, happened: NDArray[np.bool_]) -> pl.DataFrame:
    bins = calibration_bins(probabilities, happened, SHOWN_BINS)
    return pl.DataFrame(
        [
            {"low": b.low, "high": b.high, "cases": b.cases, "mean": b.mean, "share": b.share}
            for b in bins
        ]
    )


def _weights(models: tuple[LogisticModel, LogisticModel], names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "feature": list(names),
            "matters": models[0].weights.tolist(),
            "significant": models[1].weights.tolist(),
        }
    )


def _read(
    labels: Any, columns: Sequence[str] | None, others: Sequence[str | None]
) -> tuple[pl.DataFrame, list[str]]:
    """Return the table and the names of its columns; raise if one is missing."""
    where = "the labels"
    if isinstance(labels, str) or hasattr(labels, "__fspath__"):
        where = str(labels)
        source = open_source(labels)
        delimiter = "," if where.endswith(".csv") else "\t"
        rows, _ = read_rows(source, delimiter)
        if len(rows) < 2:
            raise InputError("there are no rows", where=where, fix="give a header and rows")
        if any(len(row) != len(rows[0]) for row in rows):
            raise InputError("rows have different numbers of fields", where=where)
        frame = pl.DataFrame(rows[1:], rows[0], orient="row")
    else:
        frame = pl.DataFrame(labels)
    named = list(columns or ("reference", "hypothesis", "label"))
    for name in (*named, *filter(None, others)):
        if name not in frame.columns:
            raise InputError(
                f"no column {name!r}", where=where, fix=f"columns: {', '.join(frame.columns)}"
            )
    if len(named) < 3:
        raise OptionError("three columns are needed", fix="--columns reference,hypothesis,label")
    if columns is None:
        named += [name for name in frame.columns if name.startswith("label_")]
    if len(frame) < FEWEST:
        raise InputError(f"{len(frame)} labels are too few", where=where, fix=f"give {FEWEST}")
    return frame, named


def _labels(frame: pl.DataFrame, name: str) -> Labels:
    """Return a column of labels; raise if one is not 0, 1 or 2, or if all are the same."""
    values = frame[name].cast(pl.Float64, strict=False)
    if values.is_null().any() or not values.is_in([0.0, 1.0, 2.0]).all():
        raise InputError(f"{name} has a label that is not 0, 1 or 2", where="the labels")
    labels: Labels = values.cast(pl.Int64).to_numpy()
    if len(np.unique(labels > 0)) < 2:
        raise InputError(f"all labels of {name} say the same", where="the labels")
    return labels
