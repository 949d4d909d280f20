"""Line plots of encoders over the word error rate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from misword.core.formatting import is_number, number, percent
from misword.core.types import Result
from misword.report.html.charts import (
    FREE_SCALE,
    Figure,
    Spec,
    line_plot,
    scaled_interval,
    tooltip,
)
from misword.report.html.markup import number_cell, text_cell
from misword.report.html.text import number_span
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique

SIMILARITY = ("similarity", "similarity_low", "similarity_high")
PEARSON = ("pearson", "pearson_low", "pearson_high")
PEARSON_OVER_PAIRS = ("pearson_pairs_low", "pearson_pairs_high")
# The points of one error rate take at most this share of the gap between two rates; two of them are
# at most this share of the axis apart.
GROUP_WIDTH, MOST_STEP = 0.6, 0.02
SIDE_BY_SIDE = "Points of one error rate are side by side."


def similarity_plot(result: Result) -> Figure | None:
    """Return the mean similarity of noisy and clean sentences over the word error rate."""
    shown = [row for row in rows(result, "levels") if is_number(row["similarity"])]
    if not shown:
        return None
    title = titles(result)
    lines = [
        f"{title(row['encoder'])} {number(row['slope'] / 100, 4)} a point of WER"
        + (f" (R2 {number(row['r2'], 3)})" if is_number(row["r2"]) else "")
        for row in rows(result, "lines")
        if is_number(row["slope"])
    ]
    points = [_point(row, SIMILARITY, title, scale=1, digits=3) for row in shown]
    return Figure(
        "similarity",
        f"Similarity with the clean sentence, {confidence(result)} intervals over trials",
        "Mean similarity of each sentence with its noisy self; 1 without noise. By straight lines: "
        f"{'; '.join(lines)}. {SIDE_BY_SIDE}",
        _spec(points, "mean similarity with the clean sentence"),
        ["encoder", "WER, %", "similarity", "from", "to"],
        [
            [
                text_cell(title(row["encoder"])),
                number_cell(row["realised"], percent(row["realised"])),
                *(number_cell(row[name], number(row[name], 4)) for name in SIMILARITY),
            ]
            for row in shown
        ],
    )


def correlation_plot(result: Result) -> Figure | None:
    """Return the correlation of similarities with people's scores over the word error rate."""
    shown = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not shown:
        return None
    title, highest = titles(result), max(row["wer"] for row in shown)
    text = "; ".join(
        f"{title(row['encoder'])} {percent(row['pearson'], 1)} at {percent(row['wer'], 0)} %"
        for row in shown
        if row["wer"] in (0, highest)
    )
    points = [_point(row, PEARSON, title, scale=100, digits=2) for row in shown]
    columns = (*PEARSON, *PEARSON_OVER_PAIRS)
    return Figure(
        "correlation",
        f"Correlation with people's scores, {confidence(result)} intervals over trials",
        "Pearson correlation x 100 of the similarity of two sentences with people's scores: "
        f"{text}. {SIDE_BY_SIDE}",
        _spec(points, "Pearson correlation with people, x 100"),
        ["encoder", "WER, %", "Pearson x 100", "from", "to", "from, over pairs", "to, over pairs"],
        [
            [
                text_cell(title(row["encoder"])),
                number_cell(row["realised"], percent(row["realised"])),
                *(number_cell(row.get(name), percent(row.get(name))) for name in columns),
            ]
            for row in shown
        ],
    )


def _point(
    row: Row, columns: tuple[str, str, str], title: Titles, *, scale: float, digits: int
) -> Spec:
    """Return a point of a line; `columns` are the value and the ends of its interval."""
    value, low, high = (row[name] for name in columns)
    y, bottom, top = scaled_interval(value, low, high, scale)
    bounded = is_number(low) and is_number(high)
    return {
        "series": title(row["encoder"]),
        "level": 100 * row["wer"],
        "wer": percent(row["realised"], 1),
        "x": 100 * row["realised"],
        "y": y,
        "low": bottom,
        "high": top,
        "shown": number(y, digits),
        "interval": number_span(bottom, top, digits) if bounded else "",
    }


def _spec(points: Sequence[Spec], y: str) -> Spec:
    series = unique(point["series"] for point in points)
    spec = line_plot(
        side_by_side(points, series),
        series,
        x="word error rate, %",
        y=y,
        fields=tooltip(series="encoder", wer="WER, %", shown="value", interval="interval"),
    )
    ticks = {"values": sorted({point["level"] for point in points})}
    for layer in spec["layer"]:
        layer["encoding"]["x"] |= {
            "axis": ticks,
            "scale": {**FREE_SCALE, "nice": False, "padding": 12},
        }
    return spec


def side_by_side(points: Sequence[Spec], series: Sequence[str]) -> list[Spec]:
    """Return the points with those of one error rate side by side, so that no interval is hidden.

    The middle of each group is its error rate; groups stay apart.
    """
    rates = sorted({point["level"] for point in points})
    gaps = [right - left for left, right in pairwise(rates)]
    if not gaps:
        return list(points)
    step = min(GROUP_WIDTH * min(gaps) / len(series), MOST_STEP * (rates[-1] - rates[0]))
    middle = (len(series) - 1) / 2
    return [
        point | {"x": point["x"] + step * (series.index(point["series"]) - middle)}
        for point in points
    ]
