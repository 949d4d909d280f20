"""Checks of the options of a run over shards, before any shard is read."""

from __future__ import annotations

import json
import os
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
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import encoding_notes, script_notes
from misword.asr.metrics import METRICS, LearntReferences, Metric, labelled, statistics_of
from misword.asr.pairs import EquivalentClasses, Pairs
from misword.asr.presets import Preset
from misword.asr.score import MeasuredCorpus, create_metrics, prepare_with, scores_of
from misword.asr.scoring_options import ScoringOptions, combine
from misword.asr.suspicious import FlagCounts
from misword.core.context import Context
from misword.core.engines import Engine, Work
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.core.version import __version__
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.embed.vectors.vocabulary import hash_words
from misword.io.files.limits import chosen_limit, limited
from misword.io.files.parquet import parquet_errors
from misword.io.files.path_errors import naming
from misword.io.files.writing import apart, write_whole
from misword.io.results import SHARDS
from misword.io.shards.corpora import ShardCorpus, read_corpora
from misword.io.shards.files import ShardTask
from misword.io.shards.running import run_tasks
from misword.io.shards.tables import ShardReading
from misword.stat.scores import Scores
from misword.stat.tally import Tally

# The arguments of `misword.score` that say how texts are compared.
COMPARING = ("preset", "metrics", "normalize", "rules", "glm", "alternatives", "forgive")
ALONE = "score without --engine"


def context_of(arguments: Mapping[str, Any], threads: int | None = None) -> Context:
    """Return the context of arguments of `misword.score`."""
    names = ("lang", "vectors", "max_words", "vector_format")
    cache = bool(arguments.get("cache", False))
    return Context.of(*(arguments.get(name) for name in names), cache=cache, workers=threads)


