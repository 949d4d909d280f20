"""Substitutions, deletions and insertions of each system: a chart and a table."""

from __future__ import annotations

from misword.core.formatting import count, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import (
    RANK_HEIGHT,
    ROW_HEIGHT,
    ROW_NAMES,
    Figure,
    Spec,
    chart,
    legend,
    nominal,
    quantitative,
    tooltip,
)
from misword.report.html.markup import Cell, Markup, joined, number_cell, paragraph, text_cell
from misword.report.result_access import Row, lead_metric, titles, unique
from misword.report.summary_rates import ERRORS, error_rates, overall_rows, ranked_rows

# The names of the errors in the chart, in the order of the bar's parts.
NAMES = {
    "substitutions": "wrong word (substitution)",
    "deletions": "missing word (deletion)",
    "insertions": "extra word (insertion)",
}
# The chart has at most this many systems, those with the lowest rates; the table has all.
CHART_SYSTEMS = 60


def _section(article: Article) -> Markup:
    figure = error_figure(article.result)
    if figure is None:
        return Markup()
    note = "Each bar is the rate of a system, divided into its three kinds of error."
    return joined([paragraph(note, "note"), article.figure(figure)])


ERROR_KINDS = Section("errors", "Errors", "Wrong, missing and extra words", _section)


def error_figure(result: Result) -> Figure | None:
    """Return the bars of the lead metric; None if it does not count the three kinds of error."""
    rows, title = overall_rows(result), titles(result)
    label = lead_metric(unique(row["metric"] for row in rows))
    shown = [row for row in ranked_rows(rows, label) if error_rates(row)]
    if not shown:
        return None
    drawn, what = shown[:CHART_SYSTEMS], title(label)
    cut = f" (the {CHART_SYSTEMS} lowest rates)" if len(shown) > CHART_SYSTEMS else ""
    parts = [part for row in drawn for part in _parts(row)]
    text = "; ".join(
        f"{row['system']} {', '.join(f'{percent(r)} {ERRORS[k]}' for k, r in rates.items())}"
        for row in drawn
        for rates in [error_rates(row)]
    )
    return Figure(
        "errors",
        f"{what} by kind of error{cut}",
        f"Errors in % of the reference, the lowest {what} first: {text}.",
        _spec(parts, len(drawn)),
        ["system", f"{what}, %", *(f"{name}, %" for name in ERRORS), *ERRORS, "reference"],
        [_cells(row) for row in shown],
    )


def _parts(row: Row) -> list[Spec]:
    """Return the three parts of a bar, each from the end of the part before."""
    parts, start = [], 0.0
    for order, (kind, rate) in enumerate(error_rates(row).items()):
        parts.append(
            {
                "row": row["system"],
                "error": NAMES[kind],
                "order": order,
                "from": start,
                "to": start + 100 * rate,
                "rate": f"{percent(rate)} %",
                "errors": count(row[kind]),
            }
        )
        start += 100 * rate
    return parts


def _spec(parts: list[Spec], systems: int) -> Spec:
    names = list(NAMES.values())
    color = nominal("error", scale={"domain": names}, legend=legend(names))
    return chart(
        parts,
        height={"step": ROW_HEIGHT if systems <= 4 else RANK_HEIGHT},
        mark={"type": "bar", "stroke": {"expr": "background"}, "strokeWidth": 1},
        encoding={
            "y": nominal("row", axis=ROW_NAMES),
            "x": quantitative("from", title="errors, % of the reference"),
            "x2": {"field": "to"},
            "color": color,
            "tooltip": tooltip(row="system", error="error", rate="rate", errors="number"),
        },
    )


def _cells(row: Row) -> list[Cell]:
    rates = error_rates(row)
    return [
        text_cell(row["system"]),
        number_cell(row["rate"], percent(row["rate"])),
        *(number_cell(rates[name], percent(rates[name])) for name in ERRORS),
        *(number_cell(row[name], count(row[name])) for name in (*ERRORS, "reference")),
    ]
