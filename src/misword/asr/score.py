"""Score hypotheses against references by any metrics, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from misword.asr.checking.suspicious import FLAGGED
from misword.asr.corpus import make_corpus
from misword.asr.forgiving.choice import without_forgiving
from misword.asr.measuring import (
    MeasuredCorpus,
    check_critical_terms,
    create_metrics,
    entity_request,
    keep_critical_terms,
    measure_in_parts,
    measure_whole,
    prepare_with,
    scores_of,
    with_severity,
)
from misword.asr.metrics import METRICS, Metric
from misword.asr.options import (
    Metrics,
    ScoreOptions,
    Scoring,
    ScoringOptions,
    combine,
)
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.signature import Signature
from misword.core.types import CONFIDENCES, Corpus
from misword.embed.options import Models
from misword.io.shards import Shards, takes_no_shards
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import (
    REFERENCE_TABLE,
    SEVERITY_ERRORS,
    SILENCE,
    SPEAKER_TABLES,
    SPEAKER_WORDS,
    TIME_RECORDS,
    WORD_BEGINS,
    Forgiven,
    LazyTables,
)
from misword.stat.scores import Scores
from misword.stat.tallies.class_rates import ENTITY_TABLE

if TYPE_CHECKING:
    from misword.asr.entities.counts import EntityRequest

SHARED_OPTIONS = ("metrics", "lang", "workers")


@takes(Metrics, ScoreOptions)
def score(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    more_references: Iterable[Any] = (),
    merge: str = "any",
    metadata: Any = None,
    ids: Any = None,
    keep_texts: bool = True,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score columns of text: lists, columns of polars, pandas, Arrow or a Hugging Face `Dataset`.

    `hypotheses` is one column, or a mapping or frame of columns by the systems' names. `metadata`
    is a frame with a row per reference. `references` may also be shards (`misword.shards`), or a
    function that returns a `Corpus`, which is called after all options were checked.
    `more_references` are further columns of references. They are merged by spans: where references
    differ, each of them is right (`merge="any"`), or what most of them have (`majority`). With
    `whole`, the reference with the fewest errors counts for each hypothesis.

    `metrics` are `wer,cer` by default, `normalize` is `nfc`; it may also contain functions from
    text to text. `rules` is a file of further rules, `glm` one of NIST's csrfilt. `preset` names
    options that reproduce another tool; `metrics` are then added to its own. `forgive` names
    families of differences of writing that do not count as errors: `writing`, or some of `misword
    parts families`. `entities` (`tags` or `spacy`) and `keywords` (a file, terms, or terms and
    classes) are for `Scores.entities`. `severity` labels each error and adds the metrics `severity`
    and `critical`; an error in one of the `critical_terms` is critical.

    `lang` (`fr`) and `vectors` (a file, or `WordVectors`) are for the metrics that need them;
    `max_words` reads only the first vectors, `vector_format` names the format. `cache` stores what
    models compute. `workers` is the number of threads. Scores without texts (`keep_texts=False`)
    need less memory; they have no tables of words and texts.

    >>> import misword
    >>> scores = misword.score(["the cat sat"], {"a": ["the cat sat"], "b": ["a cat"]}, "wer")
    >>> scores.summary(bootstrap=0).select("system", "rate").rows()
    [('a', 0.0), ('b', 0.6666666666666666)]
    """
    if isinstance(references, Shards):
        texts = {"hypotheses": hypotheses, "more_references": more_references}
        names = {"metrics": metrics, "metadata": metadata, "ids": ids}
        return _score_shards(references, {**texts, **names, **options})
    context, combined, created = _prepared(metrics, options)
    request = entity_request(options, combined, context)
    if any(metric.of_recordings for metric in created.values()):
        without_words = not any(metric.of_words for metric in created.values())
        references = _whole_recordings(references, without_words=without_words)
    about: dict[str, Any] = {"merge": merge, "metadata": metadata, "ids": ids}
    about["more_references"] = _more_references(more_references, combined)
    classes = _classes(options["equivalents"])
    corpus = make_corpus(references, hypotheses, cuts=True, **about)
    corpus = _settled(corpus, combined, classes, context)
    measured = _measure(corpus, combined, classes, context, created, request)
    counts = _reference_counter(corpus, combined, classes, context, created)
    del corpus
    scores = scores_of(measured if keep_texts else _without_texts(measured), created)
    if counts is not None:
        scores = replace(scores, records=scores.records.with_table(REFERENCE_TABLE, counts))
    return scores


def _score_shards(shards: Shards, arguments: dict[str, Any]) -> Scores:
    """Score shards by a module that is imported only if it is needed."""
    from misword.asr.sharding import score_shards

    return score_shards(shards, arguments)


def _whole_recordings(source: Any, *, without_words: bool) -> Any:
    """Return a source of a corpus; files are then read as whole recordings."""
    from misword.io.transcripts.files import CorpusFiles

    if isinstance(source, CorpusFiles):
        return source.by_recording(without_words=without_words)
    return source


def _reference_counter(corpus: Corpus, *settings: Any) -> Callable[[], pl.DataFrame] | None:
    """Return a function that measures references and systems; None if there is one reference."""
    if corpus.several is None:
        return None
    return partial(_reference_counts, corpus, corpus.several, *settings)


def _reference_counts(*arguments: Any) -> pl.DataFrame:
    """Return the table of `reference_counts`, whose module is imported only if it is needed."""
    from misword.asr.references.agreement import reference_counts

    return reference_counts(*arguments)


