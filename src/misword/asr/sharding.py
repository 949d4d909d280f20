"""Scores of shards: what workers do with a shard, what they return, and how it is added up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from hashlib import sha256
from io import BytesIO
from operator import add
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from misword.asr.checking.quick_notes import encoding_notes, script_notes
from misword.asr.checking.suspicious import FlagCounts
from misword.asr.entities.counts import EntityRequest
from misword.asr.entities.spans import terms_of
from misword.asr.entities.tags import COLUMN as TAG_COLUMN
from misword.asr.forgiving.equivalents import equivalent_classes
from misword.asr.measuring import (
    MeasuredCorpus,
    check_critical_terms,
    create_metrics,
    entity_request,
    keep_critical_terms,
    measure_pairs,
    prepare_with,
    scores_of,
    with_severity,
)
from misword.asr.metrics import METRICS, LearntReferences, Metric, labelled
from misword.asr.options import Scoring, ScoringOptions, combine
from misword.asr.pairs import EquivalentClasses, Pairs
from misword.asr.presets import Preset
from misword.asr.severity.levels import DANGEROUS
from misword.asr.word_tables import AllPairs
from misword.core.context import Context
from misword.core.display import names_shown
from misword.core.engines import Work
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen
from misword.core.types import Corpus
from misword.core.version import __version__
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.embed.options import Models
from misword.io.files.limits import chosen_limit, limited
from misword.io.files.parquet import parquet_errors
from misword.io.files.path_errors import naming
from misword.io.files.writing import apart, write_whole
from misword.io.results import SHARDS
from misword.io.shards import ShardReading, Shards, refuse_arguments
from misword.io.shards.corpora import corpus_ids, list_ids, read_corpora, read_lists
from misword.io.shards.files import ShardTask
from misword.io.shards.records import DIGEST, ShardRecord, shard_digest
from misword.io.shards.running import HashFiles, ShardRun
from misword.io.shards.source import check_local
from misword.native.byte_ranges import Hashes, hash_texts
from misword.stat.score_tables import KEYS, LazyTables, check_same_metrics, refuse_own_names
from misword.stat.scores import Scores
from misword.stat.tallies.class_rates import ENTITY_TABLE
from misword.stat.tallies.paired_counts import SEGMENT_TABLE
from misword.stat.tallies.tally import Tally, TallySum

AS_ONE = "read the texts as one file"


def context_of(arguments: Mapping[str, Any], threads: int | None = None) -> Context:
    """Return the context of arguments of `misword.score`."""
    context = Context.of(**chosen({**arguments, "workers": threads}, Models))
    keep_critical_terms(context, arguments.get("critical_terms"))
    return context


def combined_options(arguments: Mapping[str, Any], context: Context) -> ScoringOptions:
    """Return the options that arguments of `misword.score` name."""
    return combine(context, arguments.get("metrics"), **chosen(arguments, Scoring))


def check_arguments(arguments: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics by label; raise if an option has no meaning for shards."""
    if not isinstance(arguments.get("vectors"), str | PathLike | None):
        raise OptionError(
            "vectors in memory cannot be sent to workers", fix="give the path of their file"
        )
    context = context_of(arguments)
    options = combined_options(arguments, context)
    if type(options.preset).join is not Preset.join:
        raise OptionError(
            f"--preset {options.preset.name} joins utterances, which may be in different shards",
            fix=AS_ONE,
        )
    created = METRICS.create_all(options.metrics)
    if not created:
        raise OptionError("no metric is named", fix=f"known: {', '.join(METRICS.names())}")
    for label, metric in created.items():
        with labelled(label):
            metric.check(context)
            if metric.fitted and not metric.fit_passes:
                raise OptionError(
                    "the metric learns from all references at once, which shards do not allow",
                    fix=f"leave the metric out, or {AS_ONE}",
                )
    entity_request(arguments, options, context)
    return created


# Notes of shards, added up to those of a run.

COUNT = re.compile(r"\d[\d,]*")


