"""Tasks on this machine: in this process, or on several processes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.engines import (
    Engine,
    Outcome,
    Task,
    Trial,
    Value,
    Work,
    next_trial,
    reply,
)
from misword.core.workers import cores


@dataclass(frozen=True, slots=True)
class SerialEngine(Engine):
    """All tasks one after the other in this process, which may use several threads.

    Known problems: polars can end the process at a damaged Parquet file. `process` only loses a
    worker and names the file.

    Example: `misword score 'run/*.parquet' --engine serial`
    """

    name: ClassVar[str] = "serial"
    title: ClassVar[str] = "one process"

    @property
    def threads(self) -> int | None:
        """All cores."""
        return None

    def outcomes(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None
    ) -> Generator[Outcome[Value], None, None]:
        """Perform the tasks in their order."""
        function = work.start()
        for number, task in enumerate(tasks):
            trial = Trial(number)
            while (outcome := reply(function, task).outcome(trial)) is None:
                trial = next_trial(trial)
            yield outcome


@dataclass(frozen=True, slots=True)
class ProcessEngine(Engine):
    """A process for each core of this machine (`--workers` sets their number).

    If a process ends within a task, such as by a crash of a library at a damaged file or for want
    of memory, another process begins the task again. The error of a task that ends each of its
    processes names its shard. The processes end when misword ends, also if it is killed.

    Known problems: a script that scores shards with this engine must guard its main part by
    `if __name__ == "__main__":`, as Python's `multiprocessing` asks for.

    Example: `misword score 'run/*.parquet' --engine process --workers 4`
    """

    name: ClassVar[str] = "process"
    title: ClassVar[str] = "several processes"

    def outcomes(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None
    ) -> Generator[Outcome[Value], None, None]:
        """Perform the tasks on processes that are started anew (`spawn`)."""
        from misword.core.engines.supervision import supervise

        yield from supervise(work, tasks, min(workers or cores(), len(tasks)))
