"""Timing of the benchmarks, and tables of timings."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from misword.core.workers import cores


@dataclass
class Timing:
    """CPU seconds, summed over threads, and wall seconds of a piece of work."""

    name: str
    note: str
    cpu: float
    wall: float


def clock(name: str, note: str, work: Callable[[], Any], times: int = 5) -> Timing:
    """Return the least CPU time and the least wall time of `times` runs."""
    best = Timing(name, note, float("inf"), float("inf"))
    for _ in range(times):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        best.cpu = min(best.cpu, time.process_time() - cpu)
        best.wall = min(best.wall, time.perf_counter() - wall)
    print(f"{name:40} cpu {best.cpu:8.3f} s  wall {best.wall:8.3f} s", file=sys.stderr)
    return best


def table(title: str, timings: list[Timing]) -> str:
    """Return a Markdown table, with ratios to the first row."""
    columns = "| | gives | CPU s | wall s | CPU ratio | wall ratio |\n|:--|:--|--:|--:|--:|--:|"
    head = f"### {title}\n\n{columns}\n"
    base = timings[0]
    return head + "\n".join(
        f"| {t.name} | {t.note} | {t.cpu:.3f} | {t.wall:.3f} | {t.cpu / base.cpu:.1f} "
        f"| {t.wall / base.wall:.1f} |"
        for t in timings
    )


def machine() -> str:
    """Return the kind of machine, its cores and the version of Python."""
    return f"{platform.machine()}, {cores()} cores, Python {platform.python_version()}"
