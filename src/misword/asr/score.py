"""Score hypotheses against references by any metrics, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import data_notes, encoding_notes, script_notes, shift_notes
from misword.asr.corpus import in_order, make_corpus
from misword.asr.entities.counts import NO_ENTITIES, EntityRequest
from misword.asr.forgiving.choice import without_forgiving
from misword.asr.forgiving.equivalents import equivalent_classes
from misword.asr.forgiving.look import WordErrors, notes_on_errors, writing_notes
from misword.asr.metrics import METRICS, Metric, labelled, learnt_references, statistics_of
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import Metrics, ScoreOptions, Scoring
from misword.asr.pairs import EquivalentClasses, Pairs, prepare
from misword.asr.presets import Preset
from misword.asr.scoring_options import ScoringOptions, combine
from misword.asr.suspicious import FLAGGED, FlagCounts, flag_notes
from misword.asr.views.surface import Character, Word
from misword.asr.word_confidences import BINS, has_confidences
from misword.asr.word_tables import records, word_tables
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import Settings
from misword.core.signature import Signature
from misword.core.types import CONFIDENCES, Corpus, Statistics
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.embed.options import Models
from misword.embed.vectors.words import notes_of
from misword.io.results import read_result
from misword.stat.class_rates import ENTITY_TABLE
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import KEYS, Forgiven, LazyTables
from misword.stat.scores import Scores

# Columns of metrics in a table of scores, and the settings of their signatures.


class MeasuredCorpus(NamedTuple):
    """The statistics of all pairs of a corpus.

    `keys` identifies the pairs. `statistics` has the statistics of each metric, by its label.
    `some_pairs` are some of the pairs, from which settings are read; `all_pairs` returns all of
    them, for tables of words and texts (None: there are no such tables). `notes` are about
    mistakes in the data and differences of writing. `entity_counts` makes the table of counts of
    classes of words, if some were asked for.
    """

    keys: pl.DataFrame
    statistics: dict[str, Statistics]
    some_pairs: Pairs
    all_pairs: Callable[[], Pairs] | None
    notes: list[str]
    entity_counts: Callable[[], pl.DataFrame] | None = None


def metric_settings(metric: Metric, pairs: Pairs) -> Settings:
    """Return the settings of a signature; for a fitted metric also a hash of the references."""
    fitted: Settings = ()
    if metric.fitted:
        learnt = learnt_references(metric, pairs.context)
        digest = learnt.digest if learnt else shown_digest(sum_of_hashes(pairs.reference_texts))
        fitted = (("fitted", f"references-{digest}"),)
    revision = ("v", str(metric.revision))
    own = metric.settings(pairs.context)
    names = {name for name, _ in own}  # a metric with a segmenter names its words itself
    common = (setting for setting in pairs.settings if setting[0] not in names)
    return *own, *fitted, *common, revision


def statistics_columns(label: str, metric: Metric, measured: Statistics) -> list[pl.Series]:
    """Return the statistics as columns: integers, except for fractional statistics."""

    columns = []
    for name, values in zip(metric.statistics, np.asarray(measured).T, strict=True):
        whole = name not in metric.fractional
        if whole and values.dtype.kind == "f" and not (values == np.rint(values)).all():
            raise TypeError(f"{label}.{name} is not whole: {label} must name it in `fractional`")
        numbers = np.array(values, np.int64 if whole else np.float64)
        columns.append(pl.Series(f"{label}.{name}", numbers))
    return columns


# What was forgiven, as columns of a table of scores and as a note for the user.


def with_forgiven(
    table: pl.DataFrame, pairs: Pairs, metrics: Mapping[str, Metric]
) -> tuple[pl.DataFrame, Forgiven]:
    """Return the table with what was forgiven, and the error rates as if nothing were forgiven."""

    families = pairs.readings().families
    if not families:
        return table, Forgiven()
    named = zip(families, forgiven_counts(pairs).T, strict=True)
    table = table.hstack([pl.Series(f"forgiven.{name}", column) for name, column in named])
    plain, without = pairs.without_forgiving(), []
    for label, metric in metrics.items():
        if isinstance(metric, EditRate):
            shown = f"without.{label}"
            table = table.hstack(statistics_columns(shown, metric, metric.measure(plain)))
            signed = Signature(label.partition(":")[0], metric_settings(metric, plain))
            without.append(MetricColumn(shown, metric, signed))
    return table, Forgiven(families, tuple(without))


def forgiven_counts(pairs: Pairs) -> NDArray[np.int64]:
    """Return the number of forgiven blocks of each pair (row) and family (column)."""
    readings = pairs.readings()
    size = len(readings.families)
    numbers = readings.blocks.pair * size + readings.blocks.family
    return np.bincount(numbers, minlength=len(pairs) * size).reshape(-1, size)


# Scoring of a large corpus shard by shard, so that memory does not grow with derived data.
#
# The counts of a pair depend on its two texts alone if words or characters are aligned by unit
# costs. The tokens and alignments of a shard are then needed only until its counts are known; its
# vocabulary is its own. The counts equal those of the whole corpus.

SHARD = 1 << 17  # pairs that are scored at once


def measure_shards(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus | None:
    """Measure a corpus shard by shard; None if it is small or cannot be divided.

    It is also None if a text cannot be scored: the error must name the row of the whole corpus.
    """
    if len(corpus.hypotheses) <= SHARD or not _divisible(corpus, options, context, metrics):
        return None
    try:
        return _measured(corpus, options, context, metrics)
    except InputError:
        return None


def _divisible(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> bool:
    """Whether the counts of each pair depend on its two texts alone, and rows are in order."""
    return (
        all(_counts_edits(metric, context) for metric in metrics.values())
        and type(options.preset) is Preset
        and not options.forgive
        and not any(part.before_alternatives for part in options.chain)
        and not (options.alternatives and _has_braces(corpus))
        and in_order(corpus)
    )


def _counts_edits(metric: Metric, context: Context) -> bool:
    """Whether a metric counts the edits of words or characters, and nothing else."""
    return (
        isinstance(metric, EditRate)
        and type(metric).measure is EditRate.measure
        and metric.aligned_by(context) is None
        and metric.merged is None
        and metric.view(context) in (Word(), Character(spaces=True), Character(spaces=False))
    )


def _has_braces(corpus: Corpus) -> bool:
    """Whether a text may have alternatives."""
    sides = corpus.references["text"], corpus.hypotheses["text"]
    return any(side.str.contains("{", literal=True).any() for side in sides)


def shards(references: int, hypotheses: int) -> Iterator[tuple[slice, slice]]:
    """Yield the rows of references and of hypotheses of each shard.

    A shard is a part of one system, or several systems if these are small.

    >>> list(shards(2, 4))
    [(slice(0, 2, None), slice(0, 4, None))]
    """
    if references > SHARD:
        for start in range(0, hypotheses, references):
            for lo in range(0, references, SHARD):
                hi = min(lo + SHARD, references)
                yield slice(lo, hi), slice(start + lo, start + hi)
        return
    step = SHARD // references * references
    for lo in range(0, hypotheses, step):
        yield slice(0, references), slice(lo, min(lo + step, hypotheses))


def _measured(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus:
    """Measure all shards; the pairs of the whole corpus are prepared when they are first needed."""

    def prepared(part: Corpus) -> Pairs:
        return prepare(
            part, normalize_with=options.chain, alternatives=options.alternatives, context=context
        )

    rows = len(corpus.hypotheses)
    counts = {label: np.empty((rows, 4), np.int32) for label in metrics}
    errors, words = np.empty(rows, np.int32), np.empty(rows, np.int32)
    quick: list[str] = []
    flags = FlagCounts()
    for ours, theirs in shards(len(corpus.references), rows):
        pairs = prepared(Corpus(corpus.references[ours], corpus.hypotheses[theirs]))
        for label, metric in metrics.items():
            counts[label][theirs] = metric.measure(pairs)
        errors[theirs], words[theirs] = WordErrors.of(pairs)
        quick += [*encoding_notes(pairs), *script_notes(pairs, metrics.values())]
        flags += FlagCounts.of(pairs)

    def index(sample: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.stack([sample % len(corpus.references), sample], axis=1)

    found, rates = WordErrors(errors, words), np.minimum(1, errors / np.maximum(1, words))
    notes = [
        *dict.fromkeys(quick),
        *shift_notes(corpus, np.arange(rows), rates),
        *flags.notes(),
        *notes_on_errors(found, corpus, index, options.chain, context.lang),
    ]
    whole = cache(lambda: prepared(corpus))
    return MeasuredCorpus(_keys(corpus), counts, prepared(_first_pair(corpus)), whole, notes)


def _first_pair(corpus: Corpus) -> Corpus:
    """Return a corpus of the first pair, which does not keep the texts of the others in memory."""

    frames = (corpus.references[:1], corpus.hypotheses[:1])
    return Corpus(*(pl.DataFrame(frame.to_dicts(), frame.schema) for frame in frames))


def _keys(corpus: Corpus) -> pl.DataFrame:
    """Return the id, system, rank, features and metadata of each pair."""

    keys = corpus.hypotheses.select(corpus.keys)
    if not corpus.metadata:
        return keys
    times = len(corpus.hypotheses) // len(corpus.references)
    return keys.hstack(pl.concat([corpus.references.select(corpus.metadata)] * times))


# Options of `score` that other functions also use for `Scores`, which need no scoring.


# The functions that users call, and their steps.


SHARED_OPTIONS = ("metrics", "lang", "workers")


@takes(Metrics, ScoreOptions)
def score(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    more_references: Iterable[Any] = (),
    metadata: Any = None,
    ids: Any = None,
    keep_texts: bool = True,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score columns of text: lists, columns of polars, pandas, Arrow or a Hugging Face `Dataset`.

    `hypotheses` is one column, or a mapping or frame of columns by the systems' names. `metadata`
    is a frame with a row per reference. `references` may also be a function that returns a
    `Corpus`; it is called after all options were checked. `more_references` are further columns of
    references, of which the nearest counts.

    `metrics` are `wer,cer` by default, `normalize` is `nfc`; it may also contain functions from
    text to text. `rules` is a file of further rules, `glm` one of NIST's csrfilt. `preset` names
    options that reproduce another tool; `metrics` are then added to its own. `forgive` names
    families of differences of writing that do not count as errors: `writing`, or some of `misword
    parts families`. `entities` (`tags` or `spacy`) and `keywords` (a file, terms, or terms and
    classes) are for `Scores.entities`.

    `lang` (`fr`) and `vectors` (a file, or `WordVectors`) are for the metrics that need them;
    `max_words` reads only the first vectors, `vector_format` names the format. `cache` stores what
    models compute. `workers` is the number of threads. Scores without texts (`keep_texts=False`)
    need less memory; they have no tables of words and texts.

    >>> import misword
    >>> scores = misword.score(["the cat sat"], {"a": ["the cat sat"], "b": ["a cat"]}, "wer")
    >>> scores.summary(bootstrap=0).select("system", "rate").rows()
    [('a', 0.0), ('b', 0.6666666666666666)]
    """
    context = Context.of(**chosen(options, Models))
    combined = combine(context, metrics, **chosen(options, Scoring))
    created = create_metrics(combined.metrics, context)
    request = EntityRequest.of(options["entities"], options["keywords"], combined, context)
    others = _more_references(more_references, combined)
    corpus = make_corpus(references, hypotheses, more_references=others, metadata=metadata, ids=ids)
    measured = _measure(corpus, combined, options["equivalents"], context, created, request)
    if not keep_texts:
        del corpus
        measured.some_pairs.forget_alignments()
        measured = measured._replace(all_pairs=None)
    return scores_of(measured, created)


