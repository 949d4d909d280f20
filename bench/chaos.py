"""Runs over shards whose processes are killed: `python bench/chaos.py`.

Each run is a real command with the engine `process` and two workers. One of its processes is
killed at a random time, or at a step of its work; a run whose driver ended is started again. The
numbers and all written tables are compared with those of a run in one process. Writes
bench/results/chaos.md. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from killed_runs import (
    STEPS,
    Command,
    Ended,
    KilledRun,
    contents,
    hidden_files,
    make_commands,
)
from timing import machine

RESULTS = Path(__file__).parent / "results" / "chaos.md"
# The exit codes of an ended driver; before it has begun, Python itself ends by the signal.
DRIVER_ENDS = {
    "KILL": (-signal.SIGKILL,),
    "TERM": (143, -signal.SIGTERM),
    "INT": (130, -signal.SIGINT),
}
KINDS = [
    *(f"worker: {step}" for step in STEPS),
    "worker: any time",
    "worker: any time, three kills",
    *(f"driver: {sign}, then resumed" for sign in DRIVER_ENDS),
]


@dataclass
class Row:
    """What became of the runs of one kind."""

    kills: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    orphans: int = 0
    files: int = 0


@dataclass(frozen=True)
class Trial:
    """A command, what it prints and writes, and how long it takes without kills."""

    name: str
    command: Command
    printed: object
    written: object
    seconds: float

    @classmethod
    def of(cls, name: str, command: Command, folder: Path) -> Trial:
        """Run the command in one process, and once on several for the time."""
        serial = KilledRun(command.line(folder / name, "serial"), folder / "tmp").end()
        timed = KilledRun(command.line(folder / f"{name}-timed", "process"), folder / "tmp").end()
        assert serial.code == timed.code == 0, serial.err + timed.err
        return cls(name, command, json.loads(serial.out), contents(folder / name), timed.seconds)

    def run(self, kind: str, folder: Path, draw: random.Random, row: Row) -> None:
        """Make a run with kills, and count what became of it."""
        out, temporary = folder / "out", folder / "tmp"
        run = KilledRun(self.command.line(out, "process"), temporary)
        if kind.startswith("driver"):
            sign = kind.split()[1].strip(",")
            ended = self._end_driver(run, sign, draw, row)
            if ended.code in DRIVER_ENDS[sign] and not ended.hung:
                row.orphans += len(ended.left)
                # A driver that ends after it wrote its result has nothing to continue.
                again = ["--force"] if (out / "result.json").exists() else []
                ended = KilledRun([*self.command.line(out, "process"), *again], temporary).end()
        else:
            row.kills += self._kill_workers(run, kind, out, draw)
            ended = run.end()
        row.orphans += len(ended.left)
        row.files += len([*temporary.iterdir(), *hidden_files(out)])
        verdict = self.verdict(ended, out)
        row.counts[verdict] += 1
        row.codes[ended.code] += verdict == "error"
        if verdict != "right":
            print(self.name, kind, verdict, ended.code, ended.err, file=sys.stderr)

    def _end_driver(self, run: KilledRun, sign: str, draw: random.Random, row: Row) -> Ended:
        time.sleep(draw.random() * self.seconds)
        if run.process.poll() is None:
            row.kills += 1
            if sign == "INT":  # as a terminal does
                os.killpg(run.process.pid, signal.SIGINT)
            else:
                run.kill(run.process.pid, signal.Signals[f"SIG{sign}"])
        return run.end()

    def _kill_workers(self, run: KilledRun, kind: str, out: Path, draw: random.Random) -> int:
        """Kill workers; return how many."""
        step = kind.removeprefix("worker: ")
        if step in STEPS:
            return int(STEPS[step](run, self.command, out))
        killed = 0
        times = sorted(draw.random() * self.seconds for _ in range(3 if "three" in step else 1))
        for at in times:
            time.sleep(max(0.0, run.begin + at - time.monotonic()))
            if run.until(run.workers) and (workers := run.workers()):
                run.kill(draw.choice(workers))
                killed += 1
        return killed

    def verdict(self, ended: Ended, out: Path) -> str:
        """Return whether a run gave the right numbers, an error, wrong numbers, or hung."""
        if ended.hung:
            return "hung"
        if ended.code:
            return "error"
        same = json.loads(ended.out) == self.printed and contents(out) == self.written
        if self.name != "corrupt":  # whose folder has no result
            verify = [sys.executable, "-m", "misword", "verify", str(out)]
            same = same and subprocess.run(verify, capture_output=True).returncode == 0
        return "right" if same and "Traceback" not in ended.err else "wrong"


def main() -> None:
    """Make all runs and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=4000, help="pairs in all shards")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--runs", type=int, default=7, help="for each command and kind of kill")
    parser.add_argument("--commands", default="score,compare,oracle,corrupt")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the page of results")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw, rows = random.Random(options.seed), {kind: Row() for kind in KINDS}
    with tempfile.TemporaryDirectory(prefix="misword-chaos-") as place:
        folder = Path(place)
        commands = make_commands(folder, options.rows, options.shards)
        for name in options.commands.split(","):
            trial = Trial.of(name, commands[name], folder)
            for kind in KINDS:
                for number in range(options.runs):
                    at = folder / f"{name}-{KINDS.index(kind)}-{number}"
                    trial.run(kind, at, draw, rows[kind])
                print(name, kind, rows[kind], file=sys.stderr, flush=True)
    options.output.write_text(page(rows, options), "utf-8")


def page(rows: dict[str, Row], options: argparse.Namespace) -> str:
    """Return the page of results."""
    table = [
        "| killed | runs | kills | right | error | wrong | hung | processes left | files left |",
        "|:--|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    total = Row()
    for kind, row in [*rows.items(), ("all", total)]:
        codes = ", ".join(f"exit {code}" for code, count in row.codes.items() if count)
        counts = row.counts
        cells = [
            kind,
            sum(counts.values()),
            row.kills,
            counts["right"],
            f"{counts['error']} ({codes})" if codes else 0,
            counts["wrong"],
            counts["hung"],
            row.orphans,
            row.files,
        ]
        table.append(f"| {' | '.join(map(str, cells))} |")
        total.kills += row.kills
        total.counts += row.counts
        total.codes += row.codes
        total.orphans += row.orphans
        total.files += row.files
    about = (
        f"`python bench/chaos.py --rows {options.rows} --shards {options.shards} --runs "
        f"{options.runs} --commands {options.commands}`, {machine()}. Each run has two workers. A "
        "run is right if what it prints and all tables that it writes are those of a run in one "
        "process. `start`: a worker is killed as soon as it exists; `work`: while it is at a "
        "shard; `sending`: all workers, while replies wait for a driver that is stopped."
    )
    return "\n".join(["# Killed processes", "", about, "", *table, ""])


if __name__ == "__main__":
    main()
