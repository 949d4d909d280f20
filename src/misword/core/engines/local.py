"""Tasks one after the other in this process."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, ClassVar

from misword.core.engines import (
    POLARS_THREADS,
    Engine,
    Outcome,
    Reply,
    Task,
    Trial,
    Value,
    Work,
    lost,
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
    ) -> Iterator[Outcome[Value]]:
        """Perform the tasks in their order."""
        function = work.start()
        for number, task in enumerate(tasks):
            trial = Trial(number)
            while (outcome := reply(function, task).outcome(trial)) is None:
                trial = next_trial(trial)
            yield outcome


# Tasks on several processes of one machine.

AHEAD = 2  # tasks for each process that are submitted at once
ENDED = "its process ended, perhaps for want of memory"

# The work of this process, if it is a worker, and its function once it was started.
_WORK: list[Work[Any, Any]] = []
_FUNCTION: list[Callable[[Any], Any]] = []


@dataclass(frozen=True, slots=True)
class ProcessEngine(Engine):
    """A process for each core of this machine (`--workers` sets their number).

    If a process ends within a task, such as by a crash of a library at a damaged file, the tasks
    that it may have been at are begun again one by one, so that the error names the right one.

    Known problems: a script that scores shards with this engine must guard its main part by
    `if __name__ == "__main__":`, as Python's `multiprocessing` asks for.

    Example: `misword score 'run/*.parquet' --engine process --workers 4`
    """

    name: ClassVar[str] = "process"
    title: ClassVar[str] = "several processes"

    def outcomes(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None
    ) -> Iterator[Outcome[Value]]:
        """Perform the tasks on processes that are started anew (`spawn`)."""
        queue = deque(Trial(number) for number in range(len(tasks)))
        suspects: deque[Trial] = deque()
        with _one_thread_each():
            while queue or suspects:
                trials, size = (suspects, 1) if suspects else (queue, workers or cores())
                ended = yield from _run_pool(work, tasks, trials, min(size, len(tasks)))
                for trial in ended:
                    outcome = lost(trial, ENDED) if trials is suspects else None
                    if outcome is None:
                        suspects.append(next_trial(trial))
                    else:
                        yield outcome


def _run_pool(
    work: Work[Task, Value], tasks: Sequence[Task], trials: deque[Trial], size: int
) -> Generator[Outcome[Value], None, list[Trial]]:
    """Perform trials until all are done or a process ends; return those that were then under way.

    A single process has one task at a time, so that it is known which task ended it.
    """
    most = AHEAD * size if size > 1 else 1
    pool = ProcessPoolExecutor(size, get_context("spawn"), _start, (work,))
    pending: dict[Future[Reply], Trial] = {}
    try:
        while trials or pending:
            while trials and len(pending) < most:
                # `submit` raises if the pool has just broken: the trial is taken only after it.
                future = pool.submit(_perform, tasks[trials[0].task])
                pending[future] = trials.popleft()
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                outcome = future.result().outcome(pending[future])
                trial = pending.pop(future)
                if outcome is None:
                    trials.append(next_trial(trial))
                else:
                    yield outcome
        pool.shutdown()
    except BrokenProcessPool:
        return list(pending.values())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return []


def _start(work: Work[Any, Any]) -> None:
    """Make this process a worker; an interrupt from the keyboard ends it silently."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _WORK[:] = [work]


def _perform(task: Any) -> Reply:
    return reply(_started, task)


def _started(task: Any) -> Any:
    """Perform a task; the work is started within the first one, which then has its errors."""
    if not _FUNCTION:
        _FUNCTION.append(_WORK[0].start())
    return _FUNCTION[0](task)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Within this context, processes that are started have one thread for tables."""
    before = os.environ.get(POLARS_THREADS)
    os.environ[POLARS_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[POLARS_THREADS]
        else:
            os.environ[POLARS_THREADS] = before
