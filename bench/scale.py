"""Memory and time of `misword score --engine` on shards: `make bench`.

Parquet shards of 500,000 pairs are written to a folder; their texts are those of bench/corpus.py.
Each run is a process of its own; the peaks of the driver and of its workers are read from /proc
while it runs. Runs that were measured before are read from the folder, so that the benchmark can be
continued. Writes bench/results/scale.md.

`python bench/scale.py --pairs 1,5` measures the runs of 1 and 5 million pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import corpus
from timing import machine

RESULTS = Path(__file__).parent / "results" / "scale.md"
FOLDER = Path(__file__).parent.parent / "build" / "scale"
SHARD, PART, PARTS, WORDS = 500_000, 50_000, 10, 8
TICKS = os.sysconf("SC_CLK_TCK")
PLAIN_MOST = 5  # million pairs that one process scores in memory
INTERVAL = 0.1  # seconds between two looks at the processes
BAR = 60  # characters of the longest bar


@dataclass(frozen=True)
class Run:
    """One run: its size in million pairs, and what it took.

    `driver` and `worker` are peaks in MB, of the largest worker; `others` is the CPU time of the
    processes of Ray itself.
    """

    millions: int
    engine: str
    metrics: str
    driver: float
    worker: float
    cpu: float
    others: float
    wall: float
    rate: float


def main() -> None:
    """Write the shards, measure all runs and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", default="1,5,10,20", help="million pairs of the runs")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for shards and measurements")
    options = parser.parse_args()
    sizes = [int(size) for size in options.pairs.split(",")]
    options.folder.mkdir(parents=True, exist_ok=True)
    measured = Measured(options.folder)
    plain = min(max(sizes), PLAIN_MOST)
    measured.run(plain, "", "wer")
    measured.run(plain, "", "wer,cer")
    for engine in ("serial", "process", "ray"):
        measured.run(plain, engine, "wer")
    measured.run(plain, "process", "wer,cer")
    for size in sizes:
        measured.run(size, "process", "wer")
    measured.run(max(sizes), "ray", "wer")
    RESULTS.write_text(page(list(measured.runs.values())), "utf-8")


class Measured:
    """The runs that were measured, kept in a file of the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "measured.json"
        stored = json.loads(self.file.read_text("utf-8")) if self.file.exists() else []
        self.runs = {(run["millions"], run["engine"], run["metrics"]): Run(**run) for run in stored}

    def run(self, millions: int, engine: str, metrics: str) -> None:
        """Measure a run, unless it was measured before."""
        key = millions, engine, metrics
        if key not in self.runs:
            source = shards(self.folder, millions)
            if not engine:
                source = joined(source)
            self.runs[key] = measure(source, millions, engine, metrics)
            print(self.runs[key], file=sys.stderr)
            content = [asdict(run) for run in self.runs.values()]
            self.file.write_text(json.dumps(content, indent=1), "utf-8")


def shards(folder: Path, millions: int) -> Path:
    """Write shards that are not there yet: all have the same pairs in other orders and ids."""
    target = folder / f"{millions}"
    target.mkdir(exist_ok=True)
    missing = [
        number
        for number in range(millions * 1_000_000 // SHARD)
        if not (target / f"{number:05}.parquet").exists()
    ]
    if missing:
        texts = [corpus.make(PART, WORDS, seed) for seed in range(PARTS)]
        references, hypotheses = (pl.Series([t for part in texts for t in part[i]]) for i in (0, 1))
    for number in missing:
        order = np.random.default_rng(number).permutation(SHARD)
        first = number * SHARD
        frame = pl.DataFrame(
            {
                "id": pl.int_range(first, first + SHARD, eager=True).cast(pl.String),
                "reference": references.gather(order),
                "hypothesis": hypotheses.gather(order),
            }
        )
        fresh = target / f".{number:05}.new"
        frame.write_parquet(fresh)
        fresh.rename(target / f"{number:05}.parquet")
    return target


def joined(folder: Path) -> Path:
    """Return one file with the rows of all shards."""
    path = folder.with_suffix(".parquet")
    if not path.exists():
        pl.read_parquet(folder / "*.parquet").write_parquet(path)
    return path


def measure(source: Path, millions: int, engine: str, metrics: str) -> Run:
    """Run the command and look at its processes until it ends."""
    command = [sys.executable, "-m", "misword", "score", str(source), "--metrics", metrics]
    command += ["--format", "json", "--workers", "2", *(["--engine", engine] if engine else [])]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peaks: dict[int, float] = {}
    times: dict[int, float] = {}
    names: dict[int, str] = {}
    while process.poll() is None:
        look(process.pid, peaks, times, names)
        time.sleep(INTERVAL)
    wall = time.perf_counter() - start
    assert process.stdout is not None
    result: dict[str, Any] = json.loads(process.stdout.read())
    of_ray = {pid for pid in times if engine == "ray" and pid != process.pid}
    own = {pid for pid in of_ray if not names[pid].startswith("ray::")}
    workers = [peaks[pid] for pid in peaks if pid != process.pid and pid not in own]
    return Run(
        millions,
        engine,
        metrics,
        peaks[process.pid],
        max(workers, default=0.0),
        sum(times[pid] for pid in times if pid not in own),
        sum(times[pid] for pid in own),
        wall,
        result["rows"][0]["rate"],
    )


def look(
    root: int, peaks: dict[int, float], times: dict[int, float], names: dict[int, str]
) -> None:
    """Read the peak, the CPU time and the name of a process and of all below it."""
    parents: dict[int, int] = {}
    found: dict[int, tuple[float, str]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            head, _, tail = Path(f"/proc/{entry}/stat").read_text().rpartition(") ")
            name = Path(f"/proc/{entry}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        fields = tail.split()
        parents[int(entry)] = int(fields[1])
        cpu = (int(fields[11]) + int(fields[12])) / TICKS
        found[int(entry)] = cpu, name.partition("\0")[0] or head
    for pid, (cpu, name) in found.items():
        if _is_below(pid, root, parents):
            times[pid] = max(cpu, times.get(pid, 0.0))
            names[pid] = name if name.startswith("ray::") else names.get(pid, name)
            peaks[pid] = max(_peak(pid), peaks.get(pid, 0.0))


def _is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid != root and pid in parents:
        pid = parents[pid]
    return pid == root


def _peak(pid: int) -> float:
    """Return the largest resident set of a process so far, in MB."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    values = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(next(values, "0")) / 1000


