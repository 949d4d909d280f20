"""Worker processes of this machine, and the driver that supervises them.

The driver and each worker have a pipe of their own, on which only the numbers of tasks travel. The
work, the tasks and the replies are files of a temporary folder. A reply is complete before its
number is sent, so a worker that is killed at any step leaves no part of a message, and the driver
waits for nobody who has ended. A worker performs its tasks one after the other: the first without
a reply is the one that it ended in.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any

from misword.core.engines import (
    POLARS_THREADS,
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
from misword.core.errors import OptionError
from misword.core.leftovers import temporary_run_folder

CONTEXT = get_context("spawn")
WORK = "work"  # the file of the work and the tasks
AHEAD = 2  # tasks that a worker has at once: it performs one and finds the next in its pipe
PATROL = 1.0  # seconds after which the driver looks at all workers, whatever their pipes say
GRACE = 5.0  # seconds in which a worker that is to end may remove what it has half written


def supervise(
    work: Work[Task, Value], tasks: Sequence[Task], size: int
) -> Generator[Outcome[Value], None, None]:
    """Perform tasks on `size` processes; yield the outcome of each as soon as it is there.

    A task whose process ended is begun again by another process. All processes have ended when this
    generator has, also after an error or if it is closed.
    """
    waiting = deque(Trial(number) for number in range(len(tasks)))
    with temporary_run_folder() as folder:
        (folder / WORK).write_bytes(pickle.dumps((work, list(tasks))))
        with _crew(folder, size) as crew:
            while waiting or crew.busy:
                crew.assign(waiting)
                for worker in crew.wait():
                    for trial, answer in worker.replies():
                        outcome = answer.outcome(trial)
                        if outcome is None:
                            waiting.append(next_trial(trial))
                        else:
                            yield outcome
                    if worker.ended:
                        outcome = crew.remove(worker, waiting)
                        if outcome is not None:
                            yield outcome


# The side of the driver.


@contextmanager
def _crew(folder: Path, size: int) -> Iterator[Crew]:
    """Yield workers that have ended after this context."""
    crew = Crew(folder, size)
    try:
        yield crew
    finally:
        crew.end()


class Crew:
    """Up to `size` workers; each is started when there is a task for it."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size
        self.workers: list[Worker] = []
        self.started = 0

    @property
    def busy(self) -> bool:
        """Whether a task is under way."""
        return any(worker.trials for worker in self.workers)

    def assign(self, waiting: deque[Trial]) -> None:
        """Give tasks to workers that are free, or will be soon."""
        while waiting and (worker := self._next_worker(len(waiting))) is not None:
            worker.assign(waiting)

    def _next_worker(self, waiting: int) -> Worker | None:
        """Return the worker for the next task; None if all have enough.

        The last tasks are given only to workers that are free, so that none waits behind a long
        task of the same worker.
        """
        able = [worker for worker in self.workers if not worker.ended]
        least = min(able, key=lambda worker: len(worker.trials), default=None)
        if least is not None and not least.trials:
            return least
        if len(self.workers) < self.size:
            self.started += 1
            self.workers.append(Worker(self.folder, self.started))
            return self.workers[-1]
        if least is not None and len(least.trials) < AHEAD and waiting > self.size:
            return least
        return None

    def wait(self) -> list[Worker]:
        """Wait until workers have replied or ended; return these."""
        places: dict[Any, Worker] = {}
        for worker in self.workers:
            places |= {worker.pipe: worker, worker.process.sentinel: worker}
        # A process that a worker has started can hold its pipe open: hence the patrol.
        ended = [worker for worker in self.workers if worker.has_ended()]
        ready = wait(list(places), 0 if ended else PATROL)
        return list(dict.fromkeys([*(places[place] for place in ready), *ended]))

    def remove(self, worker: Worker, waiting: deque[Trial]) -> Outcome[Any] | None:
        """Remove a worker that has ended; return the outcome of its task if it is given up."""
        self.workers.remove(worker)
        worker.end(GRACE)
        if not worker.trials:
            return None
        begun, *others = worker.trials
        waiting.extendleft(reversed(others))
        outcome = lost(begun, worker.reason)
        if outcome is None:
            waiting.append(next_trial(begun))
        return outcome

    def end(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.ask_to_end()
        deadline = time.monotonic() + GRACE
        for worker in self.workers:
            worker.end(max(0.0, deadline - time.monotonic()))


class Worker:
    """A process as the driver sees it; `trials` are its tasks without a reply, in their order."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.home = folder, folder / f"worker-{number}"
        self.home.mkdir()
        self.trials: deque[Trial] = deque()
        self.ended = False
        self.pipe, other = CONTEXT.Pipe()
        self.process = CONTEXT.Process(
            target=serve,
            args=(other, self.folder, self.home, current_thread() is main_thread()),
            daemon=True,
        )
        with _signals_deferred(), _start_conditions():
            self.process.start()
        other.close()

    @property
    def reason(self) -> str:
        """What is said about a task that the process ended in."""
        code = self.process.exitcode or 0
        with suppress(ValueError):
            return f"its process ended ({signal.Signals(-code).name}), perhaps for want of memory"
        return f"its process ended (exit code {code}), perhaps for want of memory"

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        return self.process.exitcode is not None

    def assign(self, waiting: deque[Trial]) -> None:
        """Take the first of the tasks that wait; it stays there if the process has ended."""
        try:
            self.pipe.send_bytes(b"%d" % waiting[0].task)
        except OSError:
            self.ended = True
        else:
            self.trials.append(waiting.popleft())

    def replies(self) -> Iterator[tuple[Trial, Reply]]:
        """Yield the replies that are there; then `ended` says whether there will be others."""
        ended = self.has_ended()  # asked first: what it sent before is in the pipe now
        while (number := self._received()) is not None:
            trial = self.trials.popleft()
            assert trial.task == number, "tasks are performed in their order"
            yield trial, self._read(number)
        self.ended = self.ended or ended

    def _received(self) -> int | None:
        """Return the next number in the pipe; None if there is none now."""
        try:
            return int(self.pipe.recv_bytes()) if self.pipe.poll() else None
        except (EOFError, OSError):
            self.ended = True
            return None

    def _read(self, number: int) -> Reply:
        """Return the reply to a task; raise the error of a worker that is a bug."""
        path = self.folder / str(number)
        try:
            with path.open("rb") as file:
                answer: Reply = pickle.load(file)
            path.unlink()
        except OSError as error:
            return Reply("again", str(error))
        if answer.kind == "bug":
            raise answer.content
        return answer

    def ask_to_end(self) -> None:
        """Tell the process to end: by a signal if it is at a task, else by the end of its pipe."""
        if self.trials:
            self.process.terminate()
        self.pipe.close()

    def end(self, grace: float) -> None:
        """End the process, by force after some seconds; remove its temporary files."""
        self.ask_to_end()
        self.process.join(grace)
        if not self.has_ended():
            self.process.kill()
            self.process.join()
        shutil.rmtree(self.home, ignore_errors=True)


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Within this context, SIGINT and SIGTERM wait; their handlers are called at its end.

    A process that is started reads its arguments from a pipe. An exception of a handler between the
    start and the writing of the arguments would leave it with an empty pipe, and its traceback. A
    mask is not enough: another thread, such as one of polars, can take the signal.
    """
    if current_thread() is not main_thread():  # handlers are called in the main thread only
        yield
        return
    came: list[int] = []
    handlers = {
        sign: handler
        for sign in (signal.SIGINT, signal.SIGTERM)
        if callable(handler := signal.getsignal(sign))
    }
    for sign in handlers:
        signal.signal(sign, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for sign, handler in handlers.items():
            signal.signal(sign, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def _start_conditions() -> Iterator[None]:
    """Within this context, a process that is started has one thread for tables, and no SIGINT.

    Ctrl-C at a terminal reaches all processes: the driver ends its workers, and says so once.
    """
    before = os.environ.get(POLARS_THREADS)
    os.environ[POLARS_THREADS] = "1"
    mask = None
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        # Its start sets the mask of signals, so it comes first.
        resource_tracker.ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if before is None:
            del os.environ[POLARS_THREADS]
        else:
            os.environ[POLARS_THREADS] = before


# The side of a worker.


def serve(pipe: Connection, folder: Path, home: Path, by_main_thread: bool) -> None:
    """Perform the tasks whose numbers come from the pipe, until it ends.

    `home` is a folder for temporary files; `by_main_thread` says which thread of the driver started
    this process.
    """
    signal.signal(signal.SIGTERM, _end_quietly)
    _end_with_driver(by_main_thread)
    tempfile.tempdir = os.environ["TMPDIR"] = str(home)
    function: list[Callable[[int], Any]] = []

    def perform(number: int) -> Any:
        # The work is started within the first task, which then has its errors.
        if not function:
            work, tasks = pickle.loads((folder / WORK).read_bytes())
            started = work.start()
            function.append(lambda number: started(tasks[number]))
        return function[0](number)

    with suppress(EOFError, OSError):  # the driver has closed the pipe, or has ended
        while True:
            number = int(pipe.recv_bytes())
            _store(_reply(perform, number), home / "reply", folder / str(number))
            pipe.send_bytes(b"%d" % number)


def _reply(perform: Callable[[int], Any], number: int) -> bytes:
    """Return the reply to a task as bytes; its error if it is a bug, with the traceback."""
    try:
        return pickle.dumps(reply(perform, number))
    except SystemExit:
        raise
    except BaseException as error:  # panics of polars are no `Exception`
        text = traceback.format_exc()
        try:
            error.add_note(text)
            data = pickle.dumps(Reply("bug", error))
            pickle.loads(data)
        except Exception:  # an error that cannot be sent
            data = pickle.dumps(Reply("bug", RuntimeError(f"{type(error).__name__}: {text}")))
        return data


def _store(data: bytes, fresh: Path, target: Path) -> None:
    """Write a reply completely; if there is no space for it, the reply says so."""
    try:
        fresh.write_bytes(data)
    except OSError as error:
        full = OptionError(
            f"a result cannot be written to the folder for temporary files: {error.strerror}",
            fix="set the environment variable TMPDIR to a folder with more space",
        )
        fresh.write_bytes(pickle.dumps(Reply("error", full)))
    fresh.replace(target)


def _end_quietly(*_: object) -> None:
    """End this process so that files that are half written are removed; print nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # Not `SIG_IGN`: for a signal that has already come, Python would print that it is ignored.
    signal.signal(signal.SIGTERM, lambda *_: None)
    raise SystemExit(128 + signal.SIGTERM)


def _end_with_driver(by_main_thread: bool) -> None:
    """End this process when the driver ends, however it ends."""
    Thread(target=_wait_for_end_of_driver, daemon=True).start()
    if sys.platform == "linux" and by_main_thread:
        # The thread needs the interpreter lock, which a regular expression does not release. This
        # signal is sent at the end of the thread that started the process, not of its process.
        import ctypes

        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def _wait_for_end_of_driver() -> None:
    driver = parent_process()
    assert driver is not None, "a worker was started by a driver"
    wait([driver.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)
