"""Tasks on the machines of a Ray cluster."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from threading import current_thread, main_thread
from typing import Any, ClassVar
from uuid import uuid4

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
from misword.core.errors import InputError
from misword.core.parts import Requirement
from misword.core.workers import cores

AHEAD = 2  # tasks for each core that are submitted at once
STORE = 256 << 20  # bytes of the store of a local Ray: values of tasks are small
LOCAL: dict[str, Any] = {
    "include_dashboard": False,
    "log_to_driver": False,
    "logging_level": "ERROR",
}

# The functions of this process, if it is a worker, by the key of the run.
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {}


@dataclass(frozen=True, slots=True)
class RayEngine(Engine):
    """The machines of a Ray cluster; without an address, a Ray that is started on this machine.

    `ray://head:10001` is a cluster that runs; `ray:auto` the one that this machine belongs to. Each
    task is one Ray task on one core, and reads its own data. A task whose worker or machine is lost
    is begun again elsewhere. misword must be installed on all machines, in the same version, and
    they must be able to read the data.

    Example: `misword score 's3://bucket/run/*.parquet' --engine ray://head:10001`

    Reference: P. Moritz et al., Ray: a distributed framework for emerging AI applications, OSDI
    2018.
    """

    name: ClassVar[str] = "ray"
    title: ClassVar[str] = "Ray"
    main_option: ClassVar[str] = "address"

    address: str = ""

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the package of Ray."""
        return Requirement(("ray",), "pip install 'misword[ray]'")

    def outcomes(
        self, work: Work[Task, Value], tasks: Sequence[Task], workers: int | None
    ) -> Generator[Outcome[Value], None, None]:
        """Perform the tasks on the cores of the cluster."""
        # Ray prints that workers were lost to standard output, which is for results.
        with redirect_stdout(sys.stderr), self._connected(workers) as ray:
            key, shared = uuid4().hex, ray.put(work)
            # Ray's own retries are off: those here are counted, and notes tell the user of them.
            perform = ray.remote(max_retries=0)(_perform)
            most = workers or AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            trials = deque(Trial(number) for number in range(len(tasks)))
            pending: dict[Any, Trial] = {}
            while trials or pending:
                while trials and len(pending) < most:
                    trial = trials.popleft()
                    pending[perform.remote(key, shared, tasks[trial.task])] = trial
                (reference, *_), _ = ray.wait(list(pending))
                trial = pending.pop(reference)
                outcome = _outcome(ray, reference, trial)
                if outcome is None:
                    trials.append(next_trial(trial))
                else:
                    yield outcome

    @contextmanager
    def _connected(self, workers: int | None) -> Iterator[Any]:
        """Connect to a cluster, or start one, for the time of this context."""
        import ray

        if ray.is_initialized():  # the caller's
            yield ray
            return
        # The rest of `ray://head:10001` after the name of the engine.
        address = f"ray:{self.address}" if self.address.startswith("//") else self.address
        options: dict[str, Any] = {} if address.startswith("ray:") else dict(LOCAL)
        if not address:
            options |= {"num_cpus": workers or cores(), "object_store_memory": STORE}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        before = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(address or "local", **options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(
                f"no connection to Ray: {error}",
                where=address,
                fix="check the address (ray://HEAD:10001), or leave it out for a local Ray",
            ) from None
        if callable(before):  # the handler of Ray prints a trace and exits
            _handle_termination(before)
        try:
            yield ray
        finally:
            ray.shutdown()
            _handle_termination(before)


def _handle_termination(handler: Any) -> None:
    """Set the handler of SIGTERM, which Ray replaces; only the main thread may do so."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, handler)


def _outcome(ray: Any, reference: Any, trial: Trial) -> Outcome[Any] | None:
    """Return the outcome of a Ray task; None if it is to be begun again."""
    try:
        answer: Reply = ray.get(reference)
    except ray.exceptions.RayTaskError:
        raise
    except ray.exceptions.RayError as error:  # the worker, its machine or its result is lost
        return lost(trial, f"its worker was lost: {str(error).splitlines()[0]}")
    return answer.outcome(trial)


def _perform(key: str, work: Work[Any, Any], task: Any) -> Reply:
    """Perform a task in a worker of Ray."""
    return reply(partial(_started, key, work), task)


def _started(key: str, work: Work[Any, Any], task: Any) -> Any:
    """Perform a task; the work is started within the first one, which then has its errors."""
    if key not in _FUNCTIONS:
        os.environ.setdefault(POLARS_THREADS, "1")
        _FUNCTIONS.clear()
        _FUNCTIONS[key] = work.start()
    return _FUNCTIONS[key](task)
