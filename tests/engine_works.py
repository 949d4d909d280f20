"""Works for tests of engines; workers import this module."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from misword.core.engines import Work
from misword.core.errors import InputError


@dataclass(frozen=True)
class Squares(Work[int, int]):
    """Squares numbers; some of them cannot be squared.

    `killing` ends the worker, each time, or only the first time if there is a `marks` folder.
    """

    wrong: frozenset[int] = frozenset()
    unreadable: frozenset[int] = frozenset()
    killing: frozenset[int] = frozenset()
    marks: Path | None = None

    def start(self) -> Callable[[int], int]:
        return self._square

    def _square(self, number: int) -> int:
        if number in self.wrong:
            raise InputError(f"{number} is wrong", where=f"{number}.csv", fix="mend it")
        if number in self.unreadable:
            raise ConnectionResetError("the network")
        if number in self.killing and not self._killed(number):
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    def _killed(self, number: int) -> bool:
        if self.marks is None:
            return False
        mark = self.marks / str(number)
        was_there = mark.exists()
        mark.touch()
        return was_there


@dataclass(frozen=True)
class NotStarted(Work[int, int]):
    """Cannot be started, such as for want of a file on the worker's machine."""

    def start(self) -> Callable[[int], int]:
        raise InputError("no such file", where="words.vec", fix="copy it")


@dataclass(frozen=True)
class Counts(Work[int, tuple[int, int]]):
    """Returns the process and how many tasks it has performed, to see that it starts once."""

    def start(self) -> Callable[[int], tuple[int, int]]:
        done: list[int] = []

        def count(number: int) -> tuple[int, int]:
            done.append(number)
            return os.getpid(), len(done)

        return count


@dataclass(frozen=True)
class Heavy(Work[int, "HeavyValue"]):
    """Returns large values; while the first one of some tasks is sent, the worker ends.

    `step` says when: `start` before the work is opened, `pickling` while a value becomes bytes.
    """

    killing: frozenset[int]
    marks: Path
    step: str

    def start(self) -> Callable[[int], HeavyValue]:
        if self.step == "start" and _first(self.marks / "start"):
            os.kill(os.getpid(), signal.SIGKILL)
        return self._value

    def _value(self, number: int) -> HeavyValue:
        deadly = self.step == "pickling" and number in self.killing
        return HeavyValue(number, bytes(SIZE), self.marks / str(number) if deadly else None)


SIZE = 1 << 22


@dataclass(frozen=True)
class HeavyValue:
    """A value whose pickling ends the worker for the first time, if it has a mark."""

    number: int
    content: bytes
    mark: Path | None

    def __reduce__(self) -> tuple[object, ...]:
        if self.mark is not None and _first(self.mark):
            os.kill(os.getpid(), signal.SIGKILL)
        return HeavyValue, (self.number, self.content, None)


def _first(mark: Path) -> bool:
    """Return whether this is the first time, which the file `mark` records."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True)
class Endless(Work[int, int]):
    """Computes without end, in Python or (`locked`) in a regular expression that keeps its lock."""

    marks: Path
    locked: bool

    def start(self) -> Callable[[int], int]:
        return self._compute

    def _compute(self, number: int) -> int:
        (self.marks / str(os.getpid())).touch()
        while not self.locked:
            time.sleep(0.01)
        re.fullmatch("(a*)*b", "a" * 60)
        return number


@dataclass(frozen=True)
class Writes(Work[int, str]):
    """Returns the name of a temporary file that it leaves."""

    def start(self) -> Callable[[int], str]:
        return self._write

    def _write(self, number: int) -> str:
        handle, name = tempfile.mkstemp()
        os.close(handle)
        return name


@dataclass(frozen=True)
class Fails(Work[int, int]):
    """Raises an error that is a bug."""

    error: Exception

    def start(self) -> Callable[[int], int]:
        return self._fail

    def _fail(self, number: int) -> int:
        raise self.error


class OddError(Exception):
    """An error that cannot be made again from its arguments."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


@dataclass(frozen=True)
class FailsOddly(Work[int, int]):
    """Raises an error that cannot be sent."""

    def start(self) -> Callable[[int], int]:
        return self._fail

    def _fail(self, number: int) -> int:
        raise OddError("one", "two")
