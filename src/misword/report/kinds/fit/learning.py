"""What was learnt: the weights, how many judgements they need, and the sets of metrics tried."""

from __future__ import annotations

from misword.core.formatting import count, is_number, number, percent
from misword.core.parts.registry import split_specs
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import (
    Figure,
    Spec,
    interval_plot,
    line_plot,
    scaled_interval,
    tooltip,
)
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.html.text import number_span
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique

# Points of several measures are drawn side by side: each has the position of the one before times
# this number.
SHIFT = 1.02
SELECTION_NOTE = (
    "Metrics were removed one after the other. The loss is that of folds which were left out; the "
    "smallest set is kept whose loss is shown not to exceed that of the best set by more than one "
    "hundredth of the loss without any metric."
)


def weight_plot(result: Result) -> Figure | None:
    """Return the weight of each metric with its interval, and its influence."""
    shown, title = rows(result, "weights"), titles(result)
    if not shown:
        return None
    text = "; ".join(
        f"{title(row['metric'])} {number(row['weight'], 3)}, influence "
        f"{percent(row['influence'], 1)} %"
        for row in shown
    )
    return Figure(
        "weights",
        f"Weights, {confidence(result)} intervals, and influence",
        "A weight is what a rate is multiplied by; all weights add up to 1. The influence of a "
        "metric is its share in what the blend says: its weight times the size of its differences. "
        f"{text}.",
        interval_plot(
            [point for row in shown for point in _weight_points(row, title)],
            ["weight", "influence"],
            title="share",
            line=0,
            fields=tooltip(row="metric", series="", shown="share", interval="interval"),
        ),
        ["metric", "weight", "from", "to", "influence, %"],
        [
            [
                text_cell(title(row["metric"])),
                *(
                    number_cell(row[name], number(row[name], 3))
                    for name in ("weight", "low", "high")
                ),
                number_cell(row["influence"], percent(row["influence"], 1)),
            ]
            for row in shown
        ],
    )


def _weight_points(row: Row, title: Titles) -> list[Spec]:
    """Return the points of the weight and of the influence, which has no interval."""
    spans = {
        "weight": (row["weight"], row["low"], row["high"]),
        "influence": (row["influence"], None, None),
    }
    points = []
    for series, ends in spans.items():
        x, low, high = scaled_interval(*ends, scale=1)
        shown, interval = number(x, 3), number_span(*ends[1:], 3)
        name = title(row["metric"])
        points.append({"row": name, "series": series, "x": x, "low": low, "high": high})
        points[-1] |= {"shown": shown, "interval": interval}
    return points


def curve_plot(result: Result) -> Figure | None:
    """Return the quality of blends that were learnt from fewer judgements."""
    shown = [row for row in rows(result, "curve") if is_number(row["mean"])]
    if not shown:
        return None
    of_choices = "pearson" not in (row["measure"] for row in shown)
    scale, digits = (100, 1) if of_choices else (1, 3)
    measures = unique(row["measure"] for row in shown)
    points = [
        _curve_point(row, measures.index(row["measure"]), scale, digits, of_choices=of_choices)
        for row in shown
    ]
    name = "agreement with people, %" if of_choices else "Pearson correlation with ratings"
    sizes = unique(row["judgements"] for row in shown)
    text = "; ".join(
        f"{point['series']}: {point['shown']} from {count(point['judgements'])} judgements"
        for point in points
    )
    return Figure(
        "curve",
        "Quality after learning from fewer judgements",
        "Weights were learnt from random subsets and tested on all judgements of other references; "
        f"a point is the mean of the subsets, its line contains {confidence(result)} of them. "
        f"{text}.",
        line_plot(
            points,
            unique(point["series"] for point in points),
            x="judgements that the blend was learnt from",
            y=name,
            fields=tooltip(series="", judgements="judgements", shown="mean", interval="subsets"),
            log_ticks=sizes,
        ),
        ["judgements", "measure", name, "from", "to"],
        [
            [
                number_cell(row["judgements"], count(row["judgements"])),
                text_cell(point["series"]),
                *(_scaled_cell(row[end], scale, digits) for end in ("mean", "low", "high")),
            ]
            for row, point in zip(shown, points, strict=True)
        ],
    )


def _curve_point(row: Row, at: int, scale: float, digits: int, *, of_choices: bool) -> Spec:
    """Return a point of the measure with the number `at`, beside those of the other measures."""
    y, low, high = scaled_interval(row["mean"], row["low"], row["high"], scale)
    return {
        "series": f"consensus {row['measure']}" if of_choices else "Pearson",
        "x": row["judgements"] * SHIFT**at,
        "judgements": row["judgements"],
        "y": y,
        "low": low,
        "high": high,
        "shown": number(y, digits),
        "interval": number_span(low, high, digits),
    }


def _scaled_cell(value: float | None, scale: float, digits: int) -> Cell:
    return number_cell(value, number(scale * value, digits) if is_number(value) else "")


def _selection(article: Article) -> Markup:
    """Return the sets of metrics that were tried, and which one was kept."""
    tried, title = rows(article.result, "selection"), titles(article.result)
    if not tried:
        return Markup()
    kept = ",".join(row["metric"] for row in rows(article.result, "weights"))
    body = [
        [
            text_cell(", ".join(map(title, split_specs(row["metrics"])))),
            number_cell(row["size"], count(row["size"])),
            *(
                number_cell(row[name], number(row[name], 4))
                for name in ("loss", "excess", "standard_error")
            ),
            text_cell("kept" if row["metrics"] == kept else ""),
        ]
        for row in tried
    ]
    header = ["metrics", "number", "held-out loss", "above the best", "standard error", ""]
    sets = data_table(header, body, label="sets of metrics")
    return joined([paragraph(SELECTION_NOTE, "note"), sets])


def _weights(article: Article) -> Markup:
    return article.figure(weight_plot(article.result))


def _curve(article: Article) -> Markup:
    return article.figure(curve_plot(article.result))


WEIGHTS = Section("weights", "Weights", "How much each metric counts", _weights)
CURVE = Section("curve", "Learning curve", "How many judgements are enough?", _curve)
SELECTION = Section("selection", "Selection", "The sets of metrics that were tried", _selection)
