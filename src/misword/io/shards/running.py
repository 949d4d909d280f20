"""A run over shards: its passes, shards that cannot be used, duplicate ids, notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from misword.core.context import Context
from misword.core.engines import ENGINES, Engine, Value, Work
from misword.core.errors import InputError, MismatchError, MiswordError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.progress import Bytes, progress
from misword.io.files.path_errors import temporary_folder
from misword.io.shards import ShardReading, Shards
from misword.io.shards.files import ShardTask, describe_data, find_tasks
from misword.native.byte_ranges import Hashes, hash_texts

SMALL = 64 << 20  # bytes of all shards up to which starting processes takes longer than the work


class ShardsError(InputError):
    """Some shards cannot be used; `failures` has the error of each of them."""

    def __init__(self, failures: Sequence[MiswordError], shards: int) -> None:
        self.failures = tuple(failures)
        advice = list(dict.fromkeys(failure.fix for failure in failures if failure.fix))
        super().__init__(
            f"{counted(len(failures), 'problem')} in {counted(shards, 'shard')}",
            fix=advice[0] if len(advice) == 1 else "--keep-going leaves these shards out",
        )

    @property
    def whole(self) -> str:
        """The number of problems, and a line for each of them."""
        lines = (f"  {str(failure).splitlines()[0]}" for failure in self.failures)
        return "\n".join([f"{self.what}:", *lines])

    def __str__(self) -> str:
        """Return the number of problems, a line for each of them, and what to do."""
        _, *advice = super().__str__().splitlines()
        return "\n".join([self.whole, *advice])


@dataclass(slots=True, eq=False)
class ShardRun:
    """One run over shards, in one pass or several; all functions that take shards use it.

    A shard that cannot be used in a pass is left out of the passes after it. `errors` has its
    error, by the number of its task. `taken` are the tasks whose values the last pass counted,
    `repeated` those that were begun more than once, `kept` those that an earlier run had finished.
    `duplicates` is a sentence on duplicate ids; empty if there are none. `rows` has the numbers of
    rows that were read, left out and counted.
    """

    source: Shards
    tasks: Sequence[ShardTask]
    engine: Engine
    workers: int | None
    errors: dict[int, MiswordError] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    duplicates: str = ""
    rows: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Shards, workers: int | None = None) -> ShardRun:
        """List the shards, and choose the engine if none is named."""
        if source.engine is not None:
            source.engine.check(Context())
        tasks = find_tasks(source.sides[0], source.sides[1:])
        engine = source.engine or fitting_engine(tasks)
        return cls(source, tasks, engine, source.workers or workers)

    @property
    def threads(self) -> int | None:
        """The number of threads of a worker; None if it may use all cores."""
        return self.engine.threads or self.workers

    @property
    def failures(self) -> tuple[MiswordError, ...]:
        """The errors of the shards that are left out, in their order."""
        return tuple(self.errors[number] for number in sorted(self.errors))

    @property
    def data(self) -> dict[str, Any]:
        """What identifies the data in the provenance of a result, and what of it was counted."""
        data = describe_data(self.tasks, len(self.errors))
        return {**data, "counted": len(self.taken), **self.rows}

    def perform(
        self, work: Work[ShardTask, Value], take: Callable[[int, Value], None], what: str
    ) -> None:
        """Perform the tasks of all shards; `take` is called with each task's number and value.

        Values come in any order. `take` may raise a `MismatchError` if a value does not fit to the
        others. `what` names the work in the progress bar.
        """
        tasks = [task for task in self.tasks if task.number not in self.errors]
        title = f"{what} {counted(len(tasks), 'shard')}"
        self.taken = set()
        with (
            _interruptible(self.source.out),
            progress(title, Bytes(sum(task.size for task in tasks))) as step,
            closing(self.engine.run(work, tasks, self.workers)) as outcomes,
        ):
            for outcome in outcomes:
                task, error = tasks[outcome.task], outcome.error
                if outcome.attempts > 1:
                    self.repeated.add(task.number)
                if outcome.value is not None:
                    try:
                        take(task.number, outcome.value)
                        self.taken.add(task.number)
                    except MismatchError as mismatch:
                        error = mismatch
                if error is not None:
                    where = error.where or task.shown
                    self.errors[task.number] = type(error)(error.what, where=where, fix=error.fix)
                step(task.size)
        if len(self.taken) + len(self.errors) != len(self.tasks):
            raise RuntimeError(f"{len(self.taken)} of {len(self.tasks)} shards were counted")

    def count_rows(self, read: int, left_out: int, counted: int) -> None:
        """Keep how many rows the shards had and the result counts; raise if some were lost."""
        if read - left_out != counted:
            raise RuntimeError(f"{counted} of {read} rows were counted, {left_out} were left out")
        self.rows = {"rows": read, "rows_left_out": left_out, "rows_counted": counted}

    def check(self) -> None:
        """Raise an error that names all problems; with `keep_going`, only if no shard is left."""
        problems = list(self.failures)
        if self.duplicates and not self.source.keep_going:
            problems.append(InputError(self.duplicates, fix="give each utterance an id of its own"))
        none_left = len(self.errors) == len(self.tasks)
        if problems and (not self.source.keep_going or none_left):
            raise ShardsError(problems, len(self.tasks))

    def notes(self) -> list[str]:
        """Return sentences on the run: repeated tasks, shards that were kept or left out, ids."""
        notes, shards = [], counted(len(self.tasks), "shard")
        if self.repeated:
            again = counted(len(self.repeated), "shard")
            notes.append(f"{again} processed again, because a worker or its data was lost")
        if self.kept:
            notes.append(f"{len(self.kept):,} of {shards} had been finished before")
        if self.duplicates:
            notes.append(f"{self.duplicates}; all of them count")
        if self.errors:
            names = "; ".join(str(failure).splitlines()[0] for failure in self.failures)
            notes.append(f"{len(self.errors):,} of {shards} left out: {names}")
        return notes

    def compare_ids(self, hashes: HashFiles, read: ReadIds) -> None:
        """Find duplicate ids, in one shard or in several.

        Some ids are compared themselves; equal hashes of different ids are so rare that the other
        hashes are counted as ids. `read` yields the ids of a shard.
        """
        total, named = 0, list[tuple[str, list[str]]]()
        for repeated in hashes.duplicates():
            total += len(repeated)
            for lo in range(0, len(repeated), EXAMINED):
                if named:
                    break
                part = repeated[lo : lo + EXAMINED]
                named = self._examine(FindIds(self.source.reading, part, read), hashes)
                total -= 0 if named else len(part)
        self.duplicates = _described(named, total) if named else ""

    def _examine(self, work: FindIds, hashes: HashFiles) -> list[tuple[str, list[str]]]:
        """Return the duplicate ids among those with some hashes, each with its shards."""
        tasks = [self.tasks[number] for number in hashes.tasks_with(work.hashes)]
        places: dict[str, list[str]] = {}
        with closing(self.engine.run(work, tasks, self.workers)) as outcomes:
            for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                for utt in outcome.value or ():
                    places.setdefault(utt, []).append(tasks[outcome.task].shown)
        return sorted((utt, sorted(shown)) for utt, shown in places.items() if len(shown) > 1)


def fitting_engine(tasks: Sequence[ShardTask]) -> Engine:
    """Return the engine for shards if none is named: `serial` if the work is small."""
    small = len(tasks) == 1 or sum(task.size for task in tasks) < SMALL
    return ENGINES.create("serial" if small else "process")


@contextmanager
def _interruptible(out: str | None) -> Iterator[None]:
    """Say in an interrupt that finished shards are kept, if they are."""
    try:
        yield
    except KeyboardInterrupt as error:
        if out is None:
            raise
        raise type(error)(
            f"finished shards are in {out}, and the same command continues with the others"
        ) from None


# Ids that several shards have, found in bounded memory.
#
# Each shard has a sorted file of the hashes of its ids, eight bytes for each. Ranges of hashes are
# read from all files, one range after the other, so that memory does not grow with the corpus.
# Equal hashes can be those of different ids, so the ids themselves are then compared.

AT_ONCE = 1 << 22  # hashes in memory, about
EIGHT = 8  # bytes of a hash
EXAMINED = 20  # equal hashes whose ids are compared at a time
SHOWN = 3  # ids in a message

# Yields the ids of a shard, some at a time.
ReadIds = Callable[[ShardTask, ShardReading], Iterator[pl.Series]]


class HashFiles:
    """The hashes of the ids of each shard, in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tasks: list[int] = []
        self.size = 0

    @classmethod
    @contextmanager
    def temporary(cls) -> Iterator[HashFiles]:
        """Yield files in a folder that is removed at the end."""
        with temporary_folder() as folder:
            yield cls(folder)

    def add(self, task: int, hashes: Hashes | None) -> None:
        """Store the sorted hashes of a shard; None if it has no ids."""
        if hashes is None or not len(hashes):
            return
        hashes.tofile(self._path(task))
        self.tasks.append(task)
        self.size += len(hashes)

    def duplicates(self) -> Iterator[Hashes]:
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
    """Finds the ids of a shard that have one of some hashes; duplicate ones are listed twice."""

    reading: ShardReading
    hashes: Hashes
    read: ReadIds

    def start(self) -> Callable[[ShardTask], list[str]]:
        """Return the function that reads a shard."""
        return self._find

    def _find(self, task: ShardTask) -> list[str]:
        found: list[str] = []
        for ids in self.read(task, self.reading):
            found += ids.filter(np.isin(hash_texts(ids), self.hashes)).to_list()
        return found


def _described(ids: Sequence[tuple[str, Sequence[str]]], total: int) -> str:
    """Return a sentence on duplicate ids. `ids`: examples, each with its shards."""
    shown = "; ".join(f"{utt!r} in {' and '.join(shards)}" for utt, shards in ids[:SHOWN])
    more = f" and {total - len(ids[:SHOWN]):,} more" if total > len(ids[:SHOWN]) else ""
    return f"duplicate ids: {shown}{more}"