def comparing(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for `combine`."""
    return {name: arguments[name] for name in COMPARING if name in arguments}


def check_arguments(arguments: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics by label; raise if an option has no meaning for shards."""
    if not isinstance(arguments.get("vectors"), str | PathLike | None):
        raise OptionError(
            "vectors in memory cannot be sent to workers", fix="give the path of their file"
        )
    context = context_of(arguments)
    options = combine(context, **comparing(arguments))
    if type(options.preset).join is not Preset.join:
        raise OptionError(
            f"--preset {options.preset.name} joins utterances, which may be in different shards",
            fix=ALONE,
        )
    created = METRICS.create_all(options.metrics)
    if not created:
        raise OptionError("no metric is named", fix=f"known: {', '.join(METRICS.names())}")
    for label, metric in created.items():
        with labelled(label):
            metric.check(context)
            if metric.fitted and not metric.fit_passes:
                raise OptionError(
                    "it learns from all references at once",
                    fix=f"leave the metric out, or {ALONE}",
                )
    return created


# Notes of shards, added up to those of a run.

COUNT = re.compile(r"\d[\d,]*")


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What the user is told about the utterances of a shard.

    `plain` are sentences that hold once for all shards. `counts` are sentences whose numbers add
    up: "3 of 100 utterances are left out". `flags` counts hypotheses that look made up or stuck,
    `lacking` the utterances without a hypothesis of each system, `left_out` those that were not
    scored for it.
    """

    plain: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    flags: FlagCounts = field(default_factory=FlagCounts)
    lacking: dict[str, int] = field(default_factory=dict)
    left_out: int = 0

    @classmethod
    def of(cls, pairs: Pairs, metrics: Iterable[Metric], plain: Sequence[str]) -> RunNotes:
        """Look at some pairs; `plain` are notes about the metrics."""
        quick = (*plain, *encoding_notes(pairs), *script_notes(pairs, metrics))
        return cls(quick, pairs.notes, FlagCounts.of(pairs))

    def __add__(self, other: RunNotes) -> RunNotes:
        names = dict.fromkeys([*self.lacking, *other.lacking])
        return RunNotes(
            tuple(dict.fromkeys([*self.plain, *other.plain])),
            add_up([*self.counts, *other.counts]),
            self.flags + other.flags,
            {name: self.lacking.get(name, 0) + other.lacking.get(name, 0) for name in names},
            self.left_out + other.left_out,
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
        )

    def sentences(self) -> list[str]:
        """Return all notes."""
        notes = [*sorted(self.plain), *self.counts]
        if self.left_out:
            notes.append(f"{counted(self.left_out, 'utterance')} left out for want of a hypothesis")
        for name, count in self.lacking.items():
            if not self.left_out:
                notes.append(
                    f"{name}: {counted(count, 'utterance')} without a hypothesis; their words "
                    "count as deletions"
                )
        return [*notes, *self.flags.notes(advice="")]


def add_up(sentences: Iterable[str]) -> tuple[str, ...]:
    """Add up the numbers of sentences that differ in nothing else.

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


# Files of a run over shards: the statistics of utterances, and which shards are finished.
#
# The folder `utterances` of a result has Parquet files with the statistics of each shard, and for
# each finished shard a record in JSON, which is written last. The names of the files have a digest
# of the shard (path, size and version) and of all options that decide a number. A run that is
# started again reads the files of finished shards instead of scoring them.

FOLDER = SHARDS
DIGEST = 16  # characters
LONGEST = 80  # characters of a shard's name in the names of its files
OWN = re.compile(rf".*-[0-9a-f]{{{DIGEST}}}(-\d{{5}}\.parquet|\.json)")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Written:
    """The record of a finished shard: the names of its files, its notes, whether it has ids."""

    parts: tuple[str, ...]
    notes: RunNotes
    has_ids: bool


@dataclass(slots=True)
class ShardFiles:
    """The files of one shard in the folder of a run."""

    folder: Path
    stem: str
    parts: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, out: str, task: ShardTask, key: str) -> ShardFiles:
        """Return the files of a task; `key` is the digest of the options."""
        digest = sha256(f"{task.identity}{key}".encode()).hexdigest()[:DIGEST]
        plain = re.sub(r"[^\w.-]+", "_", task.files[0].stem)[:LONGEST]
        return cls(Path(out) / FOLDER, f"{plain}-{digest}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files that were written."""
        return *self.parts, f"{self.stem}.json"

    def write(self, table: pl.DataFrame) -> None:
        """Write the statistics of some utterances."""
        name = f"{self.stem}-{len(self.parts):05}.parquet"
        data = BytesIO()
        table.write_parquet(data)
        self._store(name, data.getvalue())
        self.parts.append(name)

    def finish(self, notes: RunNotes, *, has_ids: bool) -> None:
        """Write the record that the shard is finished."""
        record = {"version": VERSION, "parts": self.parts, "has_ids": has_ids}
        text = json.dumps({**record, "notes": notes.stored()}, ensure_ascii=False, indent=1)
        self._store(f"{self.stem}.json", text.encode())

    def _store(self, name: str, data: bytes) -> None:
        with apart():
            write_whole(data, self.folder / name)

    def read(self) -> Written | None:
        """Return the record of the shard; None if it is not finished."""
        try:
            record: dict[str, Any] = json.loads((self.folder / f"{self.stem}.json").read_bytes())
            if record["version"] != VERSION:
                return None
            self.parts = [os.path.basename(name) for name in record["parts"]]
            if not all((self.folder / name).is_file() for name in self.parts):
                return None
            notes = RunNotes.restored(record["notes"])
            return Written(tuple(self.parts), notes, bool(record["has_ids"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def tables(self) -> Iterator[pl.DataFrame]:
        """Yield the statistics of the utterances of a finished shard."""

        for name in self.parts:
            path = self.folder / name
            with parquet_errors(str(path), "remove the file, so that the shard is scored again"):
                yield pl.read_parquet(path)


def make_folder(out: str) -> None:
    """Make the folder for the files of shards."""
    with naming(out):
        (Path(out) / FOLDER).mkdir(parents=True, exist_ok=True)


def missing_files(out: str, names: Collection[str]) -> list[str]:
    """Return the files that workers wrote and that are not in the folder here."""
    return [name for name in names if not (Path(out) / FOLDER / name).is_file()]


def remove_older(out: str, names: Collection[str]) -> None:
    """Remove the files of shards that are not among `names`: of older options or older shards."""
    kept = set(names)
    for path in (Path(out) / FOLDER).iterdir():
        if path.name not in kept and OWN.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


# What a worker does with a shard: read, score, tally, and perhaps write its utterances.

Hashes = NDArray[np.uint64]


class ShardScores(NamedTuple):
    """What a worker returns for a shard.

    `hashes` are those of the ids, sorted; None if the shard has no ids. `files` names the files
    that were written, `reused` is true if they were there already.
    """

    tally: Tally
    notes: RunNotes
    hashes: Hashes | None
    files: tuple[str, ...] = ()
    reused: bool = False


@dataclass(frozen=True, slots=True)
class ScoringWork(Work[ShardTask, ShardScores]):
    """Scores shards. `arguments` are those of `misword.score` that say how texts are compared.

    `by` names the columns to group by, `paired` says that systems are to be compared, `threads` is
    the number of threads of a worker, and `out` the folder for the statistics of utterances,
    `learnt` what fitted metrics learnt from all references, by their labels.
    `max_bytes` is the limit of the size of an input (`io/files/limits.py`).
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    by: tuple[str, ...] = ()
    paired: bool = False
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
        settings = (signatures, replace(self.reading, systems=()), self.reading.systems, self.by)
        return sha256(repr((*settings, self.version)).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Options, metrics and their opened resources in one process."""

    options: ScoringOptions
    metrics: Mapping[str, Metric]
    equivalents: EquivalentClasses
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
        options = combine(context, **comparing(arguments))
        metrics = create_metrics(options.metrics, context)
        for label, references in learnt.items():
            references.keep(metrics[label], context)
        return cls(options, metrics, arguments.get("equivalents", ()), context)

    def score(self, corpus: Corpus) -> tuple[Scores, RunNotes]:
        """Score some utterances; the scores have no tables of words."""
        pairs = prepare_with(self.options, corpus, self.equivalents, self.context)
        order = sorted(self.metrics, key=lambda label: not self.metrics[label].operations)
        measured = {label: statistics_of(self.metrics[label], pairs) for label in order}
        scores = scores_of(MeasuredCorpus(pairs.keys, measured, pairs, None, []), self.metrics)
        plain = [note for note in scores.run_notes if note not in pairs.notes]
        return scores, RunNotes.of(pairs, self.metrics.values(), plain)

    def one_pair(self) -> Scores:
        """Return the scores of a pair of equal texts, for their signatures."""

        references = pl.DataFrame({"utt": ["1"], "text": ["a"]})
        return self.score(Corpus.of(references, {"system": pl.Series(["a"])}))[0]


def _score_shard(work: ScoringWork, scorer: Scorer, key: str, task: ShardTask) -> ShardScores:
    """Score a shard, or read what was written when it was scored before."""
    with limited(work.max_bytes):
        return _scored(work, scorer, task, key)


def _scored(work: ScoringWork, scorer: Scorer, task: ShardTask, key: str) -> ShardScores:
    files = None if work.out is None else ShardFiles.of(work.out, task, key)
    written = None if files is None else files.read()
    if files is not None and written is not None:
        parts = _written_parts(files, written, scorer, work)
        return _joined(parts, task)._replace(notes=written.notes, files=files.names, reused=True)
    batches = read_corpora(task, work.reading)
    found = _joined((_of_batch(batch, scorer, work, files) for batch in batches), task)
    if files is not None:
        files.finish(found.notes, has_ids=found.hashes is not None)
        found = found._replace(files=files.names)
    return found


def _of_batch(
    batch: ShardCorpus, scorer: Scorer, work: ScoringWork, files: ShardFiles | None
) -> ShardScores:
    """Score some utterances of a shard."""
    scores, notes = scorer.score(batch.corpus)
    missing = RunNotes(lacking=batch.lacking, left_out=batch.left_out)
    if files is not None:
        files.write(scores.utterances())
    hashes = id_hashes(batch.corpus.references["utt"]) if batch.has_ids else None
    return ShardScores(scores.tally(work.by, paired=work.paired), notes + missing, hashes)


def _written_parts(
    files: ShardFiles, written: Written, scorer: Scorer, work: ScoringWork
) -> Iterator[ShardScores]:
    """Yield the tallies of a shard that was scored before."""
    model = scorer.one_pair()
    for table in files.tables():
        rates = [f"{label}.rate" for label in model.labels]
        scores = replace(model, table=table.drop(rates))
        ids = table.filter(system=work.reading.systems[0])["utt"]
        hashes = id_hashes(ids) if written.has_ids else None
        yield ShardScores(scores.tally(work.by, paired=work.paired), RunNotes(), hashes)


def _joined(parts: Iterable[ShardScores], task: ShardTask) -> ShardScores:
    """Return one result for the utterances of a shard."""
    listed = list(parts)
    if not listed:
        raise InputError(
            "no utterance in it has a hypothesis",
            where=task.shown,
            fix="check that the ids of both sides are the same, or use --missing delete",
        )
    tally = Tally.sum(part.tally for part in listed)
    hashes = [part.hashes for part in listed if part.hashes is not None]
    notes = reduce(add, (part.notes for part in listed))
    return ShardScores(tally, notes, np.sort(np.concatenate(hashes)) if hashes else None)


def id_hashes(ids: pl.Series) -> Hashes:
    """Return a hash of each id, the same on every machine."""
    lengths = ids.str.len_bytes().to_numpy().astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return hash_words(ids.str.join("").item().encode(), offsets)


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

    def start(self) -> Callable[[ShardTask], PassSums]:
        """Open vectors and models; return the function that reads a shard."""
        return partial(_collect, self, Scorer.of(self.arguments, self.threads))


def _collect(work: FittingWork, scorer: Scorer, task: ShardTask) -> PassSums:
    """Return the sums of the references of a shard."""
    total = PassSums()
    for batch in read_corpora(task, work.reading):
        pairs = prepare_with(scorer.options, batch.corpus, scorer.equivalents, scorer.context)
        texts = pairs.reference_texts
        sums = {
            label: scorer.metrics[label].collect(texts, known, scorer.context)
            for label, known in work.sums.items()
        }
        total.add(PassSums(sums, sum_of_hashes(texts)))
    return total


def fit_metrics(
    metrics: Mapping[str, Metric],
    work: FittingWork,
    tasks: Sequence[ShardTask],
    engine: Engine,
    *,
    workers: int | None,
    keep_going: bool,
) -> dict[str, LearntReferences]:
    """Return what fitted metrics learn from the references of all shards, by their labels."""
    fitted = {label: metric.fit_passes for label, metric in metrics.items() if metric.fitted}
    sums: dict[str, list[Any]] = {label: [] for label in fitted}
    digest = ""
    for number in range(max(fitted.values(), default=0)):
        learning = {label: sums[label] for label, passes in fitted.items() if passes > number}
        total = PassSums()
        report = run_tasks(
            engine,
            replace(work, sums=learning),
            tasks,
            [task.files[0] for task in tasks],
            total.take,
            what=f"learning from references, pass {number + 1}",
            workers=workers,
        )
        report.check(keep_going=keep_going)
        digest = shown_digest(total.hashes)
        for label, value in total.sums.items():
            sums[label].append(value)
    return {label: LearntReferences(tuple(each), digest) for label, each in sums.items()}