def _more_references(columns: Iterable[Any], options: ScoringOptions) -> list[Any]:
    """Return further columns of references; raise if they cannot be read as alternatives."""
    listed = list(columns)
    if listed and not options.alternatives:
        raise OptionError("more references are alternatives, which are switched off")
    return listed


def _measure(
    corpus: Corpus,
    options: ScoringOptions,
    equivalents: EquivalentClasses,
    context: Context,
    metrics: Mapping[str, Metric],
    request: EntityRequest,
) -> MeasuredCorpus:
    """Measure a corpus: shard by shard if it is large and can be divided."""
    corpus, request = request.read(corpus)
    classes = equivalent_classes(equivalents)
    whole = bool(classes or request)
    measured = None if whole else measure_shards(corpus, options, context, metrics)
    if measured is None:
        pairs = prepare_with(options, corpus, classes, context)
        measured = measure_whole(pairs, metrics, request)
    return measured


def prepare_with(
    options: ScoringOptions, corpus: Corpus, equivalents: EquivalentClasses, context: Context
) -> Pairs:
    """Prepare a corpus as the options say."""
    return prepare(
        corpus,
        normalize_with=options.chain,
        alternatives=options.alternatives,
        equivalents=equivalents,
        forgive=options.forgive,
        preset=options.preset,
        context=context,
    )


