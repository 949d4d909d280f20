"""Runs of the command line over shards whose processes are killed: what they print and leave.

Linux only: processes are found in /proc, by the folder for temporary files in their environment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from shards_made import SYSTEMS, corpus, write_shards

PATIENCE = 90.0  # seconds after which a run hangs
SLOW = 2.0  # seconds in which a slow driver reads nothing
LOOK = 0.01  # seconds between two looks at processes or files


@dataclass(frozen=True)
class Command:
    """A command over shards; `arguments` are without the engine and the output."""

    arguments: tuple[str, ...]
    option: str  # the option of the output folder
    records: str  # the folder of the records of finished shards, below the output

    def line(self, out: Path, engine: str, workers: int = 2) -> list[str]:
        """Return the command line."""
        last = [self.option, str(out), "--engine", engine, "--workers", str(workers)]
        return [sys.executable, "-m", "misword", *self.arguments, *last, "--format", "json"]

    def finished(self, out: Path) -> int:
        """Return the number of finished shards."""
        return len(list((out / self.records).glob("[!.]*.json")))


def make_commands(folder: Path, rows: int, shards: int) -> dict[str, Command]:
    """Write shards and N-best lists; return the commands that read them."""
    table = corpus(rows)
    run = str(write_shards(table, folder / "run", shards))
    references, lists = folder / "references", folder / "lists"
    texts = table.select("id", "reference")
    ranked = pl.concat(
        [
            table.select("id", rank=pl.lit(rank), text=pl.col(name))
            for rank, name in enumerate(SYSTEMS, 1)
        ]
    )
    write_shards(texts, references, shards, shuffled=False)
    order = texts.with_row_index("place").select("id", "place")
    ranked = ranked.join(order, on="id").sort("place", "rank").drop("place")
    write_shards(ranked, lists, shards, shuffled=False)
    systems, tables = ("--hypothesis-column", ",".join(SYSTEMS)), "utterances"
    # A group for each level, so that tallies are large.
    score = ("score", run, *systems, "--by", "level,dialect", "--metrics", "wer,cer,mer")
    compare = ("compare", run, *systems, "--by", "level", "--bootstrap", "100")
    oracle = ("oracle", str(references), str(lists), "--metrics", "wer,cer")
    corrupt = ("corrupt", run, "--wer", "0.1,0.3", "--channel", "uniform")
    return {
        "score": Command(score, "--out", tables),
        "compare": Command(compare, "--out", tables),
        "oracle": Command(oracle, "--out", tables),
        "corrupt": Command(corrupt, "-o", "_misword"),
    }


@dataclass
class KilledRun:
    """A run of the command line in a session and a folder for temporary files of its own."""

    line: list[str]
    temporary: Path
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.temporary.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(self.temporary), "RAY_TMPDIR": "/tmp"}
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            self.line,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def processes(self) -> list[int]:
        """Return all processes of the run, also those whose parent has ended."""
        mark, found = f"TMPDIR={self.temporary}".encode(), []
        for name in os.listdir("/proc"):
            with suppress(OSError):
                if name.isdigit() and mark in Path("/proc", name, "environ").read_bytes().split(
                    b"\0"
                ):
                    found.append(int(name))
        return sorted(found)

    def workers(self) -> list[int]:
        """Return the workers of the engine `process`."""
        found = []
        for process in self.processes():
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                    found.append(process)
        return found

    def replies(self) -> list[Path]:
        """Return the replies that the driver has not read yet."""
        return list(self.temporary.glob(".misword.*.new/[0-9]*"))

    def until(self, condition: Callable[[], object]) -> bool:
        """Wait for a condition; return False if the run ended before."""
        while self.process.poll() is None and time.monotonic() - self.begin < PATIENCE:
            if condition():
                return True
            time.sleep(LOOK)
        return False

    def kill(self, process: int, sign: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to a process, which may have ended."""
        with suppress(ProcessLookupError):
            os.kill(process, sign)

    @contextmanager
    def slow_driver(self) -> Iterator[None]:
        """Within this context, the driver reads no replies."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            self.kill(self.process.pid, signal.SIGCONT)

    def end(self) -> Ended:
        """Wait for the end of the run, and look at what it left."""
        hung = False
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            hung = True
            for process in self.processes():
                self.kill(process)
            out, err = self.process.communicate()
        seconds = time.monotonic() - self.begin
        return Ended(self.process.returncode, out, err.decode(), hung, self._left(), seconds)

    def _left(self) -> list[int]:
        """Return the processes that are left some seconds after the end of the driver.

        A killed driver cannot wait for its workers; the tracker of Python's `multiprocessing` ends
        after them.
        """
        end = time.monotonic() + 15
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(LOOK)
        return left


@dataclass(frozen=True)
class Ended:
    """What a run printed and left."""

    code: int
    out: bytes
    err: str
    hung: bool
    left: list[int]
    seconds: float


# What a command prints, and the tables that it writes, by its name.
Expected = dict[str, tuple[object, object]]


def kill_at_start(run: KilledRun, command: Command, out: Path) -> bool:
    """Kill a worker as soon as it exists: it has a task and has not begun it."""
    if not run.until(run.workers):
        return False
    run.kill(run.workers()[0])
    return True


def kill_at_work(run: KilledRun, command: Command, out: Path) -> bool:
    """Kill a worker after the first shards are finished, while others are under way."""
    if not run.until(lambda: command.finished(out)):
        return False
    workers = run.workers()
    for worker in workers[:1]:
        run.kill(worker)
    return bool(workers)


def kill_at_sending(run: KilledRun, command: Command, out: Path) -> bool:
    """Kill all workers while replies wait for the driver, which is slow."""
    if not run.until(lambda: command.finished(out)):
        return False
    with run.slow_driver():
        end = time.monotonic() + SLOW
        run.until(lambda: run.replies() or time.monotonic() > end)
        workers = run.workers()
        for worker in workers:
            run.kill(worker)
    return bool(workers)


STEPS: dict[str, Callable[[KilledRun, Command, Path], bool]] = {
    "start": kill_at_start,
    "work": kill_at_work,
    "sending": kill_at_sending,
}


def contents(out: Path) -> dict[str, list[dict[str, object]]]:
    """Return the rows of all tables in an output folder."""
    paths = sorted(out.rglob("*.parquet"))
    return {str(path.relative_to(out)): pl.read_parquet(path).to_dicts() for path in paths}


def expected_outputs(commands: dict[str, Command], folder: Path) -> Expected:
    """Return what each command prints and writes in one process."""
    found: Expected = {}
    for name, command in commands.items():
        ended = KilledRun(command.line(folder / name, "serial"), folder / "tmp").end()
        assert ended.code == 0, ended.err
        found[name] = json.loads(ended.out), contents(folder / name)
    return found


def hidden_files(folder: Path) -> list[Path]:
    """Return the temporary files that are left in a folder."""
    return list(folder.rglob(".*"))
