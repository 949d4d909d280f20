"""Rankings: all systems by one metric, the lowest rate first, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import (
    FIRST_SYSTEM,
    MOST_SERIES,
    UNCLEAR,
    UNTESTED,
    Figure,
    Spec,
    interval_plot,
    scaled_interval,
    tooltip,
)
from misword.report.html.markup import Cell, Markup, number_cell, text_cell
from misword.report.result_access import (
    Row,
    confidence,
    lead_metric,
    rows,
    titles,
    unique,
    verdict,
)
from misword.report.summary_rates import overall_rows, ranked_rows

# The chart has at most this many systems, those with the lowest rates; the table has all.
CHART_SYSTEMS = 60
# What is said of a system that is compared with the first one.
VERDICTS = {
    "better": "better",
    "worse": "worse",
    "unclear": UNCLEAR,
    "untested": UNTESTED,
}


def has_many_systems(result: Result) -> bool:
    """Return whether there are too many systems for a colour of each."""
    return len(unique(row["system"] for row in overall_rows(result))) > MOST_SERIES


def lead_ranking(result: Result) -> Figure | None:
    """Return the ranking by the lead metric."""
    label = lead_metric(unique(row["metric"] for row in overall_rows(result)))
    return ranking_figure(result, label, 0)


def _others(article: Article) -> Markup:
    """Return the rankings by all other metrics, if there are many systems."""
    if not has_many_systems(article.result):
        return Markup()
    labels = unique(row["metric"] for row in overall_rows(article.result))
    others = [label for label in labels if label != lead_metric(labels)]
    return article.figures(
        ranking_figure(article.result, label, number) for number, label in enumerate(others, 1)
    )


RANKINGS = Section("rankings", "Rankings", "Rankings by the other metrics", _others)


def ranking_figure(result: Result, label: str, number: int) -> Figure | None:
    """Return a row for each system; of a comparison, with the verdict against the first one."""
    ranked = ranked_rows(overall_rows(result), label)
    if not ranked:
        return None
    name, share, verdicts = titles(result)(label), confidence(result), _verdicts(result, label)
    points = [_point(row, verdicts) for row in ranked]
    drawn = points[:CHART_SYSTEMS]
    cut = f" (the {CHART_SYSTEMS} lowest)" if len(points) > CHART_SYSTEMS else ""
    fields = {"row": "system", "rate": name, "interval": "interval, %"}
    fields |= {"series": "verdict"} if verdicts else {}
    first = [point["x"] for point in points if point["series"] == FIRST_SYSTEM]
    return Figure(
        f"ranking-{number}",
        f"{name} of {len(points)} systems with {share} intervals{cut}",
        _text(drawn, name),
        interval_plot(
            drawn,
            unique(point["series"] for point in drawn),
            title=[f"{name}, %", "further left: fewer errors"],
            line=first[0] if first else None,
            fields=tooltip(**fields),
            ranked=True,
        ),
        ["system", f"{name}, %", "from", "to", *(["verdict"] if verdicts else ())],
        [_cells(row, verdicts) for row in ranked],
    )


def _verdicts(result: Result, label: str) -> dict[str, str]:
    """Return the verdict on each system, against the first one; empty without a comparison."""
    differences = [row for row in rows(result, "differences") if row["metric"] == label]
    verdicts = {row["system"]: VERDICTS[verdict(row)] for row in differences}
    return {**{row["baseline"]: FIRST_SYSTEM for row in differences}, **verdicts}


def _point(row: Row, verdicts: dict[str, str]) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": row["system"],
        "series": verdicts.get(row["system"], ""),
        "x": x,
        "low": low,
        "high": high,
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def _text(points: Sequence[Spec], name: str) -> str:
    clauses = [
        f"{point['row']} {point['rate']}" + (f" ({point['series']})" if point["series"] else "")
        for point in points
    ]
    return f"{name} of the systems, the lowest first: {'; '.join(clauses)}."


def _cells(row: Row, verdicts: dict[str, str]) -> list[Cell]:
    return [
        text_cell(row["system"]),
        *(number_cell(row[end], percent(row[end])) for end in ("rate", "low", "high")),
        *([text_cell(verdicts.get(row["system"], ""))] if verdicts else ()),
    ]