def scores_from(source: Any, **options: Any) -> Scores:
    """Return `source` if it is `Scores`, else score it with these options of `misword.score`.

    Raises if `source` is `Scores` and an option for scoring texts is set.
    """
    if not isinstance(source, Scores):
        return score(source, **options)
    usual = signature(score).parameters
    for name, value in options.items():
        if name not in SHARED_OPTIONS and value is not usual[name].default:
            raise OptionError("Scores were scored already", fix="give them alone")
    return source


def load(folder: str | Path) -> Scores:
    """Read the scores that `Scores.save` or a command with `--out` wrote to a folder."""
    from polars.exceptions import ColumnNotFoundError

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
            "themselves: misword compare REF A B --engine process",
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
        kept = ("texts", ENTITY_TABLE, FLAGGED, CONFIDENCES, BINS)
        names = [name for name in result.tables if name in kept or name.startswith("words")]
        makers = {name: partial(result.tables.__getitem__, name) for name in names}
        scores = Scores(table, columns, LazyTables(makers), (), forgiven, features)
        for label in labels:
            scores.statistics(label)
    except (KeyError, TypeError, ColumnNotFoundError) as error:
        raise InputError(f"incomplete: {error}", where=str(folder), fix="make it again") from None
    return scores


def _without(columns: Iterable[MetricColumn], names: list[str]) -> Iterator[MetricColumn]:
    """Yield the columns of metrics without forgiveness that a table has."""
    for column in columns:
        label = f"without.{column.label}"
        if f"{label}.{column.measure.statistics[0]}" in names:
            settings = without_forgiving(column.signature.settings)
            yield MetricColumn(label, column.measure, Signature(column.signature.metric, settings))


