"""The charts of rates and of their changes: rows of tables in, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misword.report.charts import Figure, Spec, hints, intervals
from misword.report.markup import Cell, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, decisive, unique, verdict
from misword.report.wording import (
    is_number,
    metric_name,
    percent,
    probability,
    said_probability,
    signed,
    signed_span,
    span,
)

# Rates named in a chart's text; the table has them all.
TOLD_AT_MOST = 40
# Rows of a chart of rates; beyond, the table has them.
ROWS_AT_MOST = 60


def forest(rows: Sequence[Row], confidence: str) -> Figure | None:
    """Relative changes against the first system, with intervals; hollow where nothing is shown."""
    shown = [row for row in rows if is_number(row["relative"])]
    if not shown:
        return None
    systems, baseline = unique(row["system"] for row in shown), rows[0]["baseline"]
    spec = intervals(
        [_change(row) for row in shown],
        systems,
        title=[f"change against {baseline}, %", "left of the line: fewer errors"],
        line=0,
        tooltip=hints(
            row="metric", series="system", change="change", interval="interval, %", p="p"
        ),
        hollow=True,
    )
    text = "; ".join(
        f"{row['system'] + ': ' if len(systems) > 1 else ''}{metric_name(row['metric'])} "
        f"{signed(row['relative'])} %{_said_interval(row)}"
        for row in shown
    )
    return Figure(
        "forest",
        f"Relative change with {confidence} intervals",
        f"Relative change of each metric against {baseline}: {text}. Hollow points cannot be told "
        "from no change.",
        spec,
        [
            "metric",
            "system",
            "change, points",
            "from",
            "to",
            "relative change, %",
            "from",
            "to",
            "p",
        ],
        [_change_cells(row) for row in shown],
    )


def rates(rows: Sequence[Row], by: Sequence[str], confidence: str) -> Figure | None:
    """Rates with intervals: a row per metric, or per metric and group."""
    shown = [row for row in rows if is_number(row["rate"])]
    if not shown:
        return None
    names = [_group(row, by) for row in shown]
    values = [_rate(row, by) for row in sorted(shown, key=lambda row: _first(shown, row))]
    drawn = set(unique(value["row"] for value in values)[:ROWS_AT_MOST])
    values = [value for value in values if value["row"] in drawn]
    cut = f" (the first {ROWS_AT_MOST} rows)" if len(values) < len(shown) else ""
    series = unique(row["system"] for row in shown)
    tooltip = hints(row="metric", series="system", rate="rate", interval="interval, %")
    told = [
        f"{row['system'] + ', ' if len(series) > 1 else ''}{name} {percent(row['rate'])} %"
        for row, name in zip(shown, names, strict=True)
    ]
    more = "; and more in the table" if len(told) > TOLD_AT_MOST else ""
    return Figure(
        "rates",
        f"Rates with {confidence} intervals{cut}",
        f"Rates: {'; '.join(told[:TOLD_AT_MOST])}{more}.",
        intervals(values, series, title="rate, %", tooltip=tooltip),
        ["metric", "system", "rate, %", "from", "to"],
        [
            [
                words(name),
                words(row["system"]),
                *(cell(row[column], percent(row[column])) for column in ("rate", "low", "high")),
            ]
            for row, name in zip(shown, names, strict=True)
        ],
    )


def _change(row: Row) -> Spec:
    """A point of the forest plot."""
    return {
        "row": metric_name(row["metric"]),
        "series": row["system"],
        "x": 100 * row["relative"],
        "low": _hundred(row["relative_low"], row["relative"]),
        "high": _hundred(row["relative_high"], row["relative"]),
        "sure": verdict(row) in ("better", "worse"),
        "change": f"{signed(row['relative'])} %",
        "interval": signed_span(row["relative_low"], row["relative_high"]),
        "p": probability(decisive(row)),
    }


def _change_cells(row: Row) -> list[Cell]:
    """A row of the forest plot's numbers."""
    points, relative = ("difference", "low", "high"), ("relative", "relative_low", "relative_high")
    return [
        words(metric_name(row["metric"])),
        words(row["system"]),
        *(cell(row[name], signed(row[name], 2)) for name in points),
        *(cell(row[name], signed(row[name])) for name in relative),
        cell(decisive(row), probability(decisive(row))),
    ]


def _rate(row: Row, by: Sequence[str]) -> Spec:
    """A point of the plot of rates."""
    return {
        "row": _group(row, by),
        "series": row["system"],
        "x": 100 * row["rate"],
        "low": _hundred(row["low"], row["rate"]),
        "high": _hundred(row["high"], row["rate"]),
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def _group(row: Row, by: Sequence[str]) -> str:
    """A metric and the group it was measured on."""
    groups = [f"{column} {'' if row[column] is None else row[column]}" for column in by]
    return " · ".join([metric_name(row["metric"]), *groups])


def _first(rows: Sequence[Row], row: Row) -> int:
    """Where a metric first comes up: rows of one metric stand together."""
    return next(i for i, other in enumerate(rows) if other["metric"] == row["metric"])


def _hundred(value: Any, otherwise: float) -> float:
    return 100 * (value if is_number(value) else otherwise)


def _said_interval(row: Row) -> str:
    p = decisive(row)
    inside = signed_span(row["relative_low"], row["relative_high"])
    parts = [inside, "" if p is None else said_probability(p)]
    told = ", ".join(part for part in parts if part)
    return f" ({told})" if told else ""
