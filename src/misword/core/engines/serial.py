"""Tasks one after the other in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.engines import Engine, Outcome, Task, Trial, Value, Work, next_trial, reply


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

    def run(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None = None
    ) -> Iterator[Outcome[Value]]:
        """Perform the tasks in their order."""
        function = work.start()
        for number, task in enumerate(tasks):
            trial = Trial(number)
            while (outcome := reply(function, task).outcome(trial)) is None:
                trial = next_trial(trial)
            yield outcome
