"""How metrics go with scores of what comes after recognition."""

from __future__ import annotations

from collections.abc import Sequence

from misword.report.charts import (
    Figure,
    Spec,
    amount,
    hints,
    intervals,
    legend_of,
    nominal,
    small,
)
from misword.report.markup import Cell, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, unique
from misword.report.relations import COEFFICIENTS, correlation_cell
from misword.report.wording import (
    count,
    is_number,
    listed,
    metric_name,
    number,
    percent,
    score_name,
)

PANELS_AT_MOST = 12


def downstream(rows: Sequence[Row], confidence: str) -> Figure | None:
    """How well each metric follows a score of what comes after recognition."""
    shown = [row for row in rows if is_number(row["pearson"])]
    if not shown:
        return None
    several = len(unique(row.get("system") for row in shown)) > 1

    def series(row: Row) -> str:
        return score_name(row["score"]) + (f", {row['system']}" if several else "")

    values = [_point(row, series(row)) for row in shown]
    spec = intervals(
        values,
        unique(series(row) for row in shown),
        title="Pearson correlation over blocks",
        line=0,
        tooltip=hints(row="metric", series="score", shown="Pearson"),
    )
    text = "; ".join(
        f"{metric_name(row['metric'])} and {series(row)} {number(row['pearson'])}" for row in shown
    )
    return Figure(
        "downstream",
        f"Correlation with downstream scores, {confidence} intervals",
        f"Pearson correlation over blocks of utterances: {text}.",
        spec,
        ["metric", "score", *(name.capitalize() for name in COEFFICIENTS), "blocks"],
        [
            [
                words(metric_name(row["metric"])),
                words(series(row)),
                *(correlation_cell(row, name) for name in COEFFICIENTS),
                cell(row["blocks"], count(row["blocks"])),
            ]
            for row in shown
        ],
    )


def _point(row: Row, series: str) -> Spec:
    return {
        "row": metric_name(row["metric"]),
        "series": series,
        "x": row["pearson"],
        "low": _or(row.get("pearson_low"), row["pearson"]),
        "high": _or(row.get("pearson_high"), row["pearson"]),
        "shown": number(row["pearson"]),
    }


def scatter(rows: Sequence[Row], labels: Sequence[str], scores: Sequence[str]) -> Figure | None:
    """Blocks of utterances: a panel for each metric and score."""
    shown = [(label, score) for score in scores for label in labels][:PANELS_AT_MOST]
    values = [
        {
            "order": order,
            "panel": f"{metric_name(label)} and {score_name(score)}",
            "series": row["system"],
            "x": 100 * row[label],
            "y": row[score],
            "block": row["block"],
        }
        for order, (label, score) in enumerate(shown)
        for row in rows
        if is_number(row.get(label)) and is_number(row.get(score))
    ]
    if not values:
        return None
    systems = unique(row["system"] for row in rows)
    kept = [*labels, *scores]
    return Figure(
        "scatter",
        "Blocks of utterances",
        f"Each point is a block of utterances of {listed(systems)}: a metric's rate against a "
        f"score, in {len(shown)} panels. The correlations are in the figure before.",
        _scatter_spec(values, systems),
        ["system", "block", *map(metric_name, labels), *map(score_name, scores)],
        [
            [
                words(row["system"]),
                words(row["block"]),
                *(_value(row.get(name), is_rate=name in labels) for name in kept),
            ]
            for row in rows
        ],
        panels=230,
    )


def _scatter_spec(values: Sequence[Spec], systems: Sequence[str]) -> Spec:
    series = nominal("series", scale={"domain": list(systems)}, legend=legend_of(systems))
    free = {"zero": False}
    encoding = {
        "x": amount("x", title="rate, %", scale=free),
        "y": amount("y", title="score", scale=free),
        "color": series,
        "shape": series,
        "tooltip": hints(block="block", series="system", x="rate, %", y="score"),
    }
    return small(values, 160, {"type": "point", "size": 30}, encoding)


def _value(value: float | None, *, is_rate: bool) -> Cell:
    return cell(value, percent(value) if is_rate else number(value))


def _or(value: float | None, otherwise: float) -> float:
    return value if is_number(value) else otherwise
