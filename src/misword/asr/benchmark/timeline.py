"""The runs of a benchmark over time: series of averages, changes, the gate, advice to stop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import isnan
from typing import Any

import numpy as np

from misword.asr.benchmark.cells import BenchCell, cells_of_rows
from misword.asr.comparison.gate import Condition, decide
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import PathLike
from misword.io.history import Run, read_history
from misword.stat.benchmarks.changes import (
    RunRows,
    Series,
    against_best,
    changes,
    stop_advice,
)
from misword.stat.benchmarks.matrix import MACRO, macro_average

NUMBER = re.compile(r"\d+(?:\.\d+)?")
RUN = ("run", "time", "step", "version")


@dataclass(frozen=True, slots=True, eq=False)
class RunPoint:
    """One run of one system: its average by one metric, with what the average is made of."""

    run: Run
    rate: float
    rows: tuple[RunRows, ...]
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The comparable runs of each system, in order, and why others are left out."""

    points: Mapping[str, Sequence[RunPoint]]
    notes: tuple[str, ...]

    def series(self, system: str) -> Series:
        """Return the series of a system."""
        own = self.points[system]
        return Series.of([point.rate for point in own], [point.rows for point in own])


def runs_since(path: PathLike, since: str | None, today: date | None = None) -> pl.DataFrame:
    """Return the runs of a history from a date on, or of the last days, in their order."""
    first = since_date(since, today)
    conditions = [] if first is None else [pl.col("date") >= first]
    found = read_history(path, *conditions, columns=RUN)
    return found.unique(maintain_order=True).sort("time", "run")


def since_date(since: str | None, today: date | None = None) -> date | None:
    """Return the first day of `2026-10-01` or `30d`; None for no limit.

    >>> since_date("30d", date(2026, 11, 18)).isoformat()
    '2026-10-19'
    """
    if since is None:
        return None
    if since.endswith("d"):
        day = today or datetime.now(UTC).date()
        return day - timedelta(days=int(since[:-1]))
    return date.fromisoformat(since)


def cells_of_run(path: PathLike, run: str) -> list[BenchCell]:
    """Return the cells of one run of a history."""
    return list(cells_of_rows(read_history(path, pl.col("run") == run)))


def run_of(row: Mapping[str, Any]) -> Run:
    """Return a run from a row of a history."""
    return Run(row["run"], row["time"], row["step"], row["version"])


def points_of(
    cells: Iterable[BenchCell], run: Run, label: str, average: str, sets: Sequence[str],
    digits: int | None,
) -> dict[str, RunPoint]:  # fmt: skip
    """Return the average of each system that has all sets in a run."""
    by_system: dict[str, dict[str, BenchCell]] = {}
    for cell in cells:
        if cell.column.label == label:
            by_system.setdefault(cell.system, {})[cell.set] = cell
    found = {}
    for system, own in by_system.items():
        if not set(sets) <= own.keys():
            continue
        chosen = [own[name] for name in sets]
        rates = [float(cell.column.rates(cell.totals)) for cell in chosen]
        if any(map(isnan, rates)):
            continue
        if average == MACRO:
            rate, weights = macro_average(rates, digits), [1 / len(sets)] * len(sets)
        else:
            sizes = [float(cell.column.measure.reference(cell.totals)) for cell in chosen]
            rate = float(chosen[0].column.rates(np.sum([cell.totals for cell in chosen], axis=0)))
            weights = [size / sum(sizes) for size in sizes]
        rows = tuple(
            RunRows(e.ids, weight * e.effects)
            for weight, e in zip(weights, (cell.effects() for cell in chosen), strict=True)
        )
        signatures = tuple(str(cell.column.signature) for cell in chosen)
        found[system] = RunPoint(run, rate, rows, signatures)
    return found


def timeline(runs: Iterable[Mapping[str, RunPoint]], last: Mapping[str, RunPoint]) -> Timeline:
    """Return the runs of each system that can be compared with its last one.

    They have the same sets and signatures. Runs with a step are in the order of their steps.
    """
    points: dict[str, list[RunPoint]] = {name: [] for name in last}
    others = 0
    for run in runs:
        for name, point in run.items():
            if name in last and point.signatures == last[name].signatures:
                points[name].append(point)
            elif name in last:
                others += 1
    ordered = {name: _ordered([*own, last[name]]) for name, own in points.items()}
    notes: tuple[str, ...] = ()
    if others:
        notes = (f"history: {counted(others, 'run')} of a system with other signatures left out",)
    return Timeline(ordered, notes)


