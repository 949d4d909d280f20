"""Measure a corpus by metrics: statistics of all pairs, their columns and signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import (
    data_notes,
    encoding_notes,
    language_notes,
    script_notes,
    shift_notes,
)
from misword.asr.checking.suspicious import FlagCounts, flag_notes
from misword.asr.checking.writing_notes import TokenErrors, notes_on_errors, writing_notes
from misword.asr.corpus import in_order
from misword.asr.metrics import METRICS, Metric, labelled, learnt_references, statistics_of
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import DEFAULT_METRICS, ScoringOptions, find_preset
from misword.asr.pairs import EquivalentClasses, Pairs, prepare
from misword.asr.presets import Preset
from misword.asr.views.surface import Character, Word
from misword.asr.word_tables import AllPairs, lazy_tables, word_tables
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.core.parts.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import Corpus, Statistics
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import (
    CRITICAL_TERMS,
    KEYS,
    SEVERITY_ERRORS,
    SILENCE,
    WORD_BEGINS,
    Forgiven,
    LazyTables,
    MakeTable,
)
from misword.stat.scores import Scores
from misword.stat.tallies.class_rates import ENTITY_TABLE

if TYPE_CHECKING:
    from misword.asr.entities.counts import EntityCounts, EntityRequest
    from misword.asr.entities.spans import KeywordList

# Metrics of times, which have records of single words, segments and results.
OF_TIMES = ("word-times", "segment-times", "latency")

# Columns of metrics in a table of scores, and the settings of their signatures.


class MeasuredCorpus(NamedTuple):
    """The statistics of all pairs of a corpus.

    `keys` identifies the pairs. `statistics` has the statistics of each metric, by its label.
    `some_pairs` are some of the pairs, from which settings are read; `all_pairs` has all of
    them, for tables of words and texts (None: there are no such tables). `notes` are about
    mistakes in the data and differences of writing. `entity_counts` makes the table of counts of
    classes of words, if some were asked for. `records` make tables of speakers
    (`asr/speaker_tables.py`) and of times of words (`asr/metrics/times.py`).
    """

    keys: pl.DataFrame
    statistics: dict[str, Statistics]
    some_pairs: Pairs
    all_pairs: AllPairs | None
    notes: list[str]
    entity_counts: Callable[[], pl.DataFrame] | None = None
    records: Mapping[str, MakeTable] = MappingProxyType({})


def metric_settings(metric: Metric, pairs: Pairs) -> Settings:
    """Return the settings of a signature; for a fitted metric also a hash of the references."""
    fitted: Settings = ()
    if metric.fitted:
        from misword.embed.fitting import shown_digest, sum_of_hashes

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
    """Return the table with forgiven differences, and the metrics measured without forgiving."""

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


# Scoring of a large corpus part by part, so that memory does not grow with derived data.
#
# The counts of a pair depend on its two texts alone if words or characters are aligned by unit
# costs. The tokens and alignments of a part are then needed only until its counts are known; its
# vocabulary is its own. The counts equal those of the whole corpus.

AT_ONCE = 1 << 17  # pairs that are scored at once
WORDS_AT_ONCE = 1 << 14  # pairs whose words are in a table at once


def measure_in_parts(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus | None:
    """Measure a corpus part by part; None if it is small or cannot be divided.

    It is also None if a text cannot be scored: the error must name the row of the whole corpus.
    """
    if len(corpus.hypotheses) <= AT_ONCE or not _divisible(corpus, options, context, metrics):
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
        and corpus.several is None
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


def part_rows(references: int, starts: NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Yield the rows of references and of hypotheses of each part.

    `starts` has the row of the first hypothesis of each list, for each system and reference, and
    at its end the number of all hypotheses. A part has whole lists: some of one system, or those
    of several systems if these are small.

    >>> list(part_rows(2, np.array([0, 1, 2, 3, 4])))
    [(slice(0, 2, None), slice(0, 4, None))]
    """
    lists = len(starts) - 1
    lo = 0
    while lo < lists:
        most = int(np.searchsorted(starts, starts[lo] + AT_ONCE, side="right")) - 1
        if lo % references == 0 and most - lo >= references:  # whole systems
            hi = lo + (most - lo) // references * references
            ours = slice(0, references)
        else:  # a single list may be longer than a part
            hi = min(max(most, lo + 1), (lo // references + 1) * references)
            ours = slice(lo % references, lo % references + hi - lo)
        yield ours, slice(int(starts[lo]), int(starts[hi]))
        lo = hi


def _measured(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus:
    """Measure all parts; the pairs of the whole corpus are prepared when they are first needed."""

    def prepared(part: Corpus) -> Pairs:
        return prepare(
            part, normalize_with=options.chain, alternatives=options.alternatives, context=context
        )

    rows = len(corpus.hypotheses)
    starts = np.append(np.flatnonzero(corpus.hypotheses["rank"].to_numpy() == 1), rows)
    counts = {label: np.empty((rows, 4), np.int32) for label in metrics}
    errors = TokenErrors(np.zeros(rows, np.int32), np.zeros(rows, np.int32), of_words=True)
    quick: list[str] = []
    flags = FlagCounts()
    for ours, theirs in part_rows(len(corpus.references), starts):
        pairs = prepared(Corpus(corpus.references[ours], corpus.hypotheses[theirs]))
        for label, metric in metrics.items():
            counts[label][theirs] = metric.measure(pairs)
        if (found := TokenErrors.of(pairs)) is not None:
            errors.errors[theirs], errors.tokens[theirs] = found.errors, found.tokens
            errors = errors._replace(of_words=found.of_words)
        quick += [
            *encoding_notes(pairs),
            *script_notes(pairs, metrics.values()),
            *language_notes(pairs),
        ]
        flags += FlagCounts.of(pairs)

    def index(sample: NDArray[np.int64]) -> NDArray[np.int64]:
        lists = np.searchsorted(starts, sample, side="right") - 1
        return np.stack([lists % len(corpus.references), sample], axis=1)

    notes = [
        *dict.fromkeys(quick),
        *(shift_notes(corpus, starts[:-1], errors.rates) if len(starts) > rows else ()),
        *flags.notes(),
        *notes_on_errors(errors, corpus, index, options.chain, context.lang),
    ]

    def parts() -> Iterator[Pairs]:
        size = len(corpus.references)
        best = starts[:-1].reshape(-1, size)  # the best hypothesis of each system and reference
        step = max(1, WORDS_AT_ONCE // len(best))
        for at in range(0, size, step):
            rows = best[:, at : at + step].ravel()
            yield prepared(Corpus(corpus.references[at : at + step], corpus.hypotheses[rows]))

    every = AllPairs(corpus, cache(lambda: prepared(corpus)), parts)
    return MeasuredCorpus(_keys(corpus), counts, prepared(_first_pair(corpus)), every, notes)


def _first_pair(corpus: Corpus) -> Corpus:
    """Return a corpus of the first pair: a copy, so that the other texts can be freed."""

    frames = (corpus.references[:1], corpus.hypotheses[:1])
    references, hypotheses = (pl.DataFrame(frame.to_dicts(), frame.schema) for frame in frames)
    return Corpus(references, hypotheses, corpus.words)


def _keys(corpus: Corpus) -> pl.DataFrame:
    """Return the id, system, rank, features and metadata of each pair."""

    keys = corpus.hypotheses.select(corpus.keys)
    if not corpus.metadata:
        return keys
    lists = np.cumsum(keys["rank"].to_numpy() == 1) - 1
    return keys.hstack(corpus.references.select(corpus.metadata)[lists % len(corpus.references)])


def _has_confidences(corpus: Corpus) -> bool:
    if corpus.words is None:
        return False
    from misword.io.transcripts.words import has_confidences  # plain texts do not need it

    return has_confidences(corpus)


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


def measure_pairs(
    pairs: Pairs, metrics: Mapping[str, Metric], request: EntityRequest | None = None
) -> tuple[dict[str, Statistics], EntityCounts | None]:
    """Return the statistics of prepared pairs by metric, and the counts of requested words."""
    counts = None
    if request is not None:  # first, because metrics then reuse the alignment
        counts = request.count(word_tables(pairs, metrics).rate_of["words"], pairs)
    # Metrics that need operations come first: the others then reuse their alignments.
    order = sorted(metrics, key=lambda label: not metrics[label].operations)
    return {label: statistics_of(metrics[label], pairs) for label in order}, counts


def measure_whole(
    pairs: Pairs, metrics: Mapping[str, Metric], request: EntityRequest | None = None
) -> MeasuredCorpus:
    """Measure prepared pairs by the metrics that `create_metrics` returned."""
    measured, counts = measure_pairs(pairs, metrics, request)
    notes = [
        *(counts.all_notes() if counts else ()),
        *script_notes(pairs, metrics.values()),
        *language_notes(pairs),
        *data_notes(pairs),
        *flag_notes(pairs),
        *writing_notes(pairs),
        *(pairs.readings().notes() if pairs.choice else ()),
    ]
    records = {**_speaker_tables(pairs, metrics, notes), **_time_records(pairs, metrics, notes)}
    table, every = counts.table if counts else None, AllPairs(pairs.source, lambda: pairs)
    return MeasuredCorpus(pairs.keys, measured, pairs, every, notes, table, records)


def _speaker_tables(
    pairs: Pairs, metrics: Mapping[str, Metric], notes: list[str]
) -> Mapping[str, MakeTable]:
    """Return what makes the tables of speakers if metrics compare them; add notes on speakers."""
    compared = any(metric.of_recordings for metric in metrics.values())
    if pairs.source.words is None:
        return {}
    from misword.asr.speaker_tables import (  # plain texts do not need it
        note_on_ignored_speakers,
        notes_on_speakers,
        speaker_tables,
    )

    if not compared:
        notes += note_on_ignored_speakers(pairs.source)
        return {}
    notes += notes_on_speakers(pairs)
    return speaker_tables(pairs)


def _time_records(
    pairs: Pairs, metrics: Mapping[str, Metric], notes: list[str]
) -> Mapping[str, MakeTable]:
    """Return the errors of times of words if a metric measures them, and add notes on them."""
    if not any(metric.name in OF_TIMES for metric in metrics.values()):
        return {}
    from misword.asr.metrics.times import notes_on_times, time_records  # loaded if asked for

    records = time_records(pairs, metrics.values())
    notes += notes_on_times(records)
    if any(metric.name == "latency" for metric in metrics.values()):
        from misword.asr.metrics.latency import latency_records

        records |= latency_records(pairs)
    return {name: partial(_as_it_is, table) for name, table in records.items()}


def _has_times(corpus: Corpus) -> bool:
    """Return whether words have times."""
    return corpus.words is not None and corpus.words["begin"].count() > 0


def _word_begins(pairs: AllPairs) -> pl.DataFrame:
    from misword.asr.metrics.times import word_begins  # only words with times need it

    return word_begins(pairs.whole())


def _with_severity(
    tables: LazyTables, pairs: AllPairs, metrics: Mapping[str, Metric]
) -> LazyTables:
    """Add the tables of labelled errors, if the metrics of severity were measured."""
    if not {"severity", "critical"} <= set(metrics):
        return tables
    from misword.asr.severity.labelling import critical_terms, label_pairs, silence_table

    def errors() -> pl.DataFrame:
        whole = pairs.whole()
        return label_pairs(whole, critical_terms(whole.context)).table(whole.keys)

    with_errors = tables.with_table(SEVERITY_ERRORS, errors)
    return with_errors.with_table(SILENCE, lambda: silence_table(pairs.whole()))


def entity_request(
    options: Mapping[str, Any], combined: ScoringOptions, context: Context
) -> EntityRequest | None:
    """Return what the options `entities` and `keywords` ask for; None without them."""
    entities, keywords = options.get("entities"), options.get("keywords")
    if entities is None and keywords is None:
        return None
    from misword.asr.entities.counts import EntityRequest

    return EntityRequest.of(entities, keywords, combined, context)


def _as_it_is(table: pl.DataFrame) -> pl.DataFrame:
    return table


def scores_of(measured: MeasuredCorpus, metrics: Mapping[str, Metric]) -> Scores:
    """Return the scores of a corpus that was measured."""
    pairs, context = measured.some_pairs, measured.some_pairs.context
    tables = word_tables(pairs, metrics)
    known = {*KEYS, *pairs.source.metadata}
    features = tuple(name for name in measured.keys.columns if name not in known)
    table, columns, notes = measured.keys, [], [*pairs.notes]
    if "vectors" in context.opened:
        from misword.embed.vectors.words import notes_of

        notes += notes_of(context)
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
        with_confidences = _has_confidences(pairs.source)
        words = lazy_tables(
            measured.all_pairs, context, metrics, tables, with_confidences=with_confidences
        )
        words = _with_severity(words, measured.all_pairs, metrics)
        if SEVERITY_ERRORS in words:
            from misword.asr.severity.labelling import silence_notes

            notes += silence_notes(measured.all_pairs.whole())
    if (counts := measured.entity_counts) is not None:
        words = words.with_table(ENTITY_TABLE, counts)
    for name, make in measured.records.items():
        words = words.with_table(name, make)
    if measured.all_pairs is not None and _has_times(pairs.source):
        words = words.with_table(WORD_BEGINS, partial(_word_begins, measured.all_pairs))
    return Scores(table, tuple(columns), words, (*notes, *measured.notes), forgiven, features)


# Options of the severity of errors.

SEVERITY_METRICS = ("severity", "critical")


def keep_critical_terms(context: Context, terms: KeywordList | None) -> None:
    """Keep the critical terms in the context, where the metrics of severity read them."""
    if terms is not None:
        from misword.asr.entities.spans import terms_of

        context.opened[CRITICAL_TERMS] = tuple(terms_of(terms))


def check_critical_terms(terms: KeywordList | None, metrics: Iterable[str]) -> None:
    """Raise if there are critical terms and no metric that reads them."""
    names = {label.partition(":")[0] for label in metrics}
    if terms is not None and not names.intersection(SEVERITY_METRICS):
        raise OptionError(
            "no metric here reads the critical terms", fix="add --severity, or --metrics severity"
        )


def with_severity(
    metrics: str | Iterable[str] | None, preset: Any, labels: Iterable[str] = ()
) -> list[str]:
    """Return the metrics with those of severity; the usual ones beside them by default.

    Each of the labels is a metric of its own: its critical errors.
    """
    named = split_specs(metrics or ())
    if metrics is None and find_preset(preset).metrics is None:
        named = list(DEFAULT_METRICS)
    of_labels = (f"critical:{label}" for label in labels)
    return list(dict.fromkeys([*named, *SEVERITY_METRICS, *of_labels]))
