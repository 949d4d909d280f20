"""Run the tasks of shards on an engine: progress, bad shards, repeated tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from misword.core.engines import Engine, Task, Value, Work, with_place
from misword.core.errors import InputError, MiswordError
from misword.core.formatting import counted
from misword.core.progress import progress


@dataclass(slots=True)
class RunReport:
    """The errors of shards by the number of their task, and the names of tasks that were repeated.

    `shards` is the number of all shards.
    """

    shards: int
    errors: dict[int, MiswordError] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)

    def refuse_errors(self) -> None:
        """Raise one error that names all bad shards, if there are any."""
        if not self.errors:
            return
        lines = "".join(f"\n  {error.where}: {error.what}" for _, error in self._sorted())
        raise InputError(
            f"{len(self.errors):,} of {counted(self.shards, 'shard')} cannot be used:{lines}",
            fix="mend or remove them, or leave them out with --keep-going",
        )

    def notes(self) -> list[str]:
        """Return sentences on shards that were left out, and on repeated tasks."""
        notes = [f"left out: {error.where}: {error.what}" for _, error in self._sorted()]
        if self.repeated:
            what = counted(len(self.repeated), "task")
            notes.append(f"{what} begun again after a worker or a file was lost")
        return notes

    def _sorted(self) -> list[tuple[int, MiswordError]]:
        return sorted(self.errors.items())


def run_tasks(
    engine: Engine,
    work: Work[Task, Value],
    tasks: Sequence[Task],
    shards: Sequence[tuple[str, int]],
    take: Callable[[int, Value], None],
    *,
    what: str,
    workers: int | None = None,
) -> RunReport:
    """Perform all tasks, also if some fail; call `take` with the number and value of each.

    `shards` has the name and the bytes of the shard of each task; `what` names the work in the
    progress bar. Values come in any order.
    """
    report = RunReport(len(tasks))
    with progress(what, sum(size for _, size in shards)) as step:
        for outcome in engine.run(work, tasks, workers):
            name, size = shards[outcome.task]
            placed = with_place(outcome, name)
            if placed.attempts > 1:
                report.repeated.append(name)
            if placed.error is not None:
                report.errors[placed.task] = placed.error
            elif placed.value is not None:
                take(placed.task, placed.value)
            step(size)
    return report