@dataclass(frozen=True, slots=True)
class RunNotes:
    """Notes for the user about the utterances of a shard.

    `plain` are sentences that hold once for all shards. `counts` are sentences whose numbers add
    up: "3 of 100 utterances are left out". `flags` counts hypotheses that look made up or stuck,
    `lacking` the utterances without a hypothesis of each system, `left_out` those that were not
    scored for it. `absent` are the classes of keywords that no text has; None without texts. `rows`
    is the number of pairs of reference and hypothesis that were read, `unscored` how many of them
    were left out, for any reason.
    """

    plain: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    flags: FlagCounts = field(default_factory=FlagCounts)
    lacking: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    absent: tuple[str, ...] | None = None
    rows: int = 0
    unscored: int = 0

    @classmethod
    def of(cls, pairs: Pairs, metrics: Iterable[Metric], plain: Sequence[str]) -> RunNotes:
        """Make the notes on some pairs; `plain` are notes about the metrics."""
        quick = (*plain, *encoding_notes(pairs), *script_notes(pairs, metrics))
        return cls(quick, pairs.notes, FlagCounts.of(pairs))

    def __add__(self, other: RunNotes) -> RunNotes:
        names = dict.fromkeys([*self.lacking, *other.lacking])
        absent = [each.absent for each in (self, other) if each.absent is not None]
        return RunNotes(
            tuple(dict.fromkeys([*self.plain, *other.plain])),
            add_up([*self.counts, *other.counts]),
            self.flags + other.flags,
            {name: self.lacking.get(name, 0) + other.lacking.get(name, 0) for name in names},
            self.left_out + other.left_out,
            tuple(kind for kind in absent[0] if kind in absent[-1]) if absent else None,
            self.rows + other.rows,
            self.unscored + other.unscored,
        )

    def stored(self) -> dict[str, Any]:
        """Return the notes as JSON can store them."""
        flags = [dict(self.flags.flags), self.flags.flagged, self.flags.hypotheses]
        return {
            "plain": list(self.plain),
            "counts": list(self.counts),
            "flags": flags,
            "lacking": self.lacking,
            "left_out": self.left_out,
            "absent": None if self.absent is None else list(self.absent),
            "rows": self.rows,
            "unscored": self.unscored,
        }

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> RunNotes:
        """Return the notes that `stored` returned."""
        flags, flagged, hypotheses = stored["flags"]
        return cls(
            tuple(stored["plain"]),
            tuple(stored["counts"]),
            FlagCounts(Counter(flags), flagged, hypotheses),
            dict(stored["lacking"]),
            int(stored["left_out"]),
            None if stored["absent"] is None else tuple(stored["absent"]),
            int(stored["rows"]),
            int(stored["unscored"]),
        )

    def sentences(self) -> list[str]:
        """Return all notes."""
        notes = [*sorted(self.plain), *self.counts]
        if self.left_out:
            notes.append(f"{counted(self.left_out, 'utterance')} left out: a hypothesis is missing")
        for name, count in self.lacking.items():
            if not self.left_out:
                notes.append(
                    f"{name}: {counted(count, 'utterance')} without a hypothesis; their words "
                    "count as deletions"
                )
        if self.absent:
            notes.append(f"no text has a keyword of {names_shown(self.absent)}")
        return [*notes, *self.flags.notes(advice="")]


def add_up(sentences: Iterable[str]) -> tuple[str, ...]:
    """Join sentences that differ only in their numbers; the numbers are added up.

    >>> add_up(["1 of 2 left out", "2 of 1,000 left out"])
    ('3 of 1,002 left out',)
    """
    totals: dict[str, list[int]] = {}
    for sentence in sentences:
        numbers = [int(found.replace(",", "")) for found in COUNT.findall(sentence)]
        form = COUNT.sub("\0", sentence)
        before = totals.get(form, [0] * len(numbers))
        totals[form] = [a + b for a, b in zip(before, numbers, strict=True)]
    return tuple(_filled(form, numbers) for form, numbers in totals.items())


def _filled(form: str, numbers: Sequence[int]) -> str:
    texts = (f"{number:,}" for number in numbers)
    return re.sub("\0", lambda _: next(texts), form)


# Files of a run over shards: the statistics of utterances.
#
# The folder `utterances` of a result has Parquet files with the statistics of each shard, and for
# each finished shard its record (`io/shards/records.py`). The names of the files have a digest of
# the shard and of all options that decide a number.

