"""Rates within groups of utterances (`--by`): a chart for each metric, the highest rate first."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, group_values, is_number, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.links import group_cells
from misword.report.html.charts import (
    Figure,
    Spec,
    interval_plot,
    intervals_in_title,
    scaled_interval,
    tooltip,
)
from misword.report.html.markup import Markup, joined, number_cell, paragraph, text_cell
from misword.report.result_access import Row, confidence, group_columns, table, titles, unique

# A chart has at most this many groups, and its text names at most so many; the table has all.
CHART_GROUPS, GROUPS_IN_TEXT = 60, 20
NOTE = "Each group of utterances, the highest rate first. Numbers in brackets are utterances."


def _section(article: Article) -> Markup:
    figures = rate_group_figures(article.result)
    return joined([paragraph(NOTE, "note"), article.figures(figures)]) if figures else Markup()


RATE_GROUPS = Section("groups", "Groups", "Where the errors are", _section)


def rate_group_figures(result: Result) -> list[Figure]:
    """Return a chart for each metric with a defined rate in a group; none without groups."""
    frame = table(result, "summary")
    if frame is None or not (by := group_columns(frame)):
        return []
    groups = [row for row in frame.to_dicts() if not row.get("total") and is_number(row["rate"])]
    title, share = titles(result), confidence(result)
    return [
        _figure([row for row in groups if row["metric"] == label], by, title(label), share, number)
        for number, label in enumerate(unique(row["metric"] for row in groups))
    ]


def _figure(
    groups: Sequence[Row], by: Sequence[str], metric: str, share: str, number: int
) -> Figure:
    """Return the chart of one metric."""
    ordered = _highest_first(groups, by)
    points = [_point(row, by) for row in ordered]
    names = unique(point["row"] for point in points)
    drawn = set(names[:CHART_GROUPS])
    cut = f" (the first {CHART_GROUPS} groups)" if len(names) > CHART_GROUPS else ""
    systems = unique(row["system"] for row in groups)
    clauses = [
        f"{row['system']}, {_name(row, by)} {percent(row['rate'])} %"
        for row in ordered[:GROUPS_IN_TEXT]
    ]
    more = "; and more in the table" if len(ordered) > GROUPS_IN_TEXT else ""
    return Figure(
        f"rate-groups-{number}",
        f"{metric} by {', '.join(by)}{intervals_in_title(share, systems)}{cut}",
        f"{metric} by {', '.join(by)}: {'; '.join(clauses)}{more}.",
        interval_plot(
            [point for point in points if point["row"] in drawn],
            systems,
            title=f"{metric}, %",
            fields=tooltip(row="group", series="system", rate=metric, interval="interval, %"),
        ),
        [*by, "system", "utterances", f"{metric}, %", "from", "to"],
        [
            [
                *group_cells(row, by),
                text_cell(row["system"]),
                number_cell(row["utterances"], count(row["utterances"])),
                *(number_cell(row[end], percent(row[end])) for end in ("rate", "low", "high")),
            ]
            for row in ordered
        ],
    )


def _highest_first(groups: Sequence[Row], by: Sequence[str]) -> list[Row]:
    """Return the rows by the highest rate that a system has in the group."""
    highest: dict[str, float] = {}
    for row in groups:
        name = _name(row, by)
        highest[name] = max(row["rate"], highest.get(name, 0.0))
    return sorted(groups, key=lambda row: -highest[_name(row, by)])


def _name(row: Row, by: Sequence[str]) -> str:
    """Return the values of a group, with the size of the group."""
    return f"{' · '.join(group_values(row, by))} ({count(row['utterances'])})"


def _point(row: Row, by: Sequence[str]) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": _name(row, by),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }
