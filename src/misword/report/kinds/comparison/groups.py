"""Differences within groups of utterances: a chart for each metric, the worst group first."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import (
    count,
    group_values,
    is_number,
    percent,
    probability,
    signed,
    signed_span,
)
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
    unsure_note,
)
from misword.report.html.markup import Cell, Markup, joined, number_cell, paragraph, text_cell
from misword.report.result_access import Row, confidence, rows, titles, unique, verdict

# A chart has at most this many groups, and its text names at most so many; the table has all.
CHART_GROUPS, GROUPS_IN_TEXT = 60, 20
NOTE = (
    "Change in percentage points within each group, the largest increase first. p-values are "
    "corrected for the number of groups, metrics and systems (Holm)."
)


def _section(article: Article) -> Markup:
    figures = group_figures(article.result)
    return joined([paragraph(NOTE, "note"), article.figures(figures)]) if figures else Markup()


GROUPS = Section("groups", "Groups", "Where it is better or worse", _section)


def group_figures(result: Result) -> list[Figure]:
    """Return a chart for each metric that has a defined difference in a group."""
    groups, title, share = rows(result, "groups"), titles(result), confidence(result)
    by = [str(name) for name in result.provenance.get("by", ())]
    figures = [
        _figure([row for row in groups if row["metric"] == label], by, title(label), share, number)
        for number, label in enumerate(unique(row["metric"] for row in groups))
    ]
    return [figure for figure in figures if figure is not None]


def _figure(
    groups: Sequence[Row], by: Sequence[str], metric: str, share: str, number: int
) -> Figure | None:
    """Return the chart of one metric; None if no difference is defined."""
    shown = [row for row in groups if is_number(row["difference"])]
    if not shown:
        return None
    baseline, systems = shown[0]["baseline"], unique(row["system"] for row in shown)
    points = [_point(row, by) for row in shown]
    names = unique(point["row"] for point in points)
    drawn = set(names[:CHART_GROUPS])
    cut = f" (the first {CHART_GROUPS} groups)" if len(names) > CHART_GROUPS else ""
    fields = tooltip(row="group", series="system", change="points", interval="interval", p="p")
    spec = interval_plot(
        [point for point in points if point["row"] in drawn],
        systems,
        title=[f"change of {metric} against {baseline}, points", "left of the line: fewer errors"],
        line=0,
        fields=fields,
        hollow=True,
    )
    ends = intervals_in_title(share, systems, tested=True)
    return Figure(
        f"groups-{number}",
        f"{metric} by {', '.join(by)}: change{ends}{cut}",
        f"{_text(shown, by, metric, several=len(systems) > 1)} {unsure_note(systems)}",
        spec,
        [*by, "system", "utterances", f"{baseline}, %", "rate, %", "points", "from", "to", "p"],
        [_cells(row, by) for row in groups],
    )


def _point(row: Row, by: Sequence[str]) -> Spec:
    x, low, high = scaled_interval(row["difference"], row["low"], row["high"])
    return {
        "row": _name(row, by),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "sure": verdict(row) in ("better", "worse"),
        "change": signed(row["difference"], 2),
        "interval": signed_span(row["low"], row["high"], 2),
        "p": probability(row["p_holm"]),
    }


def _name(row: Row, by: Sequence[str]) -> str:
    """Return the values of a group, with the size of the group."""
    return f"{' · '.join(group_values(row, by))} ({count(row['utterances'])})"


def _text(shown: Sequence[Row], by: Sequence[str], metric: str, *, several: bool) -> str:
    clauses = [
        f"{row['system'] + ', ' if several else ''}{_name(row, by)} {signed(row['difference'], 2)}"
        for row in shown[:GROUPS_IN_TEXT]
    ]
    more = "; and more in the table" if len(shown) > GROUPS_IN_TEXT else ""
    return f"Change of {metric} in points by {', '.join(by)}: {'; '.join(clauses)}{more}."


def _cells(row: Row, by: Sequence[str]) -> list[Cell]:
    return [
        *group_cells(row, by),
        text_cell(row["system"]),
        number_cell(row["utterances"], count(row["utterances"])),
        *(number_cell(row[name], percent(row[name])) for name in ("baseline_rate", "rate")),
        *(number_cell(row[name], signed(row[name], 2)) for name in ("difference", "low", "high")),
        number_cell(row["p_holm"], probability(row["p_holm"])),
    ]
