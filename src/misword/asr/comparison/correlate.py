"""The function `correlate`: correlations between metrics, and with scores of translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import translation_notes
from misword.asr.comparison.matched_systems import find_blocks, split_by_system
from misword.asr.corpus import make_corpus
from misword.asr.downstreams import Downstream, create_downstreams
from misword.asr.metrics import METRICS
from misword.asr.options import CorrelateOptions, Metrics, Scoring, metric_specs
from misword.asr.score import scores_from
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import describe
from misword.core.types import Corpus, Description, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import COEFFICIENTS, Coefficients, correlations
from misword.stat.descriptions.people import CORRELATION
from misword.stat.measure import metric_provenance
from misword.stat.paired import by_block
from misword.stat.scores import Scores

# Translations of transcripts and their references, in the order of the utterances.


def read_texts(
    translations: Any, references: Any, by_system: Mapping[str, Scores]
) -> dict[str, tuple[list[str], list[str]]]:
    """Return the translations and their references by system, in the order of the utterances.

    `translations` and `references` are the arguments of `misword.correlate`; `by_system` has the
    scores of the transcripts.
    """
    if callable(translations):
        translations = translations()
    utts = next(iter(by_system.values())).table.select("utt")
    if isinstance(translations, Corpus):
        corpus = _in_order(translations, utts)
    elif references is None:
        raise OptionError("translations need references", fix="give translation_references")
    else:
        corpus = make_corpus(references, translations)
    for column in (corpus.references["text"], corpus.hypotheses["text"]):
        if column.null_count():
            raise InputError("a translation is missing", fix="an empty one is an empty string")
    reference_texts = corpus.references["text"].to_list()
    if len(reference_texts) != len(utts):
        raise MismatchError(f"{len(reference_texts)} translations of {len(utts)} utterances")
    groups = corpus.hypotheses.group_by("system", maintain_order=True)
    translated = {str(name): rows["text"].to_list() for (name,), rows in groups}
    if len(translated) == len(by_system) == 1:  # one column needs no name
        translated = dict(zip(by_system, translated.values(), strict=True))
    if translated.keys() != by_system.keys():
        raise MismatchError(
            f"translations of {', '.join(translated)}, transcripts of {', '.join(by_system)}",
            fix="give the translations of each system, by its name",
        )
    return {name: (translated[name], reference_texts) for name in by_system}


def _in_order(corpus: Corpus, utts: pl.DataFrame) -> Corpus:
    """Return a corpus of translations in the order of the utterances, matched by id."""
    for ours, theirs, what in (
        (utts, corpus.references, "has no translation"),
        (corpus.references, utts, "has a translation but no transcript"),
    ):
        unmatched = ours.join(theirs, on="utt", how="anti", maintain_order="left")["utt"]
        if len(unmatched):
            raise MismatchError(
                f"utterance {unmatched[0]!r} {what} ({len(unmatched)} such)",
                where="translations",
                fix="give transcripts and translations the same ids, or none and as many lines",
            )
    references = utts.join(corpus.references, on="utt", how="left", maintain_order="left")
    by_system = {
        name: utts.join(
            corpus.hypotheses.filter(system=name), on="utt", how="left", maintain_order="left"
        )["text"]
        for name in corpus.systems
    }
    return Corpus.of(references, by_system)


# The correlations.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlations(DisplayedResult):
    """Correlations of metrics with each other and with downstream scores.

    Attributes:
        metrics: a row for each two metrics `a` and `b`: the mean over systems of the coefficients,
            with intervals; the number of `utterances` that have both rates, and the number of
            `systems` in which both rates vary.
        scores: the scores that were correlated.
        settings: systems, number of utterances, blocks and settings of the bootstrap.
        undefined: for each metric the number of pairs whose rate is undefined. These pairs are left
            out.
        downstream: a row for each system, metric and downstream score: the coefficients over
            `blocks` of utterances, and the score of the whole `corpus`.
        blocks: the rates and downstream scores of each block.
        downstream_scores: the downstream scores by label.
    """

    description: ClassVar[Description] = CORRELATION

    metrics: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    undefined: Mapping[str, int]
    downstream: pl.DataFrame | None = None
    blocks: pl.DataFrame | None = None
    downstream_scores: Mapping[str, Downstream] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """The number of pairs that were left out for each metric, in sentences."""
        pairs = self.settings["utterances"] * len(self.settings["systems"])
        return tuple(
            f"{label}: {count:,} of {pairs:,} pairs have no rate of their own (an empty reference) "
            "and are left out"
            for label, count in self.undefined.items()
            if count
        )

    def main_table(self) -> pl.DataFrame:
        """Return the table `metrics`."""
        return self.metrics

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance.

        The table `utterances` has the rates of each utterance and system, `texts` its reference and
        its hypothesis.
        """
        tables = {"metrics": self.metrics}
        if self.downstream is not None and self.blocks is not None:
            tables |= {"downstream": self.downstream, "blocks": self.blocks}
        best = self.scores.filter(rank=1)
        rates = [f"{label}.rate" for label in best.labels]
        tables["utterances"] = best.utterances().select("utt", "system", *rates)
        if "texts" in best.records:
            tables["texts"] = best.texts().select("utt", "system", "reference", "hypothesis")
        downstream = self.downstream_scores
        metrics = metric_provenance(self.scores.columns)
        metrics["parts"] |= {label: describe(score) for label, score in downstream.items()}
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metrics,
            "scores": {label: score.signature() for label, score in downstream.items()},
            "better": {label: score.better for label, score in downstream.items()},
            "undefined": dict(self.undefined),
        }
        return Result("correlation", tables, origin)