def _prepared(
    metrics: str | Iterable[str] | None, options: Mapping[str, Any]
) -> tuple[Context, ScoringOptions, dict[str, Metric]]:
    """Return the context, the combined options and the metrics of a run, all checked."""
    context = Context.of(**chosen(options, Models))
    keep_critical_terms(context, options["critical_terms"])
    metrics = with_severity(metrics, options["preset"]) if options["severity"] else metrics
    combined = combine(context, metrics, **chosen(options, Scoring))
    created = create_metrics(combined.metrics, context)
    check_critical_terms(options["critical_terms"], created)
    return context, combined, created


def _settled(
    corpus: Corpus, options: ScoringOptions, classes: list[Iterable[str]], context: Context
) -> Corpus:
    """Return the corpus with its hypotheses cut at the segments of the references, if needed."""
    if corpus.segments is None:
        return corpus
    from misword.asr.recordings.cutting import settle_segments

    return settle_segments(corpus, options, classes, context)


def _classes(equivalents: Any) -> list[Iterable[str]]:
    """Return the classes of words or phrases that count as the same."""
    if not equivalents:
        return []
    from misword.asr.forgiving.equivalents import equivalent_classes

    return [*equivalent_classes(equivalents)]


def _without_texts(measured: MeasuredCorpus) -> MeasuredCorpus:
    """Return what was measured without the texts of the pairs."""
    measured.some_pairs.forget_alignments()
    return measured._replace(all_pairs=None)


def _more_references(columns: Iterable[Any], options: ScoringOptions) -> list[Any]:
    """Return further columns of references; raise if they cannot be read as alternatives."""
    listed = list(columns)
    if listed and not options.alternatives:
        raise OptionError("more_references are read as alternatives, which are switched off")
    return listed


def _measure(
    corpus: Corpus,
    options: ScoringOptions,
    classes: Sequence[Iterable[str]],
    context: Context,
    metrics: Mapping[str, Metric],
    request: EntityRequest | None,
) -> MeasuredCorpus:
    """Measure a corpus: part by part if it is large and can be divided."""
    if request is not None:
        corpus, request = request.read(corpus)
    whole = bool(classes or request)
    measured = None if whole else measure_in_parts(corpus, options, context, metrics)
    if measured is None:
        pairs = prepare_with(options, corpus, classes, context)
        measured = measure_whole(pairs, metrics, request)
    return measured


def scores_from(source: Any, **options: Any) -> Scores:
    """Return `source` if it is `Scores`, else score it with these options of `misword.score`.

    Raises if `source` is `Scores` and an option for scoring texts is set.
    """
    if isinstance(source, Shards):
        raise takes_no_shards()
    if not isinstance(source, Scores):
        return score(source, **options)
    usual = signature(score).parameters
    for name, value in options.items():
        if name not in SHARED_OPTIONS and value is not usual[name].default:
            raise OptionError(
                "`Scores` take no options for scoring",
                fix="leave out the options, or give the texts",
            )
    return source


def load(folder: str | Path) -> Scores:
    """Read the scores that `Scores.save` or a command with `--out` wrote to a folder."""

    from polars.exceptions import ColumnNotFoundError

    from misword.asr.word_confidences import BINS
    from misword.io.results import read_result

    result = read_result(folder)
    if result.kind not in ("scores", "comparison"):
        raise InputError(
            f"this is a result of kind {result.kind!r}, not scores",
            where=str(folder),
            fix="name a folder that `misword score` or `misword compare` wrote",
        )
    if "shards" in result.provenance:
        raise InputError(
            "this is a result of shards, without a table of all utterances",
            where=str(folder),
            fix="read the Parquet files in its folder `utterances`, or compare the shards "
            "themselves: misword compare REF A B --engine auto",
        )
    try:
        labels, signatures = result.provenance["metrics"], result.provenance["signatures"]
        table = result.tables["utterances"].drop([f"{label}.rate" for label in labels])
        columns = tuple(
            MetricColumn(
                label,
                METRICS.create(label),
                Signature.parse(signatures[label]),
                result.provenance["words"][label],
            )
            for label in labels
        )
        families = tuple(result.provenance.get("forgiven", ()))
        features = tuple(result.provenance.get("features", ()))
        if lacking := set(features).difference(table.columns):
            raise KeyError(lacking.pop())
        forgiven = Forgiven(families, tuple(_without(columns, table.columns)))
        kept = (
            *("texts", ENTITY_TABLE, REFERENCE_TABLE, SEVERITY_ERRORS, SILENCE),
            *(FLAGGED, CONFIDENCES, BINS, *SPEAKER_TABLES, SPEAKER_WORDS),
            *(*TIME_RECORDS, WORD_BEGINS),
        )
        names = [name for name in result.tables if name in kept or name.startswith("words")]
        makers = {name: partial(result.tables.__getitem__, name) for name in names}
        scores = Scores(table, columns, LazyTables(makers), (), forgiven, features)
        for label in labels:
            scores.statistics(label)
    except (KeyError, TypeError, ColumnNotFoundError) as error:
        raise InputError(f"incomplete: {error}", where=str(folder), fix="make it again") from None
    return scores


def _without(columns: Iterable[MetricColumn], names: list[str]) -> Iterator[MetricColumn]:
    """Yield the columns of metrics measured without forgiving that a table has."""
    for column in columns:
        label = f"without.{column.label}"
        if f"{label}.{column.measure.statistics[0]}" in names:
            settings = without_forgiving(column.signature.settings)
            yield MetricColumn(label, column.measure, Signature(column.signature.metric, settings))
