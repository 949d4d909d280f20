"""The forest plot: relative changes against the first system, with their intervals."""

from __future__ import annotations

from misword.core.formatting import is_number, probability, signed, signed_span
from misword.core.types import Result
from misword.report.html.charts import (
    Figure,
    Spec,
    interval_plot,
    intervals_in_title,
    scaled_interval,
    tooltip,
    unsure_note,
)
from misword.report.html.markup import Cell, number_cell, text_cell
from misword.report.html.text import p_in_sentence
from misword.report.result_access import (
    Row,
    Titles,
    confidence,
    deciding_p,
    rows,
    titles,
    unique,
    verdict,
)

POINTS = ("difference", "low", "high")
RELATIVE = ("relative", "relative_low", "relative_high")
HEADER = ("metric", "system", "change, points", "from", "to", "relative change, %", "from", "to",
          "p")  # fmt: skip


def forest_plot(result: Result) -> Figure | None:
    """Return the plot of relative changes; points that are not distinguishable are hollow."""
    shown = [row for row in rows(result, "differences") if is_number(row["relative"])]
    if not shown:
        return None
    title, share, baseline = titles(result), confidence(result), shown[0]["baseline"]
    systems = unique(row["system"] for row in shown)
    spec = interval_plot(
        [_point(row, title) for row in shown],
        systems,
        title=[f"change against {baseline}, %", "left of the line: fewer errors"],
        line=0,
        fields=tooltip(
            row="metric", series="system", change="change", interval="interval, %", p="p"
        ),
        hollow=True,
    )
    text = "; ".join(
        f"{row['system'] + ': ' if len(systems) > 1 else ''}{title(row['metric'])} "
        f"{signed(row['relative'])} %{_interval_and_p(row)}"
        for row in shown
    )
    return Figure(
        "forest",
        f"Relative change{intervals_in_title(share, systems, tested=True)}",
        f"Relative change of each metric against {baseline}: {text}. {unsure_note(systems)}",
        spec,
        HEADER,
        [_cells(row, title) for row in shown],
    )


def _point(row: Row, title: Titles) -> Spec:
    x, low, high = scaled_interval(*(row[name] for name in RELATIVE))
    return {
        "row": title(row["metric"]),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "sure": verdict(row) in ("better", "worse"),
        "change": f"{signed(row['relative'])} %",
        "interval": signed_span(row["relative_low"], row["relative_high"]),
        "p": probability(deciding_p(row)),
    }


def _cells(row: Row, title: Titles) -> list[Cell]:
    """Return the numbers of one point."""
    p = deciding_p(row)
    return [
        text_cell(title(row["metric"])),
        text_cell(row["system"]),
        *(number_cell(row[name], signed(row[name], 2)) for name in POINTS),
        *(number_cell(row[name], signed(row[name])) for name in RELATIVE),
        number_cell(p, probability(p)),
    ]


def _interval_and_p(row: Row) -> str:
    """Return the interval and the p-value in brackets; empty where both are missing."""
    p = deciding_p(row)
    interval = signed_span(row["relative_low"], row["relative_high"])
    parts = [interval, "" if p is None else p_in_sentence(p)]
    shown = ", ".join(part for part in parts if part)
    return f" ({shown})" if shown else ""