def _ordered(points: list[RunPoint]) -> list[RunPoint]:
    """Return runs in the order of their steps, if all have one, else of their times."""
    if all(point.run.step is not None for point in points):
        return sorted(points, key=lambda point: (point.run.step or 0.0, point.run.time))
    return points


def checkpoint_timeline(last: Mapping[str, RunPoint]) -> Timeline:
    """Return the systems of a run as checkpoints of one system, by the numbers in their names."""
    numbered = [
        RunPoint(Run(name, point.run.time, _number(name), name), point.rate, point.rows, ())
        for name, point in last.items()
    ]
    if not numbered:
        return Timeline({}, ())
    return Timeline({CHECKPOINTS: sorted(numbered, key=lambda point: point.run.step or 0.0)}, ())


CHECKPOINTS = "checkpoints"


def _number(name: str) -> float | None:
    """Return the last number in a name: the step of a checkpoint.

    >>> _number("v2-step-20000"), _number("best")
    (20000.0, None)
    """
    found = NUMBER.findall(name)
    return float(found[-1]) if found else None


# Tables.


def history_table(found: Timeline, confidence: float) -> list[dict[str, Any]]:
    """Return a row for each run of each system: its average with an interval."""
    rows = []
    for system, own in found.points.items():
        low, high = found.series(system).intervals(confidence)
        rows += [
            {
                "system": system,
                "run": point.run.name,
                "time": point.run.time.isoformat(timespec="seconds"),
                "step": point.run.step,
                "version": point.run.version,
                "rate": point.rate,
                "low": float(low[place]),
                "high": float(high[place]),
            }
            for place, point in enumerate(own)
        ]
    return rows


def changes_table(found: Timeline, level: float) -> list[dict[str, Any]]:
    """Return a row for each change of a rate that passes the test."""
    rows = []
    for system, own in found.points.items():
        for change in changes(found.series(system), level, len(found.points)):
            run, seen = own[change.place].run, own[change.found].run
            rows.append(
                {
                    "system": system,
                    "run": run.name,
                    "time": run.time.isoformat(timespec="seconds"),
                    "step": run.step,
                    "version": run.version,
                    "before": change.before,
                    "after": change.after,
                    "difference": change.after - change.before,
                    "relative": (change.after / change.before - 1) if change.before else None,
                    "p": change.p,
                    "found": seen.time.isoformat(timespec="seconds"),
                    "runs_to_find": change.found - change.place + 1,
                }
            )
    return rows


def gate_conditions(
    found: Timeline, label: str, runs: int, margin: float, confidence: float
) -> list[Condition]:
    """Decide for each system whether it is not worse than the best of its last `runs` runs."""
    conditions = []
    for system, own in found.points.items():
        tested = against_best(found.series(system), runs, margin, confidence)
        if tested is None:
            continue
        best = own[tested.best]
        conditions.append(
            Condition(
                kind="no-worse",
                metric=label,
                outcome="undecided",
                rate=own[-1].rate,
                limit=margin,
                low=tested.low,
                high=tested.high,
                baseline_rate=best.rate,
                difference=tested.difference,
                p_no_worse=tested.p_no_worse,
                p_worse=tested.p_worse,
                reason="the utterances are too few to decide",
                slice=f"{system}, against its best of the last {runs} ({_shown(best.run)})",
            )
        )
    return decide(conditions, 1 - confidence)


def advice_table(found: Timeline, confidence: float) -> list[dict[str, Any]]:
    """Return for each system whether its last gain is more than chance."""
    rows = []
    for system, own in found.points.items():
        advice = stop_advice(found.series(system), confidence)
        if advice is None:
            continue
        best, last = own[advice.best].run, own[-1].run
        rows.append(
            {
                "system": system,
                "advice": advice.advice,
                "last": _shown(last),
                "best": _shown(best),
                "since": advice.since,
                "gain": advice.gain,
                "low": advice.low,
                "high": advice.high,
                "p": advice.p,
            }
        )
    return rows


def _shown(run: Run) -> str:
    """Return the step, the version or the time of a run, for a table."""
    if run.version:
        return run.version
    return f"step {run.step:g}" if run.step is not None else f"{run.time:%Y-%m-%d %H:%M}"
