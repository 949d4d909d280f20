"""Error rates with their intervals: as a table, as a chart, and the sentence above both."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, counted, group_values, is_number, listed, percent, span
from misword.core.types import Result
from misword.report.explorer.links import group_cells
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Markup, data_table, number_cell, text_cell
from misword.report.result_access import (
    Row,
    Titles,
    confidence,
    forgiving_families,
    group_columns,
    rows,
    systems,
    table,
    titles,
    unique,
)

# The text of the chart names at most this many rates; the table has them all.
RATES_IN_TEXT = 40
# The chart has at most this many rows; the table has them all.
CHART_ROWS = 60


def introduction(result: Result) -> list[str]:
    """Return sentences on the data, on how the intervals were made, and on what was forgiven."""
    utterances, provenance = table(result, "utterances"), result.provenance
    sentences = []
    if utterances is not None:
        sentences.append(
            f"{counted(len(systems(result)), 'system')}, "
            f"{counted(utterances['utt'].n_unique(), 'utterance')}."
        )
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
    header = ["system", *groups, "metric", "rate, %", f"{confidence(result)} interval",
              *without.values(), "reference", "utterances"]  # fmt: skip
    body = [
        [
            text_cell(row["system"]),
            *group_cells(row, groups),
            text_cell(title(row["metric"])),
            number_cell(row["rate"], percent(row["rate"]) or "undefined"),
            number_cell(row["low"], span(row["low"], row["high"])),
            *(number_cell(row[name], percent(row[name])) for name in without),
            number_cell(row["reference"], count(row["reference"])),
            number_cell(row["utterances"], count(row["utterances"])),
        ]
        for row in frame.to_dicts()
    ]
    return data_table(header, body, label="rates")


def rate_figure(result: Result) -> Figure | None:
    """Return the chart of the summary: a row per metric, or per metric and group."""
    frame = table(result, "summary")
    shown = [row for row in rows(result, "summary") if is_number(row["rate"])]
    if frame is None or not shown:
        return None
    groups, title = group_columns(frame), titles(result)
    names = [_row_name(row, groups, title) for row in shown]
    points = [_point(row, groups, title) for row in _by_metric(shown)]
    drawn = set(unique(point["row"] for point in points)[:CHART_ROWS])
    points = [point for point in points if point["row"] in drawn]
    cut = f" (the first {CHART_ROWS} rows)" if len(points) < len(shown) else ""
    series = unique(row["system"] for row in shown)
    fields = tooltip(row="metric", series="system", rate="rate", interval="interval, %")
    return Figure(
        "rates",
        f"Rates with {confidence(result)} intervals{cut}",
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


def _point(row: Row, groups: Sequence[str], title: Titles) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": _row_name(row, groups, title),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def _row_name(row: Row, groups: Sequence[str], title: Titles) -> str:
    """Return the title of a metric and the values of the group that it was measured on."""
    texts = zip(groups, group_values(row, groups), strict=True)
    values = ["all"] if row.get("total") else [f"{column} {value}" for column, value in texts]
    return " · ".join([title(row["metric"]), *values])
