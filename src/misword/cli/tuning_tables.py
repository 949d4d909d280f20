"""The tables that `misword tune` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from misword.cli.output import Table, p_value, percent, span
from misword.core.formatting import is_number
from misword.core.types import Result

Row = dict[str, Any]
# Weights below this size are 0, up to rounding errors.
ZERO = 1e-12


def tuning_tables(result: Result, confidence: float) -> Iterator[Table]:
    """Yield the tables of tuned weights: rates of choices, weights, folds, stability."""
    interval = f"{100 * confidence:g} % interval"
    rates = result.tables["rates"]
    for data in rates["data"].unique(maintain_order=True):
        lists = result.provenance["lists"]
        what = f"{lists:,} lists" if data == "tuning" else "test lists"
        yield _rates(rates.filter(data=data).to_dicts(), f"Rates in %, {what}", interval)
    yield _weights(result.tables["weights"].to_dicts())
    if len(folds := result.tables["folds"]):
        yield _folds(folds.to_dicts(), result.provenance["tuned_by"])
    for row in result.tables["stability"].to_dicts():
        yield _stability(row, interval)


def _rates(rows: list[Row], title: str, interval: str) -> Table:
    header = ["metric", "choice", "%", interval, "from rank 1", interval, "p", "changed lists"]
    body = [
        [
            row["metric"],
            row["choice"],
            "undefined" if row["rate"] is None else percent(row["rate"]),
            span(row["low"], row["high"]),
            *_difference(row),
            f"{row['changed']:,}",
        ]
        for row in rows
    ]
    return Table(header, body, left=2, title=title)


def _difference(row: Row) -> list[str]:
    """Return the difference of a choice from rank 1."""
    if row["choice"] == "rank 1":
        return ["", "", ""]
    interval = span(row["difference_low"], row["difference_high"], signed=True)
    return [percent(row["difference"], signed=True), interval, p_value(row["p"])]


def _weights(rows: list[Row]) -> Table:
    header = ["feature", "weight", "same rate", "within noise", "resamples", "folds", "spread"]
    body = [
        [
            row["feature"],
            f"{row['weight']:.6g}",
            *(_range(row, name) for name in ("", "noise_", "resampled_", "fold_")),
            f"{row['spread']:.4g}",
        ]
        for row in rows
    ]
    return Table(header, body, title="Weights, and how far each may move while the others stay")


def _range(row: Row, name: str) -> str:
    """Return a range of weights; empty if it has no end."""
    low, high = row[f"{name}low"], row[f"{name}high"]
    if not is_number(low) and not is_number(high):
        return ""
    return " to ".join("..." if end is None else _weight(end) for end in (low, high))


def _weight(value: float) -> str:
    """Return a weight with four digits; rounding errors of a weight of 0 are not shown."""
    return f"{value:.4g}" if abs(value) > ZERO else "0"


def _folds(rows: list[Row], by: str) -> Table:
    header = ["fold", "lists", "tuned on the others", "held out", "rank 1"]
    body = [
        [str(row["fold"]), f"{row['lists']:,}",
         *(percent(row[name]) for name in ("tuned", "held_out", "rank_1"))]
        for row in rows
    ]  # fmt: skip
    return Table(header, body, title=f"Folds, {by} in %")


def _stability(row: Row, interval: str) -> Table:
    header = ["resamples", "other choices", "changed lists, %", interval, "loss"]
    body = [[
        f"{row['resamples']:,}",
        f"{row['others']:,}",
        percent(row["changed"]),
        span(row["changed_low"], row["changed_high"]),
        percent(row["loss"], signed=True),
    ]]  # fmt: skip
    return Table(header, body, title="Weights tuned on resamples of the lists")


def system_tables(result: Result, confidence: float) -> Iterator[Table]:
    """Yield the tables of a choice among systems: rates, choices, judged by other metrics."""
    rates = result.tables["rates"].to_dicts()
    metrics = list(dict.fromkeys(row["metric"] for row in rates))
    by_system: dict[str, list[str]] = {}
    for row in rates:
        mark = " *" if row["chosen"] else ""
        cells = [percent(row["rate"]) + mark, percent(row["best_share"])]
        by_system.setdefault(row["system"], []).extend(cells)
    header = ["system", *(cell for metric in metrics for cell in (metric, "best in"))]
    body = [[system, *cells] for system, cells in by_system.items()]
    yield Table(header, body, title="Rates in % (*: the lowest), and share of resamples, in %")
    yield _system_choices(result.tables["choices"].to_dicts())
    yield _judged(result.tables["judged"].to_dicts())


def _system_choices(rows: list[Row]) -> Table:
    header = ["metric", "chooses", "%", "held out", "same in folds", "next", "difference", "p",
              "others in resamples, %"]  # fmt: skip
    body = [
        [
            row["metric"],
            row["system"],
            percent(row["rate"]),
            percent(row["held_out"]),
            f"{row['same_folds']} of {row['folds']}",
            row["next"],
            percent(row["next_difference"], signed=True),
            p_value(row["next_p"]),
            percent(row["others"]),
        ]
        for row in rows
    ]
    return Table(header, body, left=2, title="Choices, and how certain they are")


def _judged(rows: list[Row]) -> Table:
    choosers = list(dict.fromkeys((row["chosen_by"], row["system"]) for row in rows))
    by_metric: dict[str, list[str]] = {}
    for row in rows:
        by_metric.setdefault(row["metric"], []).append(percent(row["rate"]))
    header = ["judged by", *(f"{system}, by {metric}" for metric, system in choosers)]
    return Table(header, [[metric, *cells] for metric, cells in by_metric.items()],
                 title="What each metric says of the choice of the others, %")  # fmt: skip
