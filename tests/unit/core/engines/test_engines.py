"""All engines perform all tasks, repeat those whose worker was lost, and name those that fail."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import engine_works
from engine_works import (
    SIZE,
    Counts,
    Fails,
    FailsOddly,
    Heavy,
    NotStarted,
    Squares,
    Writes,
)
from misword.core.engines import ENGINES, Engine, Outcome, Work
from misword.core.errors import InputError, OptionError
from misword.core.leftovers import temporary_run_folder

PATIENCE = 60  # seconds


def outcomes(engine: Engine, work: Work[int, int], tasks: list[int]) -> dict[int, Outcome[int]]:
    found = list(engine.run(work, tasks, 2))
    assert sorted(outcome.task for outcome in found) == list(range(len(tasks)))
    return {tasks[outcome.task]: outcome for outcome in found}


@pytest.fixture(
    params=[
        "serial",
        pytest.param("process", marks=pytest.mark.slow),
        pytest.param("ray", marks=pytest.mark.slow),
    ]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "ray":
        request.getfixturevalue("local_ray")
    return ENGINES.create(request.param)


def test_values_and_errors(engine: Engine) -> None:
    work = Squares(wrong=frozenset({3}), unreadable=frozenset({5}))
    handler = signal.getsignal(signal.SIGTERM)
    found = outcomes(engine, work, [1, 2, 3, 4, 5, 6])
    assert signal.getsignal(signal.SIGTERM) == handler  # Ray has one of its own
    assert {k: v.value for k, v in found.items() if v.error is None} == {1: 1, 2: 4, 4: 16, 6: 36}
    assert str(found[3].error) == "3.csv: 3 is wrong\n  mend it"
    assert found[3].attempts == 1  # the data is wrong: another attempt would not help
    assert found[5].attempts == 3
    assert "the network (3 attempts)" in str(found[5].error)


def test_a_worker_is_started_once(engine: Engine) -> None:
    found = list(engine.run(Counts(), list(range(8)), 2))
    values = [outcome.value for outcome in found if outcome.value is not None]
    most = {process: max(n for p, n in values if p == process) for process, _ in values}
    assert sum(most.values()) == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["process", "ray"])
def test_a_worker_that_cannot_be_started(name: str, request: pytest.FixtureRequest) -> None:
    if name == "ray":
        request.getfixturevalue("local_ray")
    found = outcomes(ENGINES.create(name), NotStarted(), [1, 2])
    assert [str(found[n].error) for n in (1, 2)] == ["words.vec: no such file\n  copy it"] * 2
    assert [found[n].attempts for n in (1, 2)] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["process", "ray"])
def test_lost_workers(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A worker that is killed once is replaced; a task that always kills is named, and no other."""
    if name == "ray":
        request.getfixturevalue("local_ray")
    engine = ENGINES.create(name)
    work = Squares(killing=frozenset({2}), marks=tmp_path)
    found = outcomes(engine, work, [1, 2, 3, 4])
    assert [found[n].value for n in (1, 2, 3, 4)] == [1, 4, 9, 16]
    assert found[2].attempts == 2
    found = outcomes(engine, Squares(killing=frozenset({2})), [1, 2, 3, 4])
    assert [n for n in found if found[n].error is not None] == [2]
    assert found[2].attempts == 3
    assert [found[n].value for n in (1, 3, 4)] == [1, 9, 16]


@pytest.mark.parametrize("name", ["serial", pytest.param("process", marks=pytest.mark.slow)])
@pytest.mark.parametrize("error", [TypeError("no"), EOFError("end"), MemoryError("full")])
def test_a_bug_is_raised(name: str, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)) as caught:
        list(ENGINES.create(name).run(Fails(error), [1, 2, 3], 2))
    if name == "process":  # `--debug` shows where it was in the worker
        assert "in _fail" in caught.value.__notes__[0]


@pytest.mark.slow
def test_a_bug_that_cannot_be_sent() -> None:
    with pytest.raises(RuntimeError, match="OddError: onetwo"):
        list(ENGINES.create("process").run(FailsOddly(), [1]))