@takes(Metrics, CorrelateOptions)
def correlate(
    scores: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    metadata: Any = None,
    ids: Any = None,
    **options: Unpack[CorrelateOptions],
) -> Correlations:
    """Correlate metrics over utterances; with translations, also with their scores over blocks.

    `scores` are `Scores`, or references that are scored first with the options of `misword.score`.
    Coefficients between metrics are computed for each system and averaged; intervals come from
    resampling the utterances, the same for all systems.

    `translations` is one column, or several by the systems' names, `translation_references` one
    column, in the order of the utterances; or `translations` is a `Corpus` of both with the ids of
    the utterances, or a function that returns it. A `block` is a number of consecutive utterances,
    or a metadata column: utterances with the same value are one block.

    >>> import misword
    >>> scores = misword.score(["a b", "c d", "e f"], ["a b", "c x", "y z"], "wer,cer")
    >>> correlate(scores, bootstrap=0).metrics["pearson"].round(3).to_list()
    [1.0]
    """
    resampling, translations = Bootstrap.of(options), options["translations"]
    block, workers = options["block"], options["workers"]
    downstreams = {} if translations is None else create_downstreams(options["downstream"])
    _check(scores, metric_specs(options["preset"], metrics), block, translations)
    scored = scores_from(
        scores,
        hypotheses=hypotheses,
        metrics=metrics,
        metadata=metadata,
        ids=ids,
        **chosen(options, Scoring),
    )
    by_system = split_by_system(scored.filter(rank=1))
    if translations is None:
        return _correlate_metrics(scored, by_system, resampling, workers)
    texts = read_texts(translations, options["translation_references"], by_system)
    between_metrics = _correlate_metrics(_with_notes(scored, texts), by_system, resampling, workers)
    return _correlate_downstream(between_metrics, by_system, texts, downstreams, block, resampling)


def _with_notes(scores: Scores, texts: Mapping[str, tuple[list[str], list[str]]]) -> Scores:
    """Return scores with notes on shifted translations."""
    utts = scores.table["utt"].unique(maintain_order=True).to_list()
    return replace(scores, run_notes=(*scores.run_notes, *translation_notes(texts, utts)))


def _check(scores: Any, metrics: Iterable[str], block: int | str, translations: Any) -> None:
    """Raise, before anything is read, if there is only one metric or the block size is below 1."""
    labels = scores.labels if isinstance(scores, Scores) else METRICS.create_all(metrics)
    if len(labels) < 2 and translations is None:
        raise OptionError("a correlation needs two metrics", fix="name two or more: wer,cer")
    if translations is not None and isinstance(block, int) and block < 1:
        raise OptionError(f"block is {block}", fix="use a number of utterances such as 100")


