"""All engines perform all tasks, repeat those whose worker was lost, and name those that fail."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine_works import Counts, NotStarted, Squares
from misword.core.engines import ENGINES, Engine, Outcome, Work
from misword.core.errors import InputError, OptionError


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
    found = outcomes(engine, work, [1, 2, 3, 4, 5, 6])
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


def test_a_bug_is_raised() -> None:
    with pytest.raises(TypeError):
        list(ENGINES.create("serial").run(Squares(), ["a"]))  # type: ignore[misc]


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
    """Processes end while no task waits for them: the next task finds the pool broken."""
    found: list[int] = []
    for outcome in ENGINES.create("process").run(Squares(), list(range(12)), 2):
        found.append(outcome.task)
        if len(found) == 1:
            for process in multiprocessing.active_children():
                os.kill(process.pid or 0, signal.SIGKILL)
            time.sleep(0.5)  # the pool sees it
    assert sorted(found) == list(range(12))


@dataclass(frozen=True, slots=True)
class Careless(Engine):
    """Yields the outcomes of the tasks with these numbers."""

    numbers: tuple[int, ...] = ()

    def outcomes(
        self, work: Work[Any, Any], tasks: Sequence[Any], workers: int | None
    ) -> Iterator[Outcome[Any]]:
        return (Outcome(number, number) for number in self.numbers)


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [((0, 2), "lost 1 of 3 tasks, first 1"), ((0, 1, 1, 2), "two outcomes for task 1")],
)
def test_each_task_has_exactly_one_outcome(numbers: tuple[int, ...], problem: str) -> None:
    """Otherwise it is a bug of misword (exit code 70), never a result without a shard."""
    with pytest.raises(RuntimeError, match=problem):
        list(Careless(numbers).run(Squares(), [1, 2, 3]))
