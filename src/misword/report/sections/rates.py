"""Error rates with their intervals: as a table, as a chart, and the sentence above both."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, counted, is_number, listed, percent, span
from misword.core.types import Result
from misword.report.explorer.links import group_cells
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.result_access import (
    Row,
    Titles,
    confidence,
    forgiving_families,
    group_columns,
    rows,
    table,
    titles,
    unique,
)
from misword.report.sections.ranking import has_many_systems, lead_ranking
from misword.report.summary_rates import ERRORS, error_rates, overall_rows

# The text of the chart names at most this many rates; the table has them all.
RATES_IN_TEXT = 40


def introduction(result: Result) -> list[str]:
    """Return sentences on how the intervals were made, and on what was forgiven."""
    provenance = result.provenance
    sentences = []
    if any(is_number(row.get("low")) for row in rows(result, "summary")):
        sampled = "utterances"
        if provenance.get("block"):
            number = counted(provenance.get("blocks") or 0, "value")
            sampled = f"blocks ({number} of {provenance['block']})"
        sentences.append(f"Intervals are {confidence(result)}, by bootstrap over {sampled}.")
    if families := forgiving_families(result):
        sentences.append(f"Differences of writing were forgiven ({listed(families)}).")
    return sentences


def rate_table(result: Result) -> Markup:
    """Return the summary: rates with intervals and the size of the data they were measured on."""
    frame, title = table(result, "summary"), titles(result)
    if frame is None:
        return Markup()
    groups = group_columns(frame)
    without = {"without": "without forgiveness, %"} if forgiving_families(result) else {}
    # Rates over all groups first.
    summary = sorted(frame.to_dicts(), key=lambda row: not row.get("total"))
    errors = list(ERRORS) if any(map(error_rates, summary)) else []
    header = ["system", *groups, "metric", "rate, %", f"{confidence(result)} interval",
              *without.values(), *errors, "reference", "utterances"]  # fmt: skip
    body = [
        [
            text_cell(row["system"]),
            *group_cells(row, groups),
            text_cell(title(row["metric"])),
            number_cell(row["rate"], percent(row["rate"]) or "undefined"),
            number_cell(row["low"], span(row["low"], row["high"])),
            *(number_cell(row[name], percent(row[name])) for name in without),
            *(_count_cell(row, name) for name in errors),
            number_cell(row["reference"], count(row["reference"])),
            number_cell(row["utterances"], count(row["utterances"])),
        ]
        for row in summary
    ]
    return data_table(header, body, label="rates", tall=True)


def _count_cell(row: Row, name: str) -> Cell:
    """Return a number of errors; empty for a metric whose rate is not the sum of its errors."""
    return number_cell(row[name], count(row[name])) if error_rates(row) else number_cell(None, "")


def rate_figure(result: Result) -> Figure | None:
    """Return the chart of the rates over all utterances: a row per metric, or a ranking."""
    if has_many_systems(result):
        return lead_ranking(result)
    shown = [row for row in overall_rows(result) if is_number(row["rate"])]
    if not shown:
        return None
    title = titles(result)
    names = [title(row["metric"]) for row in shown]
    points = [_point(row, title) for row in _by_metric(shown)]
    series = unique(row["system"] for row in shown)
    fields = tooltip(row="metric", series="system", rate="rate", interval="interval, %")
    return Figure(
        "rates",
        f"Rates with {confidence(result)} intervals",
        _text(shown, names, several=len(series) > 1),
        interval_plot(points, series, title="rate, %", fields=fields),
        ["metric", "system", "rate, %", "from", "to"],
        [
            [
                text_cell(name),
                text_cell(row["system"]),
                *(number_cell(row[end], percent(row[end])) for end in ("rate", "low", "high")),
            ]
            for row, name in zip(shown, names, strict=True)
        ],
    )


def _text(shown: Sequence[Row], names: Sequence[str], *, several: bool) -> str:
    """Return the rates in words; with several systems, each rate with its system."""
    clauses = [
        f"{row['system'] + ', ' if several else ''}{name} {percent(row['rate'])} %"
        for row, name in zip(shown, names, strict=True)
    ]
    more = "; and more in the table" if len(clauses) > RATES_IN_TEXT else ""
    return f"Rates: {'; '.join(clauses[:RATES_IN_TEXT])}{more}."


def _by_metric(shown: Sequence[Row]) -> list[Row]:
    """Return the rows sorted by metric; the metrics keep their order."""
    order = unique(row["metric"] for row in shown)
    return sorted(shown, key=lambda row: order.index(row["metric"]))


def _point(row: Row, title: Titles) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": title(row["metric"]),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }
