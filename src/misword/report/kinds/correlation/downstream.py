"""Metrics against scores of a later step, such as the BLEU of the translated transcripts."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, is_number, listed, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import (
    FREE_SCALE,
    Figure,
    Spec,
    color_and_shape,
    interval_plot,
    quantitative,
    scaled_interval,
    small_multiples,
    tooltip,
)
from misword.report.html.markup import Cell, Markup, number_cell, text_cell
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique
from misword.report.sections.metric_correlations import COEFFICIENTS, correlation_cell

# A scatter plot has at most this many panels.
PANELS = 12


def _section(article: Article) -> Markup:
    return article.figures([downstream_plot(article.result), *block_plots(article.result)])


DOWNSTREAM = Section(
    "downstream", "Downstream", "Do the metrics follow downstream scores?", _section
)


def downstream_plot(result: Result) -> Figure | None:
    """Return the correlation of each metric with each score, with its interval."""
    shown = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not shown:
        return None
    title = titles(result)
    several = len(unique(row.get("system") for row in shown)) > 1

    def series(row: Row) -> str:
        return title(row["score"]) + (f", {row['system']}" if several else "")

    spec = interval_plot(
        [_point(row, title(row["metric"]), series(row)) for row in shown],
        unique(series(row) for row in shown),
        title="Pearson correlation over blocks",
        line=0 if _reaches_zero(shown) else None,
        fields=tooltip(row="metric", series="score", shown="Pearson"),
    )
    text = "; ".join(
        f"{title(row['metric'])} and {series(row)} {number(row['pearson'])}" for row in shown
    )
    return Figure(
        "downstream",
        f"Correlation with downstream scores, {confidence(result)} intervals",
        f"Pearson correlation over blocks of utterances: {text}.",
        spec,
        ["metric", "score", *(name.capitalize() for name in COEFFICIENTS), "blocks"],
        [
            [
                text_cell(title(row["metric"])),
                text_cell(series(row)),
                *(correlation_cell(row, name) for name in COEFFICIENTS),
                number_cell(row["blocks"], count(row["blocks"])),
            ]
            for row in shown
        ],
    )


def _reaches_zero(shown: Sequence[Row]) -> bool:
    """Return whether zero is within the range of the values and their intervals."""
    names = ("pearson", "pearson_low", "pearson_high")
    ends: list[float] = [row[name] for row in shown for name in names if is_number(row.get(name))]
    return min(ends) <= 0 <= max(ends)


def block_plots(result: Result) -> list[Figure]:
    """Return for each score the scatter plots of the blocks of utterances, a panel per metric."""
    downstream = rows(result, "downstream")
    labels = unique(row["metric"] for row in downstream)[:PANELS]
    scores = unique(row["score"] for row in downstream)
    figures = [_block_plot(result, labels, score, place) for place, score in enumerate(scores)]
    return [figure for figure in figures if figure is not None]


def _block_plot(result: Result, labels: list[str], score: str, place: int) -> Figure | None:
    blocks, title = rows(result, "blocks"), titles(result)
    points = _block_points(blocks, labels, score, title)
    if not points:
        return None
    systems = unique(row["system"] for row in blocks)
    return Figure(
        f"scatter-{place}",
        f"{title(score)} of blocks of utterances",
        f"Each point is a block of utterances of {listed(systems)}: {title(score)} against the "
        f"rate of a metric, in {len(labels)} panels. The correlations are in the figure before.",
        _scatter_spec(points, systems, title(score)),
        ["system", "block", *(f"{title(label)}, %" for label in labels), title(score)],
        [
            [
                text_cell(row["system"]),
                text_cell(row["block"]),
                *(_cell(row.get(label), is_rate=True) for label in labels),
                _cell(row.get(score), is_rate=False),
            ]
            for row in blocks
        ],
        panels=230,
    )


def _point(row: Row, metric: str, series: str) -> Spec:
    ends = (row["pearson"], row.get("pearson_low"), row.get("pearson_high"))
    x, low, high = scaled_interval(*ends, scale=1)
    shown = number(row["pearson"])
    return {"row": metric, "series": series, "x": x, "low": low, "high": high, "shown": shown}


def _block_points(
    blocks: Sequence[Row], labels: Sequence[str], score: str, title: Titles
) -> list[Spec]:
    return [
        {
            "order": order,
            "panel": f"{title(label)}, %",
            "series": row["system"],
            "x": 100 * row[label],
            "y": row[score],
            "block": row["block"],
        }
        for order, label in enumerate(labels)
        for row in blocks
        if is_number(row.get(label)) and is_number(row.get(score))
    ]


def _scatter_spec(points: Sequence[Spec], systems: Sequence[str], score: str) -> Spec:
    encoding = {
        "x": quantitative("x", scale=FREE_SCALE),
        "y": quantitative("y", title=score, scale=FREE_SCALE),
        **color_and_shape("series", systems),
        "tooltip": tooltip(block="block", series="system", panel="metric", x="rate, %", y=score),
    }
    spec = small_multiples(points, 160, {"type": "point", "size": 30}, encoding)
    # The name of a panel stands below it, as the title of its horizontal axis.
    spec["facet"]["header"] = {"labelOrient": "bottom", "labelLimit": 280}
    return spec


def _cell(value: float | None, *, is_rate: bool) -> Cell:
    return number_cell(value, percent(value) if is_rate else number(value))