def page(runs: list[Run]) -> str:
    """Return the page of results."""
    head = (
        "| million pairs | shards | engine | metrics | driver MB | worker MB | CPU s "
        "| CPU s a million | wall s | WER % |\n|--:|--:|:--|:--|--:|--:|--:|--:|--:|--:|"
    )
    order = sorted(runs, key=lambda run: (run.metrics, run.millions, run.engine))
    rows = [
        f"| {run.millions} | {run.millions * 1_000_000 // SHARD if run.engine else 1} "
        f"| {run.engine or 'none'} | {run.metrics} | {run.driver:,.0f} "
        f"| {f'{run.worker:,.0f}' if run.worker and run.engine else ''} | {run.cpu:.1f} "
        f"| {run.cpu / run.millions:.2f} | {run.wall:.0f} | {100 * run.rate:.4f} |"
        for run in order
    ]
    return "\n".join(
        [
            "# Scores of shards",
            "",
            f"`python bench/scale.py`, {machine()}. Parquet shards of {SHARD:,} pairs of about "
            f"{WORDS} words, two workers, intervals of 1,000 resamples. Without an engine, one "
            "process scores one file in memory; its CPU time has that of a check of the file.",
            "",
            head,
            *rows,
            "",
            *ratios(order),
            "",
            "CPU time of the engine `process` for WER:",
            "",
            *plot(order),
            "",
        ]
    )


def plot(runs: list[Run]) -> list[str]:
    """Return bars of the CPU time over the size of the corpus, as lines of text."""
    sizes = [run for run in runs if run.engine == "process" and run.metrics == "wer"]
    longest = max((run.cpu for run in sizes), default=1.0)
    return [
        f"    {run.millions:>3} million {'█' * round(BAR * run.cpu / longest)} {run.cpu:.1f} s"
        for run in sizes
    ]


def ratios(runs: list[Run]) -> list[str]:
    """Return sentences on the CPU time of engines, and on how it grows with the corpus."""
    lines = []
    for plain in (run for run in runs if not run.engine):
        for run in runs:
            if run.engine and (run.millions, run.metrics) == (plain.millions, plain.metrics):
                more = f", and {run.others:.1f} s of Ray itself" if run.others else ""
                lines.append(
                    f"- {run.engine}, {run.metrics}, {run.millions} million pairs: "
                    f"{run.cpu / plain.cpu:.2f} times the CPU time of one process{more}"
                )
    sizes = [run for run in runs if run.engine == "process" and run.metrics == "wer"]
    if len(sizes) > 1:
        first, last = sizes[0], sizes[-1]
        pairs, cpu = last.millions - first.millions, last.cpu - first.cpu
        lines.append(
            f"- From {first.millions} to {last.millions} million pairs: {cpu / pairs:.2f} CPU s "
            f"and {(last.driver - first.driver) / pairs:.1f} MB of the driver a million pairs"
        )
    return lines


if __name__ == "__main__":
    main()
