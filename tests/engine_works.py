"""Works for tests of engines; workers import this module."""

from __future__ import annotations

import os
import signal
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
