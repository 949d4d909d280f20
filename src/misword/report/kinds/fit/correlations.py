"""How well the blend and each of its metrics correlate with direct ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.formatting import count, counted, is_number, number
from misword.core.types import Result
from misword.report.html.charts import (
    FREE_SCALE,
    LINE_PLOT_HEIGHT,
    Figure,
    Spec,
    chart,
    color_and_shape,
    interval_plot,
    quantitative,
    scaled_interval,
    tooltip,
)
from misword.report.html.markup import Cell, number_cell, text_cell
from misword.report.html.text import interval_in_sentence, number_span
from misword.report.kinds.fit.agreement import BLEND
from misword.report.result_access import Row, Titles, confidence, rows, table, titles
from misword.report.sections.metric_correlations import COEFFICIENTS, correlation_cell

if TYPE_CHECKING:
    import polars as pl

# The scatter plot has at most about this many points.
POINTS = 2000
# The numbers below the scatter plot are means over so many equal parts.
PARTS = 10


def correlation_rows(result: Result) -> list[Row]:
    """Return the rows of correlation: the blend, then the metrics from the highest.

    The result of a fit to choices has no such rows.
    """
    shown = [row for row in rows(result, "quality") if is_number(row.get("pearson"))]
    return sorted(shown, key=lambda row: (row["metric"] != BLEND, -row["pearson"]))


def correlation_headline(result: Result) -> str:
    """Return the correlation of the blend with ratings, and that of the best single metric."""
    shown = correlation_rows(result)
    if not shown or shown[0]["metric"] != BLEND:
        return ""
    blend, *metrics = shown
    size = counted(len(rows(result, "judgements")), "rating")
    sentence = f"The blend follows {size}: Pearson {_with_interval(blend, result)}"
    if metrics:
        name = titles(result)(metrics[0]["metric"])
        sentence += f"; {name}, the best single metric, has {_with_interval(metrics[0], result)}"
    return f"{sentence}."


def _with_interval(row: Row, result: Result) -> str:
    ends = number_span(row.get("pearson_low"), row.get("pearson_high"), 3)
    return f"{number(row['pearson'], 3)}{interval_in_sentence(confidence(result), ends)}"


def correlation_plot(result: Result) -> Figure | None:
    """Return the correlation of the blend and of each metric with the ratings."""
    shown, title = correlation_rows(result), titles(result)
    if not shown:
        return None
    text = "; ".join(f"{title(row['metric'])} {number(row['pearson'], 3)}" for row in shown)
    return Figure(
        "correlation",
        f"Correlation with ratings, {confidence(result)} intervals",
        "Pearson correlation of rates and people's ratings; 1 means that the lowest rates have the "
        f"best ratings. The blend was learnt from other references. {text}.",
        interval_plot(
            [_point(row, title) for row in shown],
            ["Pearson"],
            title="Pearson correlation with ratings",
            fields=tooltip(row="metric", shown="Pearson", interval="interval"),
        ),
        ["metric", *(name.capitalize() for name in COEFFICIENTS)],
        [
            [
                text_cell(title(row["metric"])),
                *(correlation_cell(row, name) for name in COEFFICIENTS),
            ]
            for row in shown
        ],
    )


def _point(row: Row, title: Titles) -> Spec:
    ends = (row["pearson"], row.get("pearson_low"), row.get("pearson_high"))
    x, low, high = scaled_interval(*ends, scale=1)
    return {
        "row": title(row["metric"]),
        "series": "Pearson",
        "x": x,
        "low": low,
        "high": high,
        "shown": number(x, 3),
        "interval": number_span(*ends[1:], 3),
    }


def rating_plot(result: Result) -> Figure | None:
    """Return the ratings over the blend's rates."""
    judged = table(result, "judgements")
    if judged is None or "score" not in judged.columns:
        return None
    rated = judged.select("judgement", "score", rate=-judged["blend"]).drop_nulls()
    shown = rated.gather_every(-(-len(rated) // POINTS))
    left_out = "" if len(shown) == len(rated) else f" {len(shown):,} of {len(rated):,} are shown."
    points = [{"series": "rating", **row} for row in shown.to_dicts()]
    encoding = {
        **color_and_shape("series", ["rating"]),
        "x": quantitative("rate", title="rate of the blend, held out", scale=FREE_SCALE),
        "y": quantitative("score", title="rating", scale=FREE_SCALE),
        "tooltip": tooltip(judgement="rating number", rate="rate", score="rating"),
    }
    mark = {"type": "point", "size": 24, "opacity": 0.6}
    return Figure(
        "ratings",
        "Ratings and rates",
        f"Each point is a rated hypothesis.{left_out} The table has means over {PARTS} equal parts "
        "of the hypotheses, from the lowest rate of the blend to the highest.",
        chart(points, height=LINE_PLOT_HEIGHT, mark=mark, encoding=encoding),
        ["part", "hypotheses", "mean rate of the blend", "mean rating"],
        _parts(rated),
    )


def _parts(rated: pl.DataFrame) -> Sequence[Sequence[Cell]]:
    """Return a row for each of several equal parts of the hypotheses, by the blend's rate."""
    import polars as pl

    number_of_part = pl.int_range(pl.len()) * PARTS // pl.len() + 1
    parts = rated.sort("rate", maintain_order=True).group_by(
        number_of_part.alias("part"), maintain_order=True
    )
    return [
        [
            number_cell(row["part"], count(row["part"])),
            number_cell(row["len"], count(row["len"])),
            *(number_cell(row[name], number(row[name], 3)) for name in ("rate", "score")),
        ]
        for row in parts.agg(pl.len(), pl.mean("rate", "score")).to_dicts()
    ]