def create_metrics(metrics: str | Iterable[str], context: Context) -> dict[str, Metric]:
    """Create the metrics of specs, by label; raise before any text is read if one cannot be used.

    This also opens the vectors and models that the metrics need, after the checks that are fast.
    """
    created = METRICS.create_all(metrics)
    if not created:
        raise OptionError("no metric is named", fix=f"known: {', '.join(METRICS.names())}")
    for label, metric in created.items():
        with labelled(label):
            metric.check(context)
    if context.cache and any("cache" in metric.uses for metric in created.values()):
        from misword.embed import sentence_cache

        sentence_cache.check()
    for label, metric in created.items():
        with labelled(label):
            metric.settings(context)
    return created


def measure_whole(
    pairs: Pairs, metrics: Mapping[str, Metric], request: EntityRequest = NO_ENTITIES
) -> MeasuredCorpus:
    """Measure prepared pairs by the metrics that `create_metrics` returned."""
    # The counts of entities come first: metrics then reuse their alignment.
    counts = request.count(word_tables(pairs, metrics).rate_of["words"], pairs)
    # Metrics that need operations come first: the others then reuse their alignments.
    order = sorted(metrics, key=lambda label: not metrics[label].operations)
    measured = {label: statistics_of(metrics[label], pairs) for label in order}
    notes = [
        *counts.notes,
        *script_notes(pairs, metrics.values()),
        *data_notes(pairs),
        *flag_notes(pairs),
        *writing_notes(pairs),
    ]
    return MeasuredCorpus(pairs.keys, measured, pairs, lambda: pairs, notes, counts.table)


def scores_of(measured: MeasuredCorpus, metrics: Mapping[str, Metric]) -> Scores:
    """Return the scores of a corpus that was measured."""
    pairs, context = measured.some_pairs, measured.some_pairs.context
    tables = word_tables(pairs, metrics)
    known = {*KEYS, *pairs.source.metadata}
    features = tuple(name for name in measured.keys.columns if name not in known)
    table, columns, notes = measured.keys, [], [*pairs.notes, *notes_of(context)]
    for label, metric in metrics.items():
        statistics = statistics_columns(label, metric, measured.statistics.pop(label))
        names = {f"{label}.rate", *(column.name for column in statistics)}
        if clash := names.intersection(table.columns):
            what = "a feature" if clash & set(features) else "metadata"
            raise OptionError(f"{what} has a column {clash.pop()!r}", fix="rename it")
        table = table.hstack(statistics)
        signed = Signature(label.partition(":")[0], metric_settings(metric, pairs))
        columns.append(MetricColumn(label, metric, signed, tables.table_of.get(label, "")))
        notes += [f"{label}: {note}" for note in metric.notes(context)]
    table, forgiven = with_forgiven(table, pairs, metrics)
    words = LazyTables()
    if measured.all_pairs is not None:
        confident = has_confidences(pairs)
        words = records(measured.all_pairs, context, metrics, tables, confident=confident)
    if (counts := measured.entity_counts) is not None:
        words = words.with_table(ENTITY_TABLE, counts)
    return Scores(table, tuple(columns), words, (*notes, *measured.notes), forgiven, features)