@pytest.mark.slow
@pytest.mark.parametrize("step", ["start", "pickling"])
def test_workers_that_are_lost_at_each_step(step: str, tmp_path: Path) -> None:
    work = Heavy(frozenset({0, 3}), tmp_path, step)
    found = {each.task: each for each in ENGINES.create("process").run(work, range(6), 2)}
    assert sorted(found) == list(range(6))
    for number, outcome in found.items():
        assert outcome.value is not None
        assert (outcome.value.number, len(outcome.value.content)) == (number, SIZE)
    repeated = {number for number, outcome in found.items() if outcome.attempts > 1}
    assert repeated == {0, 3} if step == "pickling" else len(repeated) == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_that_are_lost_while_they_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed while its reply is written."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed, ended = set[int](), threading.Event()

    def kill() -> None:
        while len(killed) < 2 and not ended.is_set():
            for process in multiprocessing.active_children():
                with suppress(OSError):
                    for handle in Path(f"/proc/{process.pid}/fd").iterdir():
                        if os.readlink(handle).endswith("/reply"):
                            killed.add(process.pid or 0)
                            process.kill()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    work, numbers = Heavy(frozenset(), tmp_path, ""), list(range(40))
    found = [outcome.task for outcome in ENGINES.create("process").run(work, numbers, 2)]
    assert sorted(found) == numbers
    ended.set()
    killer.join()
    assert killed
    assert not list(tmp_path.iterdir())


DRIVER = """
import sys
from pathlib import Path
from engine_works import Endless
from misword.core.engines import ENGINES
if __name__ == "__main__":
    work = Endless(Path(sys.argv[1]), sys.argv[2] == "locked")
    list(ENGINES.create("process").run(work, [1, 2], 2))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL, and /proc")
@pytest.mark.parametrize("computing", ["open", "locked"])
def test_workers_end_with_the_driver(computing: str, tmp_path: Path) -> None:
    """Also if the driver is killed, and if a worker holds the lock of Python."""
    script, marks = tmp_path / "driver.py", tmp_path / "marks"
    script.write_text(DRIVER)
    marks.mkdir()
    tests = str(Path(engine_works.__file__).parent)
    paths = os.pathsep.join([tests, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, script, marks, computing], env=environment) as driver:
        while len(list(marks.iterdir())) < 2:
            assert driver.poll() is None
            time.sleep(0.01)
        driver.kill()
    workers = [Path("/proc", mark.name) for mark in marks.iterdir()]
    end = time.monotonic() + PATIENCE
    while any(worker.exists() for worker in workers) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(worker.exists() for worker in workers)


@pytest.mark.slow
def test_a_run_that_is_left_early_ends_its_workers() -> None:
    with closing(ENGINES.create("process").run(Squares(), list(range(8)), 2)) as outcomes:
        next(outcomes)
        assert multiprocessing.active_children()
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_temporary_files_of_workers_are_removed() -> None:
    found = list(ENGINES.create("process").run(Writes(), [1, 2, 3], 2))
    assert not any(Path(outcome.value or "").exists() for outcome in found)


def test_temporary_files_of_killed_runs_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_run_folder() as running:
        own = f"-{os.getpid()}-"
        killed = tmp_path / running.name.replace(own, f"-{dead_process()}-")
        other = tmp_path / running.name.replace(running.name[-12:-4], "0" * 8).replace(own, "-1-")
        for folder in (killed, other):
            folder.mkdir()
            (folder / "0").touch()
        with temporary_run_folder() as second:
            assert sorted(tmp_path.iterdir()) == sorted([running, second, other])
    assert list(tmp_path.iterdir()) == [other]  # of a process that runs


def dead_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_addresses_of_ray() -> None:
    engine = ENGINES.create("ray://head:10001")
    assert engine == ENGINES.create("ray:address=//head:10001")
    assert ENGINES.create("ray:auto") != engine
    with pytest.raises(OptionError, match="spark"):
        ENGINES.create("spark")


def test_errors_of_other_processes_are_the_same() -> None:
    error = InputError("line\nend", where="a\tb", fix="mend")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.what) == (InputError, str(error), "line\nend")
    assert (copy.where, copy.fix) == ("a\tb", "mend")


@pytest.mark.slow
def test_a_worker_that_is_lost_between_tasks() -> None:
    """Processes end while the driver does something else."""
    found: list[int] = []
    for outcome in ENGINES.create("process").run(Squares(), list(range(12)), 2):
        found.append(outcome.task)
        if len(found) == 1:
            for process in multiprocessing.active_children():
                os.kill(process.pid or 0, signal.SIGKILL)
    assert sorted(found) == list(range(12))


@dataclass(frozen=True, slots=True)
class Careless(Engine):
    """Yields the outcomes of the tasks with these numbers."""

    numbers: tuple[int, ...] = ()

    def outcomes(
        self, work: Work[Any, Any], tasks: Sequence[Any], workers: int | None
    ) -> Generator[Outcome[Any], None, None]:
        return (Outcome(number, number) for number in self.numbers)


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [((0, 2), "lost 1 of 3 tasks, first 1"), ((0, 1, 1, 2), "two outcomes for task 1")],
)
def test_each_task_has_exactly_one_outcome(numbers: tuple[int, ...], problem: str) -> None:
    """Otherwise it is a bug of misword (exit code 70), never a result without a shard."""
    with pytest.raises(RuntimeError, match=problem):
        list(Careless(numbers).run(Squares(), [1, 2, 3]))
