"""A run over shards: tasks for an engine, and what becomes of their outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from misword.asr.sharded.doubled_ids import EXAMINED, FindIds, HashFiles, describe_doubled
from misword.asr.sharded.run_notes import RunNotes
from misword.asr.sharded.shard_files import make_folder, missing_files, remove_older
from misword.asr.sharded.tally_sum import TallySum
from misword.asr.sharded.work import Hashes, ScoringWork, ShardScores
from misword.core.engines import Engine, Outcome
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.core.formatting import counted
from misword.core.progress import Bytes, progress
from misword.io.shards.failures import ShardsError
from misword.io.shards.listing import ShardTask, describe_data
from misword.stat.tally import Tally


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