def _correlate_metrics(
    scores: Scores, by_system: Mapping[str, Scores], bootstrap: Bootstrap, workers: int | None
) -> Correlations:
    """Correlate metrics with each other over utterances."""
    rates = [_rates(of_system) for of_system in by_system.values()]
    pairs = list(combinations(range(len(scores.labels)), 2))
    coefficients = correlations(rates, pairs, bootstrap, workers=workers)
    missing = np.isnan(np.concatenate(rates)).sum(axis=0).tolist()
    settings = {
        "systems": list(by_system),
        "utterances": len(rates[0]),
        **bootstrap.settings,
    }
    undefined = dict(zip(scores.labels, missing, strict=True))
    table = _metric_table(scores.labels, pairs, coefficients)
    return Correlations(table, scores, settings, undefined)


def _rates(scores: Scores) -> NDArray[np.float64]:
    """Return an array (utterances, metrics) of rates; nan where a rate is undefined."""
    rates = [
        column.measure.rate(column.measure.terms(scores.statistics(column.label)))
        for column in scores.columns
    ]
    return np.column_stack(rates).astype(np.float64)


def _cells(correlated: Coefficients) -> dict[str, float]:
    """Return the coefficients and the ends of their intervals, by column."""
    cells: dict[str, float] = {}
    for name in COEFFICIENTS:
        coefficient = getattr(correlated, name)
        cells |= {name: coefficient.value}
        cells |= {f"{name}_low": coefficient.low, f"{name}_high": coefficient.high}
    return cells


def _metric_table(
    labels: list[str], pairs: list[tuple[int, int]], coefficients: list[Coefficients]
) -> pl.DataFrame:
    """Return the table of coefficients between metrics."""

    rows = [
        {
            "a": labels[left],
            "b": labels[right],
            **_cells(correlated),
            "utterances": correlated.rows,
            "systems": correlated.tables,
        }
        for (left, right), correlated in zip(pairs, coefficients, strict=True)
    ]
    numbers = [f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")]
    schema = {"a": pl.String, "b": pl.String, **dict.fromkeys(numbers, pl.Float64)}
    schema |= {"utterances": pl.Float64, "systems": pl.Int64}
    return pl.DataFrame(rows, schema=schema).fill_nan(None)


def _correlate_downstream(
    between_metrics: Correlations,
    by_system: Mapping[str, Scores],
    texts: Mapping[str, tuple[list[str], list[str]]],
    downstream: Mapping[str, Downstream],
    block: int | str,
    bootstrap: Bootstrap,
) -> Correlations:
    """Add the correlations of metrics with downstream scores over blocks.

    `texts` has the translations and their references by system.
    """

    frames, rows = [], []
    for system, of_system in by_system.items():
        frame, block_numbers = find_blocks(of_system, block)
        rates = {}
        for column in of_system.columns:
            terms = column.measure.terms(of_system.statistics(column.label))
            rates[column.label] = column.measure.rate(by_block(terms, block_numbers))
        scores, totals = {}, {}
        for label, score in downstream.items():
            statistics = score.statistics(*texts[system])
            total = statistics.sum(axis=0, keepdims=True)
            sums = np.concatenate([by_block(statistics, block_numbers), total])
            *of_blocks, totals[label] = score.scores(sums).tolist()
            scores[label] = np.array(of_blocks)
        frame = frame.with_columns(**rates, **scores)
        frames.append(frame.select(pl.lit(system).alias("system"), pl.all()))
        rows += [
            {"system": system, **row} for row in _downstream_rows(rates, scores, totals, bootstrap)
        ]
    by_size = isinstance(block, int)
    blocks = {"block_size": block if by_size else None, "block": None if by_size else block}
    return replace(
        between_metrics,
        settings={**between_metrics.settings, **blocks},
        downstream=pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        blocks=pl.concat(frames).fill_nan(None),
        downstream_scores=downstream,
    )


def _downstream_rows(
    rates: Mapping[str, Statistics],
    scores: Mapping[str, Statistics],
    totals: Mapping[str, float],
    bootstrap: Bootstrap,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric and downstream score of one system, over its blocks."""
    table = np.column_stack([*rates.values(), *scores.values()])
    labels = list(product(enumerate(scores, start=len(rates)), enumerate(rates)))
    pairs = [(metric, score) for (score, _), (metric, _) in labels]
    coefficients = correlations([table], pairs, bootstrap)
    for ((_, score), (_, metric)), correlated in zip(labels, coefficients, strict=True):
        yield {
            "metric": metric,
            "score": score,
            **_cells(correlated),
            "blocks": int(correlated.rows),
            "corpus": totals[score],
        }
