"""The table of encoders: correlations at each word error rate, and the slope of similarity."""

from __future__ import annotations

from misword.core.formatting import is_number, number, percent, span
from misword.core.types import Result
from misword.report.html.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.html.text import number_span
from misword.report.result_access import Row, confidence, rows, titles, unique


def encoder_table(result: Result) -> Markup:
    """Return a row for each encoder.

    The columns are the correlation at each error rate, its ratio to that without noise, and the
    straight line of similarity over error rate.
    """
    levels, title = rows(result, "levels"), titles(result)
    if not levels:
        return Markup()
    rates = unique(row["wer"] for row in levels)
    noisy = [rate for rate in rates if rate]
    header = [
        "encoder",
        *(f"Pearson at {percent(rate, 0)} %" for rate in rates),
        *(f"left at {percent(rate, 0)} %, %" for rate in noisy),
        "Similarity a point",
        f"{confidence(result)} interval",
        "R2",
    ]
    lines = {row["encoder"]: row for row in rows(result, "lines")}
    body = []
    for label in unique(row["encoder"] for row in levels):
        by_rate = {row["wer"]: row for row in levels if row["encoder"] == label}
        body.append(
            [
                text_cell(title(label)),
                *(_percent_cell(by_rate.get(rate), "pearson") for rate in rates),
                *(_percent_cell(by_rate.get(rate), "ratio", interval=True) for rate in noisy),
                *_line_cells(lines.get(label, {})),
            ]
        )
    return data_table(header, body, label="encoders under noise")


def _percent_cell(row: Row | None, name: str, *, interval: bool = False) -> Cell:
    """Return a cell of a number in percent, with its interval if `interval` is set."""
    if row is None:
        return number_cell(None, "")
    ends = span(row.get(f"{name}_low"), row.get(f"{name}_high"), 1) if interval else ""
    return number_cell(row[name], percent(row[name], 1) + (f" ({ends})" if ends else ""))


def _line_cells(line: Row) -> list[Cell]:
    """Return the slope for one point of word error rate, its interval, and R2."""
    slope, low, high = (line.get(name) for name in ("slope", "slope_low", "slope_high"))
    r2 = line.get("r2")
    interval = number_span(_per_point(low), _per_point(high), 4)
    return [
        number_cell(slope, number(_per_point(slope), 4)),
        number_cell(low, interval),
        number_cell(r2, number(r2, 3)),
    ]


def _per_point(slope: float | None) -> float | None:
    return slope / 100 if is_number(slope) else None
