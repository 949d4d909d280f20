"""The error of a run over shards, which names every shard that cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from misword.core.engines import Engine, Task, Value, Work
from misword.core.errors import InputError, MiswordError
from misword.core.formatting import counted
from misword.core.progress import Bytes, progress
from misword.io.shards.files import Shard


class ShardsError(InputError):
    """Some shards cannot be used; `failures` has the error of each of them."""

    def __init__(self, failures: Sequence[MiswordError], shards: int) -> None:
        self.failures = tuple(failures)
        advice = list(dict.fromkeys(failure.fix for failure in failures if failure.fix))
        super().__init__(
            f"{counted(len(failures), 'problem')} in {counted(shards, 'shard')}",
            fix=advice[0] if len(advice) == 1 else "--keep-going leaves these shards out",
        )

    def __str__(self) -> str:
        """Return the number of problems, and a line for each of them."""
        head, *advice = super().__str__().splitlines()
        lines = (f"  {str(failure).splitlines()[0]}" for failure in self.failures)
        return "\n".join([f"{head}:", *lines, *advice])


# Run the tasks of shards on an engine: progress, bad shards, repeated tasks.


@dataclass(slots=True)
class RunReport:
    """The errors of a run by the numbers of the tasks, and how many tasks were repeated.

    `shards` is the number of all shards.
    """

    shards: int
    errors: dict[int, MiswordError] = field(default_factory=dict)
    repeated: int = 0

    @property
    def failures(self) -> list[MiswordError]:
        """The errors in the order of the tasks."""
        return [self.errors[number] for number in sorted(self.errors)]

    def check(self, *, keep_going: bool) -> None:
        """Raise an error that names all bad shards; with `keep_going`, only if all are bad."""
        if self.errors and (not keep_going or len(self.errors) == self.shards):
            raise ShardsError(self.failures, self.shards)

    def notes(self) -> list[str]:
        """Return sentences on shards that were left out, and on repeated tasks."""
        notes = []
        if self.errors:
            names = "; ".join(str(failure).splitlines()[0] for failure in self.failures)
            left_out = f"{len(self.errors)} of {counted(self.shards, 'shard')} left out"
            notes.append(f"{left_out}: {names}")
        if self.repeated:
            shards = counted(self.repeated, "shard")
            notes.append(f"{shards} processed again, because a worker or its data was lost")
        return notes


def run_tasks(
    engine: Engine,
    work: Work[Task, Value],
    tasks: Sequence[Task],
    shards: Sequence[Shard],
    take: Callable[[int, Value], None],
    *,
    what: str,
    workers: int | None = None,
) -> RunReport:
    """Perform all tasks, also if some fail; call `take` with the number and value of each.

    `shards` has the first shard of each task; `what` names the work in the progress bar. Values
    come in any order.
    """
    report = RunReport(len(tasks))
    with progress(what, Bytes(sum(shard.size for shard in shards))) as step:
        for outcome in engine.run(work, tasks, workers):
            shard, error = shards[outcome.task], outcome.error
            report.repeated += outcome.attempts > 1
            if error is not None:
                where = error.where or shard.shown
                report.errors[outcome.task] = type(error)(error.what, where=where, fix=error.fix)
            elif outcome.value is not None:
                take(outcome.task, outcome.value)
            step(shard.size)
    return report
