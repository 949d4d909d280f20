"""The passes over the shards of a corpus: numbers of rows, words, and writing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from misword.core.engines import Engine, Value, Work
from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import counted
from misword.io.files.path_errors import real_path
from misword.io.files.sources import inner_name
from misword.io.files.writing import check_parent
from misword.io.shards.listing import find_shards, is_url
from misword.io.shards.roles import ShardReading
from misword.io.shards.running import run_tasks
from misword.noise.arrays import Ints
from misword.noise.sharding.counting import (
    WITH_IDS,
    RowCounting,
    TextFacts,
    TextTask,
    WordCounting,
)
from misword.noise.sharding.noisy_shards import NoisyShard, Rewriting


def check_folder(output: str) -> None:
    """Raise, before any work, if a path is a file or nothing can be written in it."""
    if os.path.exists(output) and not os.path.isdir(output):
        raise OptionError("this is a file", where=output, fix="name a folder: -o noisy/")
    check_parent(real_path(output) / "shard", output)


def find_text_tasks(shards: str, output: str) -> list[TextTask]:
    """Return a task for each shard; raise if the noisy shards would replace each other or these."""
    if not is_url(output):
        check_folder(output)
    tasks = [TextTask(shard) for shard in find_shards(shards)]
    names: dict[str, str] = {}
    for task in tasks:
        name = inner_name(task.shard.name)
        if other := names.get(name):
            raise OptionError(
                f"{other} and {task.shard.shown} have one name, so one would replace the other",
                fix="corrupt one folder at a time",
            )
        names[name] = task.shard.shown
        folder = os.path.dirname(task.shard.path)
        if not is_url(output) and os.path.realpath(folder) == os.path.realpath(output):
            raise OptionError("this is the folder of the shards", where=output, fix="name another")
    return tasks


@dataclass(eq=False)
class TextPasses:
    """Passes over shards on an engine. A shard that cannot be read is left out of later passes."""

    engine: Engine
    workers: int | None
    keep_going: bool
    reading: ShardReading
    tasks: list[TextTask]
    notes: list[str] = field(default_factory=list)

    def number_rows(self) -> None:
        """Number the rows of all shards, if they have no ids."""
        rows: dict[int, int] = {}
        self._run(RowCounting(self.reading), rows.__setitem__, "counting rows")
        counts = [rows[number] for number in sorted(rows)]
        with_ids = [count == WITH_IDS for count in counts]
        if any(with_ids) and not all(with_ids):
            shown = self.tasks[with_ids.index(False)].shard.shown
            raise MismatchError(
                f"{shown} has no ids, others have ids",
                fix="name the column of the ids with --id-column, or --id-column none",
            )
        if not any(with_ids):
            before = np.cumsum([0, *counts])[:-1].tolist()
            numbered = zip(self.tasks, before, strict=True)
            self.tasks = [replace(task, first_row=first) for task, first in numbered]

    def count_words(self) -> TextFacts:
        """Return the words of all shards and the sample of their rows."""
        facts = TextFacts()
        self._run(WordCounting(self.reading), lambda _, found: facts.add(found), "counting words")
        return facts

    def write(self, rewriting: Rewriting) -> Ints:
        """Write all noisy shards; return the sums of their counts, for each target WER."""
        counts = np.zeros((len(rewriting.noises), 4), np.int64)
        kept = 0

        def take(_: int, shard: NoisyShard) -> None:
            nonlocal kept
            counts[:] += np.array(shard.counts, np.int64)
            kept += shard.kept

        self._run(rewriting, take, "drawing")
        if kept:
            shards = counted(kept, "shard")
            self.notes.append(f"{shards} of {len(self.tasks):,} kept: written by an earlier run")
        return counts

    def _run(
        self, work: Work[TextTask, Value], take: Callable[[int, Value], None], what: str
    ) -> None:
        """Run a pass; raise an error about all bad shards, or leave them out."""
        shards = [task.shard for task in self.tasks]
        report = run_tasks(
            self.engine, work, self.tasks, shards, take, what=what, workers=self.workers
        )
        report.check(keep_going=self.keep_going)
        self.tasks = [task for at, task in enumerate(self.tasks) if at not in report.errors]
        self.notes += report.notes()