LONGEST = 80  # characters of a shard's name in the names of its files
CLASSES = "entities"  # the folder for the counts of entities and keywords
OWN = re.compile(rf".*-[0-9a-f]{{{DIGEST}}}(-\d{{5}}\.parquet|\.json)")


@dataclass(slots=True)
class ShardFiles:
    """The files of one shard in the folder of a run; `parts` are those with statistics."""

    folder: Path
    stem: str
    record: ShardRecord
    parts: list[str] = field(default_factory=list)
    segments: list[list[dict[str, Any]] | None] = field(default_factory=list)

    @classmethod
    def of(cls, out: str, task: ShardTask, key: str) -> ShardFiles:
        """Return the files of a task; `key` is the digest of the options."""
        folder, digest = Path(out) / SHARDS, shard_digest(task, key)
        plain = re.sub(r"[^\w.-]+", "_", task.files[0].stem)[:LONGEST]
        stem = f"{plain}-{digest[:DIGEST]}"
        return cls(folder, stem, ShardRecord(str(folder / f"{stem}.json"), str(folder), digest))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files that were written."""
        return *self._tables, f"{self.stem}.json"

    @property
    def _tables(self) -> list[str]:
        classes = [f"{CLASSES}/{name}" for name in self.parts]
        return [*self.parts, *(name for name in classes if (self.folder / name).is_file())]

    def write(self, table: pl.DataFrame, scores: Scores, tally: Tally | None) -> None:
        """Write the statistics of some utterances, and what paired tests need beside them."""
        name = f"{self.stem}-{len(self.parts):05}.parquet"
        self._store(name, table)
        if ENTITY_TABLE in scores.records:
            (self.folder / CLASSES).mkdir(exist_ok=True)
            self._store(f"{CLASSES}/{name}", scores.records[ENTITY_TABLE])
        segments = tally.paired.segments if tally is not None and tally.paired else None
        self.segments.append(None if segments is None else segments.to_dicts())
        self.parts.append(name)

    def _store(self, name: str, table: pl.DataFrame) -> None:
        data = BytesIO()
        table.write_parquet(data)
        with apart():
            write_whole(data.getvalue(), self.folder / name)

    def finish(self, notes: RunNotes, *, has_ids: bool) -> None:
        """Write the record that the shard is finished."""
        content = {"has_ids": has_ids, "notes": notes.stored(), "segments": self.segments}
        self.record.write(self._tables, {**content, "parts": self.parts})

    def read(self) -> dict[str, Any] | None:
        """Return the content of the record; None if the shard is not finished."""
        found = self.record.read()
        if found is None:
            return None
        content = found[1]
        self.parts = [str(name) for name in content["parts"]]
        self.segments = content["segments"]
        return content

    def tables(self) -> Iterator[tuple[pl.DataFrame, LazyTables]]:
        """Yield the statistics of utterances of a finished shard, and the tables beside them."""
        for name, segments in zip(self.parts, self.segments, strict=True):
            makers: dict[str, Callable[[], pl.DataFrame]] = {}
            if segments is not None:
                makers[SEGMENT_TABLE] = partial(pl.DataFrame, segments)
            if (self.folder / CLASSES / name).is_file():
                makers[ENTITY_TABLE] = partial(self._read, f"{CLASSES}/{name}")
            yield self._read(name), LazyTables(makers)

    def _read(self, name: str) -> pl.DataFrame:
        path = self.folder / name
        with parquet_errors(str(path), "remove the file, so that the shard is scored again"):
            return pl.read_parquet(path)


def make_folder(out: str) -> None:
    """Make the folder for the files of shards."""
    with naming(out):
        (Path(out) / SHARDS).mkdir(parents=True, exist_ok=True)


def check_files(out: str, names: Sequence[str]) -> None:
    """Raise if files that workers on other machines wrote are not in the folder on this machine."""
    if missing := [name for name in names if not (Path(out) / SHARDS / name).is_file()]:
        raise OptionError(
            f"{counted(len(missing), 'file')} of workers are missing, such as {missing[0]}",
            where=out,
            fix="name a folder that all machines share",
        )


def remove_older(out: str, names: Collection[str]) -> None:
    """Remove the files of shards that are not among `names`: of older options or older shards."""
    folder, kept = Path(out) / SHARDS, set(names)
    for path in (*folder.iterdir(), *(folder / CLASSES).glob("*")):
        if path.relative_to(folder).as_posix() not in kept and OWN.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


# The work on one shard: read, score and tally it, and write its utterances if there is a folder.


class ShardScores(NamedTuple):
    """What a worker returns for a shard: a tally, or of N-best lists the scores of all rows.

    `hashes` are those of the ids, sorted; None if the shard has no ids. `files` names the files
    that were written, `kept` is true if they were there already.
    """

    found: Tally | Scores
    notes: RunNotes
    hashes: Hashes | None
    files: tuple[str, ...] = ()
    kept: bool = False


@dataclass(frozen=True, slots=True)
class ScoringWork(Work[ShardTask, ShardScores]):
    """Scores shards. `arguments` are those of `misword.score` that say how texts are compared.

    `by` names the columns to group by, `paired` says that systems are to be compared, by the column
    `block` if utterances are not independent. With `lists`, the shards have N-best lists, of which
    all hypotheses are kept. `threads` is the number of threads of a worker, `out` the folder for
    the statistics of utterances, `learnt` what fitted metrics learnt from all references, by their
    labels. `max_bytes` is the limit of the size of an input (`io/files/limits.py`).
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    by: tuple[str, ...] = ()
    paired: bool = False
    block: str = ""
    lists: bool = False
    threads: int | None = 1
    out: str | None = None
    learnt: Mapping[str, LearntReferences] = field(default_factory=dict)
    version: str = field(default=__version__)
    max_bytes: int | None = field(default_factory=chosen_limit)

    def start(self) -> Callable[[ShardTask], ShardScores]:
        """Open vectors and models; return the function that scores a shard."""
        if self.version != __version__:
            raise OptionError(
                f"the worker has misword {__version__}, the run was started by {self.version}",
                fix="install the same version on all machines",
            )
        scorer = Scorer.of(self.arguments, self.threads, self.learnt)
        key = "" if self.out is None else self.key(scorer)
        return partial(_score_shard, self, scorer, key)

    def key(self, scorer: Scorer) -> str:
        """Return a digest of everything that decides what is written about a shard."""
        signatures = [str(column.signature) for column in scorer.one_pair().columns]
        classes = [self.arguments.get(name) for name in ("entities", "keywords")]
        kind = (self.by, self.paired, self.block, self.lists)
        settings = repr((signatures, self.reading, classes, kind, self.version))
        return sha256(settings.encode()).hexdigest()

    def tally(self, scores: Scores) -> Tally | None:
        """Return the tally of scores; None for N-best lists, whose rows are kept."""
        if self.lists:
            return None
        return scores.tally(self.by, paired=self.paired, block=self.block)


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Options, metrics and their opened resources in one process."""

    options: ScoringOptions
    metrics: Mapping[str, Metric]
    equivalents: EquivalentClasses
    request: EntityRequest | None
    context: Context

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        threads: int | None = None,
        learnt: Mapping[str, LearntReferences] = MappingProxyType({}),
    ) -> Scorer:
        """Check the arguments of `misword.score`, and open what the metrics need.

        `learnt` is what fitted metrics learnt from all shards, by their labels.
        """
        context = context_of(arguments, threads)
        options = combined_options(arguments, context)
        metrics = create_metrics(options.metrics, context)
        for label, references in learnt.items():
            references.keep(metrics[label], context)
        request = entity_request(arguments, options, context)
        return cls(options, metrics, arguments.get("equivalents", ()), request, context)

    def score(self, corpus: Corpus, *, words: bool = False) -> tuple[Scores, RunNotes]:
        """Score some utterances; with `words`, the scores have the tables of words."""
        request = self.request
        if request is not None:
            corpus, request = request.read(corpus)
        pairs = prepare_with(self.options, corpus, self.equivalents, self.context)
        measured, counts = measure_pairs(pairs, self.metrics, request)
        every = AllPairs(pairs.source, lambda: pairs) if words else None
        table = counts.table if counts else None
        made = MeasuredCorpus(pairs.keys, measured, pairs, every, [], table)
        scores = scores_of(made, self.metrics)
        plain = [note for note in scores.run_notes if note not in pairs.notes]
        rows = len(corpus.hypotheses)
        notes = RunNotes.of(pairs, self.metrics.values(), plain)
        notes = replace(notes, rows=rows, unscored=rows - len(pairs.keys))
        if request is None or counts is None:
            return scores, notes
        absent = counts.absent if request.keywords is not None else None
        return scores, replace(notes, counts=(*notes.counts, *counts.notes), absent=absent)

    def one_pair(self) -> Scores:
        """Return the scores of a pair of equal texts, for their signatures."""
        references = pl.DataFrame({"utt": ["1"], "text": ["a"]})
        corpus = Corpus.of(references, {"system": pl.Series(["a"])})
        return replace(self, request=None).score(corpus)[0]


def _score_shard(work: ScoringWork, scorer: Scorer, key: str, task: ShardTask) -> ShardScores:
    """Score a shard, or read what was written when it was scored before."""
    with limited(work.max_bytes):
        return _scored(work, scorer, task, key)


def _scored(work: ScoringWork, scorer: Scorer, task: ShardTask, key: str) -> ShardScores:
    files = None if work.out is None else ShardFiles.of(work.out, task, key)
    if files is not None and (kept := _kept(files, work, scorer, task)) is not None:
        return kept
    files = None if work.out is None else ShardFiles.of(work.out, task, key)
    read = _list_parts if work.lists else _corpus_parts
    found = _joined(read(work, scorer, task, files), task)
    if files is not None:
        files.finish(found.notes, has_ids=found.hashes is not None)
        found = found._replace(files=files.names)
    return found


def _kept(
    files: ShardFiles, work: ScoringWork, scorer: Scorer, task: ShardTask
) -> ShardScores | None:
    """Return what was written about a shard; None if it is not finished or rows are missing."""
    content = files.read()
    if content is None:
        return None
    parts = _written_parts(files, scorer, work, has_ids=bool(content["has_ids"]))
    notes = RunNotes.restored(content["notes"])
    found = _joined(parts, task)._replace(notes=notes, files=files.names, kept=True)
    return found if len(found.found) == notes.rows - notes.unscored else None


def _corpus_parts(
    work: ScoringWork, scorer: Scorer, task: ShardTask, files: ShardFiles | None
) -> Iterator[ShardScores]:
    """Yield the tallies of some utterances of a shard at a time."""
    for batch in read_corpora(task, work.reading):
        scores, notes = scorer.score(batch.corpus, words=work.paired)
        skipped = batch.left_out * len(work.reading.systems)
        missing = RunNotes(
            lacking=batch.lacking, left_out=batch.left_out, rows=skipped, unscored=skipped
        )
        tally = work.tally(scores)
        assert tally is not None, "a corpus is tallied"
        if files is not None:
            files.write(scores.utterances(), scores, tally)
        hashes = hash_texts(batch.corpus.references["utt"]) if batch.has_ids else None
        yield ShardScores(tally, notes + missing, hashes)


def _list_parts(
    work: ScoringWork, scorer: Scorer, task: ShardTask, files: ShardFiles | None
) -> Iterator[ShardScores]:
    """Yield the scores of some lists of a shard at a time; a list has the rows of one system."""
    for corpus in read_lists(task, work.reading):
        scores, notes = scorer.score(corpus)
        if files is not None:
            texts = corpus.hypotheses.select(*KEYS, "text")
            rows = texts.join(scores.utterances(), on=KEYS, how="left", maintain_order="left")
            files.write(rows, scores, None)
        first = corpus.systems[0] == work.reading.systems[0]
        hashes = hash_texts(corpus.references["utt"]) if first else np.zeros(0, np.uint64)
        yield ShardScores(replace(scores, run_notes=()), notes, hashes)


def _written_parts(
    files: ShardFiles, scorer: Scorer, work: ScoringWork, *, has_ids: bool
) -> Iterator[ShardScores]:
    """Yield the stored results of a shard that was scored before."""
    model = scorer.one_pair()
    aside = [f"{label}.rate" for label in model.labels] + (["text"] if work.lists else [])
    for table, records in files.tables():
        scores = replace(model, rows=table.drop(aside), records=records, run_notes=())
        ids = table.filter(system=work.reading.systems[0], rank=1)["utt"]
        hashes = hash_texts(ids) if has_ids else None
        yield ShardScores(work.tally(scores) or scores, RunNotes(), hashes)


def _joined(parts: Iterable[ShardScores], task: ShardTask) -> ShardScores:
    """Return one result for the utterances of a shard."""
    listed = list(parts)
    if not listed:
        raise InputError(
            "no utterance in it has a hypothesis",
            where=task.shown,
            fix="check that the ids of both sides are the same, or use --missing delete",
        )
    hashes = [part.hashes for part in listed if part.hashes is not None]
    notes = reduce(add, (part.notes for part in listed))
    tallies = [part.found for part in listed if isinstance(part.found, Tally)]
    scores = [part.found for part in listed if isinstance(part.found, Scores)]
    found = Tally.sum(tallies) if tallies else stacked_scores(scores)
    return ShardScores(found, notes, np.sort(np.concatenate(hashes)) if hashes else None)


def stacked_scores(parts: Sequence[Scores]) -> Scores:
    """Return the rows of several scores, which have no rows in common."""
    return replace(parts[0], rows=pl.concat([part.table for part in parts]))


# Passes over the references of all shards, in which fitted metrics learn before they score.


@dataclass(slots=True)
class PassSums:
    """The sums of one pass by the labels of metrics, and the sum of the hashes of references."""

    sums: dict[str, Any] = field(default_factory=dict)
    hashes: int = 0

    def take(self, task: int, other: PassSums) -> None:
        """Add the sums of the shard of a task."""
        self.add(other)

    def add(self, other: PassSums) -> None:
        """Add the sums of other references."""
        self.hashes += other.hashes
        for label, value in other.sums.items():
            self.sums[label] = self.sums[label] + value if label in self.sums else value


@dataclass(frozen=True, slots=True)
class FittingWork(Work[ShardTask, PassSums]):
    """Adds up what metrics learn from the references of shards.

    `sums` are those of the passes before, by the labels of metrics; `arguments` are those of
    `misword.score`.
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    sums: Mapping[str, Sequence[Any]]
    threads: int | None = 1
    lists: bool = False

    def start(self) -> Callable[[ShardTask], PassSums]:
        """Open vectors and models; return the function that reads a shard."""
        return partial(_collect, self, Scorer.of(self.arguments, self.threads))


