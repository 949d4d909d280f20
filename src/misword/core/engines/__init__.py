"""Engines: where the tasks of a large run are performed, on one core, several, or a cluster.

A run is a `Work` and a list of tasks, usually one for each shard of the data. An engine starts
workers, lets them perform the tasks, and yields an `Outcome` for each task as soon as it is there.
Numbers do not depend on the engine: outcomes are added up in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from misword.core.errors import InputError, MiswordError
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.core.engines"
ATTEMPTS = 3  # how often a task is begun if its worker is lost or its data cannot be read
# The variable that decides how many threads polars starts when it is imported.
POLARS_THREADS = "POLARS_MAX_THREADS"

Task = TypeVar("Task")
Value = TypeVar("Value")


class Work(Generic[Task, Value]):
    """What workers do. It is sent to each worker, so it must be possible to pickle it.

    Paths of files are sent, not opened files, models or vectors: `start` opens them.
    """

    def start(self) -> Callable[[Task], Value]:
        """Prepare a worker, once; return the function that performs a task.

        The function raises a `MiswordError` if the task cannot be performed: it is not tried again.
        It is tried again after an `OSError`, such as that of a network.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Value]):
    """The value of a task, or the error for which there is none.

    `task` is the number of the task from 0, `attempts` how often the task was begun.
    """

    task: int
    value: Value | None
    error: MiswordError | None = None
    attempts: int = 1


class Trial(NamedTuple):
    """A task that is begun for the `attempt`-th time."""

    task: int
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Reply:
    """What a worker returns: a value, an error, or the reason why the task should be repeated.

    The content of `bug` is an error that is raised where the engine runs.
    """

    kind: Literal["value", "error", "again", "bug"]
    content: Any

    def outcome(self, trial: Trial) -> Outcome[Any] | None:
        """Return the outcome of a task; None if it is to be begun again."""
        if self.kind == "value":
            return Outcome(trial.task, self.content, attempts=trial.attempt)
        if self.kind == "error":
            return Outcome(trial.task, None, self.content, trial.attempt)
        return lost(trial, f"cannot be read: {self.content}")


def reply(function: Callable[[Any], Any], task: Any) -> Reply:
    """Perform a task in a worker."""
    try:
        return Reply("value", function(task))
    except MiswordError as error:
        return Reply("error", error)
    except OSError as error:
        return Reply("again", str(error))


def lost(trial: Trial, reason: str) -> Outcome[Any] | None:
    """Return None if a task that was lost may be begun again, else its outcome."""
    if trial.attempt < ATTEMPTS:
        return None
    error = InputError(
        f"{reason} ({ATTEMPTS} attempts)",
        fix="check that the data is there, and that a worker has enough memory",
    )
    return Outcome(trial.task, None, error, trial.attempt)


def next_trial(trial: Trial) -> Trial:
    """Return the next attempt of a task."""
    return trial._replace(attempt=trial.attempt + 1)


class Engine(Part):
    """A way to perform tasks."""

    __slots__ = ()

    family: ClassVar[str] = "engines"

    @property
    def threads(self) -> int | None:
        """The number of threads of a worker; None if it may use all cores."""
        return 1

    def run(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None = None
    ) -> Generator[Outcome[Value], None, None]:
        """Perform all tasks; yield exactly one outcome for each of them, in any order.

        `workers` is the number of tasks that are performed at the same time. A task whose worker is
        lost, or that raises an `OSError`, is begun again; after some attempts its outcome is an
        error. Other errors are bugs, and are raised here. It is also a bug, and raised, if an
        engine loses a task or yields two outcomes for one. Close the generator (`closing`) if it is
        left early, so that workers end.
        """
        left = set(range(len(tasks)))
        with closing(self.outcomes(work, tasks, workers)) as outcomes:
            for outcome in outcomes:
                if outcome.task not in left:
                    raise RuntimeError(
                        f"the engine {self.name} has two outcomes for task {outcome.task}"
                    )
                left.remove(outcome.task)
                yield outcome
        if left:
            raise RuntimeError(
                f"the engine {self.name} lost {len(left)} of {len(tasks)} tasks, first {min(left)}"
            )

    def outcomes(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None
    ) -> Generator[Outcome[Value], None, None]:
        """Perform all tasks; `run` checks the outcomes."""
        raise NotImplementedError


ENGINES: Registry[Engine] = Registry(
    "engines",
    {
        "process": Entry(f"{HERE}.local:ProcessEngine"),
        "ray": Entry(f"{HERE}.ray:RayEngine", extra="ray"),
        "serial": Entry(f"{HERE}.local:SerialEngine"),
    },
)
