"""Runs cases in forked processes with limits on memory and time, and says which of them fail.

The parent imports misword and runs nothing, so that it has no threads when it forks. A child runs
some hundred cases one after the other. If a child dies, the case that it was running has failed,
and a new child goes on after it.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import re
import resource
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, NoReturn

from fuzz.cases import COMMAND, Case
from fuzz.command_lines import OUTPUT_OPTIONS
from fuzz.readers import run_reader
from hostile_inputs import HIDDEN
from misword.io.files.checksums import RECORDS

MEMORY = 2 << 30  # bytes of address space
CPU_SECONDS = 10  # of one case; the machine may be busy
WALL_SECONDS = 100
CASES_OF_A_CHILD = 400
CODES = {0, 1, 2, 130}
LONGEST_MESSAGE = 20_000
# What no command may print on standard error: a traceback, a panic of polars.
FORBIDDEN = re.compile(r"Traceback \(most recent|internal error|panicked at|not enough memory")
DESK = "desk"  # the current folder of a case
SEED_CACHE = "cache"  # the cache folder of the process that made the seeds
FAULTS = "faults.txt"  # where Python writes the stack of a child that dies
SIGNALS = {signal.SIGPROF: f"{CPU_SECONDS} s of CPU time", signal.SIGALRM: f"{WALL_SECONDS} s"}

Make = Callable[[int], Case]


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that failed, by its number, and what is wrong."""

    number: int
    problem: str


def run_cases(make: Make, numbers: range, folder: Path, jobs: int = 1) -> Iterator[Failure | int]:
    """Run the cases of these numbers in `jobs` processes; yield failures and numbers of good cases.

    `make` returns the case of a number. Each process works in a folder of its own below `folder`.
    """
    pending = [numbers[job::jobs] for job in range(jobs)]
    children = {}
    for job in range(jobs):
        if pending[job]:
            child = Child(make, pending[job], folder / str(job))
            children[child.connection] = child
    while children:
        for connection in wait(list(children)):
            child = children[connection]  # type: ignore[index]
            ended, result = child.receive()
            if result is not None:
                yield result
            if ended:
                del children[child.connection]
                if child.numbers:
                    following = Child(make, child.numbers, child.folder)
                    children[following.connection] = following


class Child:
    """A process that runs the first of the numbers; `numbers` are those still to be run."""

    def __init__(self, make: Make, numbers: range, folder: Path) -> None:
        self.numbers, self.folder = numbers, folder
        self.running: int | None = None
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.connection, other = Pipe(duplex=False)
        self.process = os.fork()
        if self.process == 0:
            self.connection.close()
            _run_child(make, numbers[:CASES_OF_A_CHILD], folder, other)
        other.close()

    def receive(self) -> tuple[bool, Failure | int | None]:
        """Return whether the process has ended, and the result of a case, if there is a new one."""
        try:
            number, problem = self.connection.recv()
        except EOFError:
            return True, self._end()
        if problem is None:
            self.running = number
            self.numbers = self.numbers[1:]
            return False, None
        self.running = None
        return False, Failure(number, problem) if problem else number

    def _end(self) -> Failure | None:
        """Wait for the end of the process; return the failure of the case that it was running."""
        _, status = os.waitpid(self.process, 0)
        self.connection.close()
        if self.running is None:
            return None
        number = os.waitstatus_to_exitcode(status)
        cause = SIGNALS.get(signal.Signals(-number)) if number < 0 else None
        stack = (self.folder / FAULTS).read_text("utf-8", "replace")
        return Failure(self.running, f"ended by {cause or f'exit code {number}'}\n{stack}")


def _run_child(make: Make, numbers: range, folder: Path, connection: Connection) -> NoReturn:
    """Run cases and send a pair before and after each: the number, and None or the problem."""
    code, number = 1, numbers[0]
    try:
        _prepare(folder)
        for number in numbers:
            connection.send((number, None))
            connection.send((number, run_case(make(number), folder)))
        code = 0
    except BaseException:  # of the harness itself
        import traceback

        connection.send((number, f"the harness failed: {traceback.format_exc()}"))
    os._exit(code)


def _prepare(folder: Path) -> None:
    """Set the limits of this process, its cache folder and its streams."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faults = (folder / FAULTS).open("wb")
    faulthandler.enable(faults)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
        faulthandler.register(number, faults, chain=True)
    os.environ["MISWORD_CACHE"] = str(folder / "cache")
    seeds = folder.parent / SEED_CACHE / RECORDS
    if seeds.is_dir():  # tables of results that were not changed are not checked again
        shutil.copytree(seeds, folder / "cache" / RECORDS)
    os.fsync = lambda fd: None  # it takes long
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_RDWR | os.O_CREAT), descriptor)


def _refuse(*_: Any) -> NoReturn:
    raise AssertionError("no command may use the network unless a model is named")


def run_case(case: Case, folder: Path) -> str:
    """Run a case in a new folder, within the limits of time; return what is wrong, or nothing."""
    desk = folder / DESK
    shutil.rmtree(desk, ignore_errors=True)
    desk.mkdir()
    case.write_files(desk)
    os.chdir(desk)
    for descriptor in (1, 2):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        return run_command(case, folder) if case.target == COMMAND else run_reader(case)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_command(case: Case, folder: Path) -> str:
    """Run a command in this process; return what is wrong with its exit code or its output."""
    from misword.cli.main import main

    sys.stdin = io.TextIOWrapper(io.BytesIO(b"the cat\n"))
    sys.stdout, sys.stderr = (
        open(number, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        for number in (1, 2)
    )
    try:
        code = main(case.words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    output, errors = ((folder / name).read_bytes() for name in ("stdout", "stderr"))
    if changed := changed_inputs(case, folder / DESK):
        return f"inputs were changed: {changed}"
    return judge(case.words, code, output, errors.decode("utf-8", "surrogateescape"))


def changed_inputs(case: Case, desk: Path) -> list[str]:
    """Return the inputs that are no longer as they were, except those that outputs may replace."""
    named = {value for option, value in pairwise(case.words) if option in OUTPUT_OPTIONS}
    return [
        name
        for name, data in case.files.items()
        if not named & {name, name.partition("/")[0]}
        and not ((desk / name).is_file() and (desk / name).read_bytes() == data)
    ]


def judge(words: list[str], code: int, output: bytes, errors: str) -> str:
    """Return what is wrong with the end of a command, or nothing."""
    problems = []
    if code not in CODES:
        problems.append(f"exit code {code}")
    if found := FORBIDDEN.search(errors):
        problems.append(f"standard error has {found[0]!r}")
    if found := HIDDEN.search(errors):
        problems.append(f"standard error has the character {found[0]!r}")
    if len(errors) > LONGEST_MESSAGE:
        problems.append(f"standard error has {len(errors)} characters")
    if code in (0, 1) and output and prints_json(words) and not _is_json(output):
        problems.append("standard output is no JSON")
    return "\n".join([*problems, errors]) if problems else ""


def prints_json(words: list[str]) -> bool:
    """Return whether a command prints JSON and nothing else on standard output."""
    others = {"-h", "--help", "--version", "-o", "--copy"}
    return (
        words[-2:] == ["--format", "json"]
        and not others.intersection(words)
        and words[0] not in ("corrupt", "demo", "completion")
    )


def _is_json(output: bytes) -> bool:
    try:
        json.loads(output, parse_constant=_refuse_constant)
    except ValueError:
        return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def rate(count: int, start: float) -> str:
    """Return the number of cases in a second since a time."""
    return f"{count / max(time.monotonic() - start, 1e-9):.0f} a second"