def _collect(work: FittingWork, scorer: Scorer, task: ShardTask) -> PassSums:
    """Return the sums of the references of a shard."""
    total = PassSums()
    corpora = (
        (lists for lists in read_lists(task, work.reading)
         if lists.systems[0] == work.reading.systems[0])
        if work.lists
        else (batch.corpus for batch in read_corpora(task, work.reading))
    )  # fmt: skip
    for corpus in corpora:
        pairs = prepare_with(scorer.options, corpus, scorer.equivalents, scorer.context)
        texts = pairs.reference_texts
        sums = {
            label: scorer.metrics[label].collect(texts, known, scorer.context)
            for label, known in work.sums.items()
        }
        total.add(PassSums(sums, sum_of_hashes(texts)))
    return total


def fit_metrics(
    metrics: Mapping[str, Metric], work: FittingWork, run: ShardRun
) -> dict[str, LearntReferences]:
    """Return what fitted metrics learn from the references of all shards, by their labels."""
    fitted = {label: metric.fit_passes for label, metric in metrics.items() if metric.fitted}
    sums: dict[str, list[Any]] = {label: [] for label in fitted}
    digest = ""
    for number in range(max(fitted.values(), default=0)):
        learning = {label: sums[label] for label, passes in fitted.items() if passes > number}
        total = PassSums()
        what = f"learning from references, pass {number + 1}:"
        run.perform(replace(work, sums=learning), total.take, what)
        run.check()
        digest = shown_digest(total.hashes)
        for label, value in total.sums.items():
            sums[label].append(value)
    return {label: LearntReferences(tuple(each), digest) for label, each in sums.items()}


