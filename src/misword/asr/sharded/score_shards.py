"""A sum of many tallies that arrive one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, Unpack

import numpy as np

from misword.asr.options import Scoring as ScoringArguments
from misword.asr.sharded.work import (
    FittingWork,
    Hashes,
    RunNotes,
    ScoringWork,
    ShardScores,
    check_arguments,
    fit_metrics,
    id_hashes,
    make_folder,
    missing_files,
    remove_older,
)
from misword.core.context import Context
from misword.core.display import Overview
from misword.core.engines import ENGINES, Engine, Outcome, Work
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.progress import Bytes, progress
from misword.core.types import DisplayedResult, Result
from misword.io.shards.corpora import read_corpora
from misword.io.shards.files import ShardTask, describe_data, find_tasks, is_url, named_path
from misword.io.shards.running import ShardsError
from misword.io.shards.tables import ShardReading
from misword.io.transcripts.columns import plain_name
from misword.io.transcripts.pairing import Missing, check_missing
from misword.io.transcripts.read import names_of_systems
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import refuse_own_names
from misword.stat.sums import stacked
from misword.stat.tally import Tally, check_same_tallies

FEWEST = 1 << 16  # rows that wait before they are added up


class TallySum:
    """A sum of tallies. Those that arrived last wait until they have as many rows as the others.

    Each row is so added up only a few times, however many tallies there are.
    """

    def __init__(self) -> None:
        self._total: Tally | None = None
        self._waiting: list[Tally] = []
        self._rows = 0

    def add(self, tally: Tally) -> None:
        """Add a tally; raise if it does not fit to the others."""
        first = self._total or next(iter(self._waiting), None)
        if first is not None:
            check_same_tallies(first, tally)
            keys = [f"k{at}" for at in range(1 + len(tally.by))]
            stacked([first.sums.select(keys).clear(), tally.sums.select(keys).clear()])
        self._waiting.append(tally)
        self._rows += tally.size
        if self._rows > max(FEWEST, self._total.size if self._total else 0):
            self._merge()

    def tally(self) -> Tally:
        """Return the sum."""
        self._merge()
        if self._total is None:
            raise MismatchError("there are no tallies to add up")
        return self._total

    def _merge(self) -> None:
        parts = [*([self._total] if self._total else []), *self._waiting]
        if parts:
            self._total = Tally.sum(parts)
        self._waiting, self._rows = [], 0


# Ids that several shards have, found in bounded memory.
#
# Each shard has a sorted file of the hashes of its ids, eight bytes for each. Ranges of hashes are
# read from all files, one range after the other, so that memory does not grow with the corpus.
# Equal hashes can be those of different ids, so the ids themselves are then compared.

AT_ONCE = 1 << 22  # hashes in memory, about
EIGHT = 8  # bytes of a hash
EXAMINED = 20  # equal hashes whose ids are compared at a time
SHOWN = 3  # ids in a message


class HashFiles:
    """The hashes of the ids of each shard, in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tasks: list[int] = []
        self.size = 0

    def add(self, task: int, hashes: Hashes) -> None:
        """Store the sorted hashes of a shard."""
        hashes.tofile(self._path(task))
        self.tasks.append(task)
        self.size += len(hashes)

    def doubled(self) -> Iterator[Hashes]:
        """Yield the hashes that occur more than once, range by range, in ascending order."""
        ranges = max(1, -(-self.size // AT_ONCE))
        edges = [number * (1 << 64) // ranges for number in range(1, ranges)]
        bounds = np.array(edges, np.uint64)
        places = {task: self._places(task, bounds) for task in self.tasks}
        for number in range(ranges if places else 0):
            merged = np.concatenate(
                [self._read(task, *at[number : number + 2]) for task, at in places.items()]
            )
            merged.sort()
            yield np.unique(merged[1:][merged[1:] == merged[:-1]])

    def tasks_with(self, hashes: Hashes) -> list[int]:
        """Return the tasks whose shard has one of the hashes."""
        return [task for task in sorted(self.tasks) if self._has(task, hashes)]

    def _has(self, task: int, hashes: Hashes) -> bool:
        stored = self._mapped(task)
        at = np.minimum(np.searchsorted(stored, hashes), len(stored) - 1)
        return bool((stored[at] == hashes).any())

    def _places(self, task: int, bounds: Hashes) -> list[int]:
        """Return where ranges of hashes begin and end in the file of a shard."""
        stored = self._mapped(task)
        return [0, *np.searchsorted(stored, bounds).tolist(), len(stored)]

    def _read(self, task: int, start: int, end: int) -> Hashes:
        """Read some hashes; those of a mapped file would all stay in memory."""
        offset = start * EIGHT
        return np.fromfile(self._path(task), np.uint64, end - start, offset=offset)

    def _mapped(self, task: int) -> Hashes:
        return np.memmap(self._path(task), np.uint64, "r")

    def _path(self, task: int) -> Path:
        return self.folder / f"{task}.hashes"


@dataclass(frozen=True, slots=True)
class FindIds(Work[ShardTask, list[str]]):
    """Finds the ids of a shard that have one of some hashes; doubled ones are listed twice."""

    reading: ShardReading
    hashes: Hashes

    def start(self) -> Callable[[ShardTask], list[str]]:
        """Return the function that reads a shard."""
        return self._find

    def _find(self, task: ShardTask) -> list[str]:
        found: list[str] = []
        for batch in read_corpora(task, self.reading):
            ids = batch.corpus.references["utt"]
            found += ids.filter(np.isin(id_hashes(ids), self.hashes)).to_list()
        return found


def describe_doubled(ids: Sequence[tuple[str, Sequence[str]]], total: int) -> str:
    """Return a sentence on doubled ids; `ids` has some with the shards that have them."""
    shown = "; ".join(f"{utt!r} in {' and '.join(shards)}" for utt, shards in ids[:SHOWN])
    more = f" and {total - len(ids[:SHOWN]):,} more" if total > len(ids[:SHOWN]) else ""
    return f"ids are there twice: {shown}{more}"


# A run over shards: tasks for an engine, and what becomes of their outcomes.


@dataclass(frozen=True, slots=True, eq=False)
class ShardedRun:
    """The tally of all shards, and notes for the user; `failures` are the shards left out.

    `shards` identifies the data: the number of shards, their bytes, and a digest of their paths,
    sizes and versions.
    """

    tally: Tally
    notes: tuple[str, ...]
    failures: tuple[MiswordError, ...]
    shards: dict[str, Any]


@dataclass(slots=True, eq=False)
class _Run:
    """The state of a run while outcomes arrive, in any order."""

    work: ScoringWork
    tasks: Sequence[ShardTask]
    engine: Engine
    workers: int | None
    hashes: HashFiles
    total: TallySum = field(default_factory=TallySum)
    notes: dict[int, RunNotes] = field(default_factory=dict)
    failures: dict[int, MiswordError] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    reused: int = 0
    retried: int = 0

    def take(self, outcome: Outcome[ShardScores]) -> None:
        """Add the outcome of a shard to the others."""
        self.retried += outcome.attempts > 1
        shown, found = self.tasks[outcome.task].shown, outcome.value
        error = outcome.error
        if found is not None:
            try:
                self.total.add(found.tally)
            except MismatchError as mismatch:
                error = mismatch
        if found is None or error is not None:
            assert error is not None, "an outcome is a value or an error"
            where = error.where or shown
            self.failures[outcome.task] = type(error)(error.what, where=where, fix=error.fix)
            return
        self.notes[outcome.task] = found.notes
        self.reused += found.reused
        self.files += found.files
        if found.hashes is not None and len(found.hashes):
            self.hashes.add(outcome.task, found.hashes)

    def doubled(self) -> str:
        """Return a sentence on ids that are there twice; empty if there are none.

        Some ids are compared themselves; equal hashes of different ids are so rare that the other
        hashes are counted as ids.
        """
        total, named = 0, list[tuple[str, list[str]]]()
        for hashes in self.hashes.doubled():
            total += len(hashes)
            for lo in range(0, len(hashes), EXAMINED):
                if named:
                    break
                part = hashes[lo : lo + EXAMINED]
                named = self._examine(FindIds(self.work.reading, part), part)
                total -= 0 if named else len(part)
        return describe_doubled(named, total) if named else ""

    def _examine(self, work: FindIds, hashes: Hashes) -> list[tuple[str, list[str]]]:
        """Return the ids with some hashes that are there twice, and the shards that have them."""
        numbers = self.hashes.tasks_with(hashes)
        tasks = [self.tasks[number] for number in numbers]
        places: dict[str, list[str]] = {}
        for outcome in self.engine.run(work, tasks, self.workers):
            if outcome.error is not None:
                raise outcome.error
            for utt in outcome.value or ():
                places.setdefault(utt, []).append(tasks[outcome.task].shown)
        return sorted((utt, sorted(shown)) for utt, shown in places.items() if len(shown) > 1)

    def all_notes(self) -> Iterator[str]:
        """Yield the notes of all shards together, and those on the run itself."""
        yield from reduce(add, (self.notes[task] for task in sorted(self.notes))).sentences()
        if self.retried:
            shards = counted(self.retried, "shard")
            yield f"{shards} scored again, because a worker or its data was lost"
        if self.reused:
            shards = counted(len(self.tasks), "shard")
            yield f"{self.reused:,} of {shards} had been scored before"


def run_shards(
    work: ScoringWork,
    tasks: Sequence[ShardTask],
    engine: Engine,
    *,
    workers: int | None = None,
    keep_going: bool = False,
) -> ShardedRun:
    """Score all shards and add up their tallies.

    Raises an error that names all shards that cannot be scored. With `keep_going`, they are left
    out, and notes name them.
    """
    if work.out is not None:
        make_folder(work.out)
    size = sum(task.size for task in tasks)
    with TemporaryDirectory(prefix="misword-ids-") as folder, _interruptible(work.out):
        run = _Run(work, tasks, engine, workers, HashFiles(Path(folder)))
        with progress(f"scoring {counted(len(tasks), 'shard')}", Bytes(size)) as step:
            for outcome in engine.run(work, tasks, workers):
                run.take(outcome)
                step(tasks[outcome.task].size)
        doubled = run.doubled()
    failures = [run.failures[task] for task in sorted(run.failures)]
    if doubled and not keep_going:
        failures.append(InputError(doubled, fix="give each utterance an id of its own"))
    if failures and (not keep_going or not run.notes):
        raise ShardsError(failures, len(tasks))
    if work.out is not None:
        _check_files(work.out, run.files)
        remove_older(work.out, run.files)
    notes = [*run.all_notes(), *([f"{doubled}; all of them count"] if doubled else [])]
    if failures:
        names = "; ".join(str(failure).splitlines()[0] for failure in failures)
        notes.append(f"{len(failures)} of {counted(len(tasks), 'shard')} left out: {names}")
    shards = describe_data(tasks, len(failures))
    return ShardedRun(run.total.tally(), tuple(notes), tuple(failures), shards)


@contextmanager
def _interruptible(out: str | None) -> Iterator[None]:
    """Say in an interrupt from the keyboard that finished shards are kept, if they are."""
    try:
        yield
    except KeyboardInterrupt:
        if out is None:
            raise
        raise KeyboardInterrupt(
            f"finished shards are in {out}, and the same command continues with the others"
        ) from None


def _check_files(out: str, names: Sequence[str]) -> None:
    """Raise if workers on other machines wrote files that are not in the folder here."""
    if missing := missing_files(out, names):
        raise OptionError(
            f"{counted(len(missing), 'file')} that workers wrote, such as {missing[0]}, not there",
            where=out,
            fix="name a folder that all machines share",
        )


# What the functions for shards were asked for, checked before any shard is read.

PathName = str | PathLike[str]
DEFAULT_ENGINE = "process"


class ReadingArguments(TypedDict, total=False):
    """How shards are read: see `misword.read_corpus`."""

    names: Sequence[str] | None
    id_column: str | None
    reference_column: str | None
    hypothesis_column: str | Sequence[str] | None
    format: str | None
    hypothesis_format: str | None
    missing: Missing


class ShardArguments(ReadingArguments, total=False):
    """How shards are read and scored: see `misword.score_shards`."""

    by: str | Sequence[str]
    engine: str | Engine
    out: PathName | None
    keep_going: bool


@dataclass(frozen=True, slots=True, eq=False)
class ShardRequest:
    """Patterns of the references and of each system (`sides`), and how to read and score them."""

    sides: Sequence[str]
    reading: ShardReading
    engine: Engine
    out: str | None
    keep_going: bool

    @classmethod
    def of(
        cls,
        references: PathName,
        hypotheses: PathName | Sequence[PathName],
        options: ShardArguments,
    ) -> ShardRequest:
        """Check how shards are read."""
        listed = [hypotheses] if isinstance(hypotheses, str | PathLike) else list(hypotheses)
        sides = [fspath(path) for path in (references, *listed)]
        column = options.get("hypothesis_column")
        chosen = [column] if isinstance(column, str) else list(column or ())
        missing, by = options.get("missing", "error"), options.get("by", ())
        check_missing(missing)
        named = [named_path(side) for side in sides[1:] or sides]
        reading = ShardReading(
            tuple(names_of_systems(named, chosen, options.get("names"))),
            options.get("id_column"),
            options.get("reference_column"),
            tuple(chosen) or (None,),
            tuple(dict.fromkeys(map(plain_name, [by] if isinstance(by, str) else by))),
            missing,
            options.get("format"),
            options.get("hypothesis_format"),
        )
        spec = options.get("engine", DEFAULT_ENGINE)
        engine = ENGINES.create(spec) if isinstance(spec, str) else spec
        out = options.get("out")
        if out is not None and is_url(fspath(out)):
            fix = "name a folder that all workers share"
            raise OptionError("it is a URL", where=fspath(out), fix=fix)
        keep_going = options.get("keep_going", False)
        return cls(sides, reading, engine, None if out is None else fspath(out), keep_going)

    def with_baseline(self, name: str) -> ShardRequest:
        """Return the request with a system as the first one; raise if there are not two systems.

        An empty name changes nothing.
        """
        systems = self.reading.systems
        if len(systems) < 2:
            raise OptionError("one system has nothing to be compared with", fix="name two or more")
        if name and name not in systems:
            raise OptionError(f"no system {name!r}", fix=f"there are: {', '.join(systems)}")
        first = systems.index(name) if name else 0
        order = [first, *(at for at in range(len(systems)) if at != first)]
        reading = replace(self.reading, systems=tuple(systems[at] for at in order))
        reference, *sides = self.sides
        if sides:
            return replace(self, sides=[reference, *(sides[at] for at in order)], reading=reading)
        columns = tuple(reading.hypothesis_columns[at] for at in order)
        return replace(self, reading=replace(reading, hypothesis_columns=columns))

    def run(
        self,
        metrics: str | Sequence[str] | None,
        arguments: Mapping[str, Any],
        *,
        paired: bool = False,
    ) -> ShardedRun:
        """Check the options of scoring, list the shards and score them."""
        self.engine.check(Context())
        given = {**arguments, "metrics": metrics}
        workers = given.pop("workers", None)
        created = check_arguments(given)
        by = self.reading.metadata
        refuse_own_names(by, [name for part in created.values() for name in part.statistics])
        if callable(given.get("equivalents")):
            given["equivalents"] = list(given["equivalents"]())
        threads = self.engine.threads or workers
        tasks = find_tasks(self.sides[0], self.sides[1:])
        running: Any = {"workers": workers, "keep_going": self.keep_going}
        fitting = FittingWork(self.reading, given, {}, threads)
        learnt = fit_metrics(created, fitting, tasks, self.engine, **running)
        work = ScoringWork(self.reading, given, by, paired, threads, self.out, learnt)
        return run_shards(work, tasks, self.engine, **running)


# Score the shards of a large corpus, on the cores of a machine or on a cluster.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShardedScores(DisplayedResult):
    """The scores of shards: their tally, notes for the user, and the shards that were left out.

    `failures` has an error for each shard that was left out (`keep_going`). `shards` identifies the
    data: the number of shards, their bytes, and a digest of their paths, sizes and versions.
    """

    tally: Tally
    run_notes: tuple[str, ...]
    failures: tuple[MiswordError, ...]
    shards: Mapping[str, Any]

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """Return the rate of a metric: `scores["wer"]`, or `scores["wer", "system"]`."""
        return self.tally[key]

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """The metrics with their signatures."""
        return self.tally.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers that the rates do not show, in sentences for the user."""
        return *self.run_notes, *self.tally.notes

    def overview(self) -> Overview:
        """Return the rate of each system and metric."""
        return self.tally.overview()

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.tally.summary()

    def summary(self, **settings: Any) -> pl.DataFrame:
        """Compute rates and intervals, with the options of `Tally.summary`."""
        return self.tally.summary(**settings)

    def result(self, provenance: Mapping[str, Any] | None = None, **settings: Any) -> Result:
        """Return the table `summary`, with the options of `Tally.result`."""
        return self.tally.result(provenance, **settings)


class ShardedScoring(ReadingArguments, ScoringArguments, total=False):
    """How shards are read, and how their texts are compared."""


def score_shards(
    references: str | PathLike[str],
    hypotheses: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    metrics: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] = (),
    engine: str | Engine = DEFAULT_ENGINE,
    out: str | PathLike[str] | None = None,
    keep_going: bool = False,
    **options: Unpack[ShardedScoring],
) -> ShardedScores:
    r"""Score shards in constant memory; the numbers are those of all utterances together.

    `references` is a folder or a pattern of Parquet, CSV or JSON-lines files (`run/*.parquet`),
    local or a URL that fsspec knows (`s3://...`). The hypotheses are columns of the same files, or
    `hypotheses` names a pattern for each system: file k of each side has the same utterances.

    `engine` is `serial`, `process`, `ray`, or the address of a Ray cluster (`ray://head:10001`);
    `workers` is the number of shards that are scored at the same time. `by` names columns to group
    by. With `out`, the statistics of utterances are written to the folder `utterances` in it, as
    Parquet; shards that are finished there are not scored again. With `keep_going`, shards that
    cannot be scored are left out.

    Columns, formats and systems are named as for `misword.read_corpus` (`id_column`, `names`,
    `missing`, ...); the other arguments are those of `misword.score`.

    >>> import tempfile, pathlib, misword
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k, hyp in enumerate(["a x c", "d e"]):
    ...     size = (folder / f"{k}.csv").write_text(f"id,reference,hypothesis\n{k},a b c,{hyp}\n")
    >>> misword.score_shards(str(folder / "*.csv"), metrics="wer", engine="serial")["wer"]
    0.6666666666666666
    """
    reading, scoring = split_arguments(options)
    request = ShardRequest.of(
        references,
        hypotheses,
        {**reading, "by": by, "engine": engine, "out": out, "keep_going": keep_going},
    )
    run = request.run(metrics, scoring)
    return ShardedScores(run.tally, run.notes, run.failures, run.shards)


def split_arguments(options: Mapping[str, Any]) -> tuple[ReadingArguments, ScoringArguments]:
    """Return the arguments that say how shards are read, and those that say how they are scored."""
    known = {*ReadingArguments.__annotations__, *ScoringArguments.__annotations__}
    for name in options:
        if name not in known:
            raise TypeError(f"unexpected argument {name!r}")
    reading: Any = {k: v for k, v in options.items() if k in ReadingArguments.__annotations__}
    scoring: Any = {k: v for k, v in options.items() if k in ScoringArguments.__annotations__}
    return reading, scoring
