"""The chart of agreement with people: a row for each metric, the best one first."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, is_number, percent, span
from misword.core.types import Result
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Cell, number_cell, text_cell
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique

# The share of triplets, in percent, in which a coin agrees with people.
CHANCE = 50
HEADER = ("metric", "consensus", "triplets", "agreed, %", "from", "to", "with half for ties, %",
          "ties, %")  # fmt: skip


def agreement_plot(result: Result) -> Figure | None:
    """Return how often each metric prefers what people prefer, by level of consensus.

    The metric that agrees most often at the first level comes first.
    """
    shown = _sorted([row for row in rows(result, "agreement") if is_number(row["agreed"])])
    if not shown:
        return None
    title = titles(result)
    points = [agreement_point(row, title) for row in shown]
    series = unique(point["series"] for point in points)
    fields = tooltip(row="metric", series="people", shown="agreed", interval="interval, %")
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    return Figure(
        "agreement",
        f"Agreement with people, {confidence(result)} intervals",
        f"Share of triplets in which the metric prefers what most people chose, ties counted as "
        f"wrong, the metric that agrees most often first: {text}. The dashed line at {CHANCE} % is "
        "what a coin would get.",
        with_chance(
            interval_plot(points, series, title="triplets agreed, %", line=CHANCE, fields=fields)
        ),
        HEADER,
        [agreement_cells(row, title, "triplets") for row in shown],
    )


def _sorted(shown: Sequence[Row]) -> list[Row]:
    """Return the rows of each metric together, by its agreement at the first level."""
    order = {row["metric"]: -row["agreed"] for row in reversed(shown)}
    return sorted(shown, key=lambda row: order[row["metric"]])


def with_chance(spec: Spec) -> Spec:
    """Return the plot with a name above the line of chance."""
    label = {
        "mark": {"type": "text", "baseline": "bottom", "dy": -4},
        "encoding": {
            "x": {"datum": CHANCE},
            "y": {"value": 0},
            "text": {"value": f"chance, {CHANCE} %"},
        },
        "data": {"values": [{}]},
    }
    return spec | {"layer": [*spec["layer"], label]}


def agreement_point(row: Row, title: Titles) -> Spec:
    """Return the point of a metric at a level of consensus."""
    x, low, high = scaled_interval(row["agreed"], row["low"], row["high"])
    return {
        "row": title(row["metric"]),
        "series": f"consensus {row['consensus']}",
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['agreed'], 1)} %",
        "interval": span(row["low"], row["high"], 1),
    }


def agreement_cells(row: Row, title: Titles, number: str) -> list[Cell]:
    """Return the cells of a metric at a level of consensus; `number` is the column of its size."""
    shares = ("agreed", "low", "high", "half", "ties")
    return [
        text_cell(title(row["metric"])),
        text_cell(row["consensus"]),
        number_cell(row[number], count(row[number])),
        *(number_cell(row[name], percent(row[name], 1)) for name in shares),
    ]