# The scores of all shards.


@dataclass(slots=True, eq=False)
class ShardSum:
    """What the workers returned for all shards, added up in the order in which it comes."""

    hashes: HashFiles
    tallies: TallySum = field(default_factory=TallySum)
    scores: dict[int, Scores] = field(default_factory=dict)
    notes: dict[int, RunNotes] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    kept: set[int] = field(default_factory=set)

    def take(self, number: int, shard: ShardScores) -> None:
        """Add a shard; raise if its metrics differ from those of the other shards."""
        if isinstance(shard.found, Tally):
            self.tallies.add(shard.found)
        else:
            for other in list(self.scores.values())[:1]:
                check_same_metrics(other.columns, shard.found.columns)
            self.scores[number] = shard.found
        self.notes[number] = shard.notes
        self.files += shard.files
        self.kept |= {number} if shard.kept else set()
        self.hashes.add(number, shard.hashes)

    def result(self, run: ShardRun) -> Scores:
        """Return the scores of all shards."""
        found = reduce(add, (self.notes[number] for number in sorted(self.notes)))
        notes = (*found.sentences(), *run.notes())
        if self.scores:
            rows = stacked_scores([self.scores[number] for number in sorted(self.scores)])
            run.count_rows(found.rows, found.unscored, len(rows))
            return replace(rows, run_notes=notes, shards=run.data, failures=run.failures)
        tally = self.tallies.tally()
        run.count_rows(found.rows, found.unscored, len(tally))
        return Scores(
            None, tally.columns, run_notes=notes, forgiven=tally.forgiven, tallied=tally,
            shards=run.data, failures=run.failures,
        )  # fmt: skip


def score_shards(
    source: Shards,
    arguments: Mapping[str, Any],
    *,
    paired: bool = False,
    block: str = "",
    lists: bool = False,
) -> Scores:
    """Score shards in constant memory; the numbers are those of all utterances together.

    `arguments` are those of `misword.score`. The scores have a tally, by the metadata of the
    shards, and no rows; with `paired`, its systems can be compared, and utterances with the same
    value of the column `block` are resampled together. With `lists`, the shards have N-best lists,
    and the scores have the rows of all hypotheses. With `severity`, the critical errors of each
    label are a metric, so that they are added up, have intervals and can be compared.
    """
    refuse_arguments(arguments)
    check_local(source)
    given = {**arguments}
    workers = given.pop("workers", None)
    if given.get("keywords") is not None:
        given["keywords"] = terms_of(given["keywords"])
    if given.get("critical_terms") is not None:
        given["critical_terms"] = terms_of(given["critical_terms"])
    if given.get("severity"):
        given["metrics"] = with_severity(given.get("metrics"), given.get("preset"), DANGEROUS)
    created = check_arguments(given)
    check_critical_terms(given.get("critical_terms"), created)
    given["equivalents"] = equivalent_classes(given.get("equivalents", ()))
    by = () if lists else source.reading.metadata
    refuse_own_names(by, [name for part in created.values() for name in part.statistics])
    source = source.with_metadata([*([block] if block else []), *_tag_column(given)])
    run, reading = ShardRun.of(source, workers), source.reading
    learnt = fit_metrics(created, FittingWork(reading, given, {}, run.threads, lists), run)
    work = ScoringWork(
        reading, given, by, paired, block, lists, run.threads, source.out, learnt
    )  # fmt: skip
    if source.out is not None:
        make_folder(source.out)
    with HashFiles.temporary() as hashes:
        total = ShardSum(hashes)
        run.perform(work, total.take, "scoring")
        run.compare_ids(hashes, list_ids if lists else corpus_ids)
    run.kept = total.kept
    run.check()
    if lists and run.duplicates:
        raise InputError(
            run.duplicates, fix="the rows of a list must follow each other, in one shard"
        )
    if source.out is not None:
        check_files(source.out, total.files)
        remove_older(source.out, total.files)
    return total.result(run)


def _tag_column(arguments: Mapping[str, Any]) -> list[str]:
    """Return the column of the tags that `entities` names."""
    source, _, column = (arguments.get("entities") or "").partition(":")
    return [column or TAG_COLUMN] if source == "tags" else []
