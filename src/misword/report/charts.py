"""Vega-Lite specifications of charts, as plain dictionaries.

Strings of the user are values of data, names of series or titles. They are never names of fields,
which have a syntax, nor expressions, which Vega evaluates. Colours come from the page's theme
(`charts.js`); every series also has a shape or a position of its own for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from misword.core.formatting import is_number, percent, span
from misword.report.markup import Cell

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
# Height in pixels of a row of a chart with a row per metric, and of one series within a row.
ROW_HEIGHT, SERIES_HEIGHT = 30, 18
# Height in pixels of a row of a plot with many rows, for all its series together, and the size of
# its points.
DENSE_ROW, DENSE_POINT = 40, 45
# Height in pixels of a row of a ranking; of more rows than a few, so that they fit on a screen.
FEW_RANKS, LOW_RANK_HEIGHT = 12, 16
# Height in pixels of a row of a short ranking, and size of a cell of a heat plot.
RANK_HEIGHT, CELL_WIDTH, CELL_HEIGHT = 22, 46, 28
# Cells whose number is beyond this share of the range have white letters.
DARK_RATE, DARK_CHANGE = 0.6, 0.7
# Height in pixels of a line plot.
LINE_PLOT_HEIGHT = 320
# Least width and height in pixels of a panel.
PANEL_WIDTH, PANEL_HEIGHT = 230, 120
# Number of letters that fit into one line of a legend.
LEGEND_LETTERS = 56
# Number of panels in a row; on a narrow screen there are fewer.
COLUMNS = 3
# More series than this are not drawn in one plot: the theme has as many colours.
MOST_SERIES = 6
# Verdicts in the order of the theme's colours: worse is orange, better green, unclear grey.
FIRST_SYSTEM, UNCLEAR, UNTESTED = "the first system", "no difference can be shown", "not tested"
VERDICT_SERIES = ("", "worse", "better", FIRST_SYSTEM, UNCLEAR, UNTESTED)
# The scale of an axis that need not begin at zero.
FREE_SCALE = {"zero": False}


def shortened(letters: int) -> str:
    """Return the expression for a label that loses its middle if it is longer than `letters`.

    Names of systems often differ in their ends. The expression has no text of the user.
    """
    half = (letters - 1) // 2
    ends = f"slice(datum.label, 0, {half}) + '…' + slice(datum.label, -{half})"
    return f"length(datum.label) > {letters} ? {ends} : datum.label"


# The axes of names: of rows, and of columns at an angle.
ROW_NAMES: Spec = {"labelLimit": 210, "tickSize": 0, "labelExpr": shortened(28)}
COLUMN_NAMES: Spec = {
    "labelAngle": -40,
    "orient": "bottom",
    "labelLimit": 140,
    "labelExpr": shortened(20),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: its specification, its content in words, and its numbers as a table.

    `panels` is the least width of a panel, for a chart that consists of several.
    """

    name: str
    title: str
    text: str
    spec: Spec
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    panels: int = PANEL_WIDTH


def chart(values: Sequence[Spec], **parts: Any) -> Spec:
    """Return a specification over rows of data, as wide as the page."""
    return {"$schema": SCHEMA, "width": "container", "data": {"values": list(values)}, **parts}


def nominal(field: str, *, title: str | None = None, **more: Any) -> Spec:
    """Return the encoding of a field of names, in the order of the data."""
    return {"field": field, "type": "nominal", "sort": None, "title": title, **more}


def quantitative(field: str, *, title: str | list[str] | None = None, **more: Any) -> Spec:
    """Return the encoding of a field of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def small_multiples(values: Sequence[Spec], height: int, mark: Spec, encoding: Spec) -> Spec:
    """Return a small chart for each `panel`, some in a row, each with its own axes."""
    inner = {"mark": mark, "encoding": encoding}
    own_axes = {"resolve": {"scale": {"x": "independent", "y": "independent"}}}
    return panels(values, height, inner) | own_axes


def panels(values: Sequence[Spec], height: int, inner: Spec) -> Spec:
    """Return the chart `inner` for each `panel`, some in a row, with the same axes.

    Panels are in the order of the field `order`; Vega-Lite would sort them by name.
    """
    facet = {
        "field": "panel",
        "type": "nominal",
        "title": None,
        "sort": {"field": "order", "op": "min"},
        "header": {"labelLimit": 280},
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": list(values)},
        "facet": facet,
        "columns": COLUMNS,
        "spec": {"width": 240, "height": height, **inner},
    }


def color_and_shape(field: str, series: Sequence[str]) -> Spec:
    """Return encodings that give each series a colour and a shape, with one legend for both."""
    encoding = nominal(field, scale={"domain": list(series)}, legend=legend(series))
    return {"color": encoding, "shape": encoding}


def verdict_colors(field: str, present: Sequence[str]) -> Spec:
    """Return a colour and a shape for each verdict, the same in all charts."""
    shown = [name for name in VERDICT_SERIES if name in present]
    entries = legend(shown)
    encoding = nominal(
        field,
        scale={"domain": list(VERDICT_SERIES)},
        legend=None if entries is None else {**entries, "values": shown},
    )
    return {"color": encoding, "shape": encoding}


def legend(series: Sequence[str]) -> Spec | None:
    """Return a legend above the chart, in as many columns as fit; None for a single series."""
    if len(series) < 2:
        return None
    longest = max(len(name) for name in series)
    columns = max(1, LEGEND_LETTERS // (longest + 4))
    return {"orient": "top", "title": None, "columns": columns, "labelExpr": shortened(36)}


def tooltip(**titles: str) -> list[Spec]:
    """Return the fields that a tooltip shows, with their titles."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def scaled_interval(
    value: float, low: float | None, high: float | None, scale: float = 100
) -> tuple[float, float, float]:
    """Return a value and its interval times `scale`; a missing end of the interval is the value.

    >>> scaled_interval(0.5, 0.25, None)
    (50.0, 25.0, 50.0)
    """
    low = low if is_number(low) else value
    high = high if is_number(high) else value
    return scale * value, scale * low, scale * high


def rate_point(
    row: str, series: str, rate: float, low: float | None, high: float | None, digits: int = 2
) -> Spec:
    """Return the point of a rate in an interval plot, with the rate and its interval as text."""
    x, start, end = scaled_interval(rate, low, high)
    return {
        "row": row,
        "series": series,
        "x": x,
        "low": start,
        "high": end,
        "shown": f"{percent(rate, digits)} %",
        "interval": span(low, high, digits),
    }


def _reference_line(value: float) -> Spec:
    """Return a dashed line across the chart, for no difference or for chance."""
    return {
        "mark": {"type": "rule", "strokeDash": [3, 3], "style": "zero"},
        "encoding": {"x": {"datum": value}},
        "data": {"values": [{}]},
    }


def interval_plot(
    values: Sequence[Spec],
    series: Sequence[str],
    *,
    title: str | list[str],
    line: float | None = None,
    fields: Sequence[Spec] = (),
    hollow: bool = False,
    ranked: bool = False,
    dense: bool = False,
) -> Spec:
    """Return a plot with a row per `row`, and in it a point with an interval per `series`.

    A point is at `x`, its interval reaches from `low` to `high`. `line` is the position of a dashed
    line, `fields` are those of the tooltip. With `hollow`, points whose `sure` is false are not
    filled. If the plot is `ranked`, each row has one point, and the series are verdicts or other
    groups of rows. A `dense` plot has low rows, and an axis at the top and at the bottom. Points of
    too many series are drawn as a heat plot.
    """
    if len(series) > MOST_SERIES:
        return heat_plot(values, title=title, diverging=line == 0, fields=fields)
    row: Spec = {"y": nominal("row", axis=ROW_NAMES)}
    if len(series) > 1 and not ranked:
        row["yOffset"] = nominal("series", scale={"domain": list(series), "paddingOuter": 0.6})
    verdicts = ranked and set(series) <= set(VERDICT_SERIES)
    colors = verdict_colors("series", series) if verdicts else color_and_shape("series", series)
    point: Spec = {**row, "x": quantitative("x", title=title, scale=FREE_SCALE), **colors}
    if hollow:
        point["fillOpacity"] = {"condition": {"test": "datum.sure", "value": 1}, "value": 0}
        point["stroke"] = colors["color"]
    if fields:
        point["tooltip"] = list(fields)
    interval = {
        "x": quantitative("low", title=title),
        "x2": {"field": "high"},
        "color": colors["color"],
    }
    layers = [
        *([_reference_line(line)] if line is not None else []),
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**row, **interval}},
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1}, "encoding": point},
    ]
    step: float = SERIES_HEIGHT if len(series) > 1 else ROW_HEIGHT
    if ranked:
        step = LOW_RANK_HEIGHT if len(values) > FEW_RANKS else RANK_HEIGHT
    if not dense:
        return chart(values, height={"step": step}, layer=layers)
    if len(series) > 1:
        scale = row["yOffset"]["scale"]
        steps = (len(series) + 2 * scale["paddingOuter"]) / (1 - ROW_SPACE)
        step = min(step, round(DENSE_ROW / steps, 2))
    layers[-1]["mark"]["size"] = DENSE_POINT
    point["x"] = quantitative("x", scale=FREE_SCALE, axis={"orient": "top", "grid": False})
    both = {"axis": {"x": "independent"}}
    return chart(values, height={"step": step}, layer=layers, resolve=both)


def heat_plot(
    values: Sequence[Spec],
    *,
    title: str | list[str],
    diverging: bool = False,
    fields: Sequence[Spec] = (),
) -> Spec:
    """Return a plot with a cell per `row` and `series`, which shows the number `x`.

    The darker a cell, the greater the number; if the plot is `diverging`, numbers below zero are
    blue and numbers above zero orange. Numbers whose `sure` is false are in brackets.
    """
    numbers = [value["x"] for value in values]
    low, high = min(numbers, default=0), max(numbers, default=0)
    reach = max(-low, high)
    middle, half = (0, reach) if diverging else (low, high - low)
    dark = DARK_CHANGE if diverging else DARK_RATE
    cells = [
        {
            **value,
            "bright": half > 0 and abs(value["x"] - middle) / half > dark,
            "label": _cell_label(value, diverging),
        }
        for value in values
    ]
    scale: Spec = {"scheme": "blues", "domain": [low, high]}
    if diverging:
        scale = {"scheme": "blueorange", "domain": [-reach, reach]}
    heading = title if isinstance(title, str) else title[0]
    gradient = {"title": heading, "titleLimit": 320, "orient": "top", "gradientLength": 160}
    letters = {"condition": {"test": "datum.bright", "value": "#ffffff"}, "value": "#000000"}
    color = {"color": quantitative("x", scale=scale, legend=gradient), "tooltip": list(fields)}
    text = {"text": nominal("label"), "color": letters}
    return chart(
        cells,
        width={"step": CELL_WIDTH},
        height={"step": CELL_HEIGHT},
        encoding={
            "x": nominal("series", axis=COLUMN_NAMES),
            "y": nominal("row", axis=ROW_NAMES),
        },
        layer=[
            {"mark": {"type": "rect"}, "encoding": color},
            {"mark": {"type": "text", "fontSize": 11}, "encoding": text},
        ],
    )


def _cell_label(value: Spec, diverging: bool) -> str:
    digits = 1 if abs(value["x"]) < 100 else 0
    shown = f"{value['x']:{'+' if diverging else ''}.{digits}f}"
    return shown if value.get("sure", True) else f"({shown})"


def intervals_in_title(share: str, series: Sequence[str], *, tested: bool = False) -> str:
    """Return the end of the title of an interval plot; a heat plot has no intervals."""
    if len(series) <= MOST_SERIES:
        return f" with {share} intervals"
    return " (in brackets: no difference can be shown)" if tested else ""


def unsure_note(series: Sequence[str]) -> str:
    """Return the sentence on how a plot marks differences that are not distinguishable from 0."""
    shown = "Hollow points" if len(series) <= MOST_SERIES else "Numbers in brackets"
    return f"{shown} are not distinguishable from no change."


def line_plot(
    values: Sequence[Spec],
    series: Sequence[str],
    *,
    x: str,
    y: str,
    fields: Sequence[Spec] = (),
    log_ticks: Sequence[float] = (),
) -> Spec:
    """Return a plot with a line per `series` through points with vertical intervals.

    A point is at `x` and `y`, its interval reaches from `low` to `high`. The arguments `x` and `y`
    are the titles of the axes, `fields` are those of the tooltip. With `log_ticks`, the horizontal
    axis is logarithmic and has these ticks. Too many series are drawn in a panel each.
    """
    many = len(series) > MOST_SERIES
    colors = {} if many else color_and_shape("series", series)
    across = {"x": quantitative("x", title=x)}
    if log_ticks:
        logarithmic = {"type": "log", "nice": False, "padding": 24}
        across["x"] |= {"scale": logarithmic, "axis": {"values": list(log_ticks)}}
    height = {"y": quantitative("y", title=y, scale=FREE_SCALE)}
    interval = {"y": quantitative("low", title=y, scale=FREE_SCALE), "y2": {"field": "high"}}
    point = {**across, **height, **colors, "tooltip": list(fields)}
    color = {name: encoding for name, encoding in colors.items() if name == "color"}
    layers = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {**across, **height, **color}},
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**across, **interval, **color}},
        {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": point},
    ]
    if many:
        placed = [
            {**value, "panel": value["series"], "order": series.index(value["series"])}
            for value in values
        ]
        return panels(placed, PANEL_HEIGHT, {"layer": layers})
    return chart(values, height=LINE_PLOT_HEIGHT, layer=layers)


# The height that a chart needs, so that the page keeps its place before the chart is drawn.
#
# Vega computes the exact height only when it draws. The numbers below are those that its axes,
# legends and panels have with the fonts of the page; a test compares both. A chart that is lower
# than its place leaves a few pixels free; one that is higher would move the text below it.

# Heights in pixels: labels and title of an axis, a line of a title, a line of a legend and the
# space below it, a legend that is a gradient, the heading of a panel.
AXIS, TITLE_LINE, LEGEND_LINE, LEGEND_SPACE, GRADIENT, PANEL_HEAD = 50, 15, 18.5, 14, 54, 36
# Of labels at an angle: pixels of a letter, the longest label, the share that is vertical, and the
# space around them.
LETTER, LONGEST_LABEL, SLANT, LABEL_SPACE = 7.0, 140, 0.65, 24
# Height of a plot whose specification does not say it.
GUESS = 200
# Vega-Lite's space between rows that have several series, as a share of a row.
ROW_SPACE = 0.2


def reserved_height(spec: Spec) -> int:
    """Return the height of a chart in pixels, or a little more; a guess for other shapes."""
    if "facet" in spec:
        panels = len(_distinct(spec, spec["facet"].get("field", "")))
        return ceil(_legend(spec)) + panel_height(spec) * ceil(panels / COLUMNS)
    return ceil(_plot(spec) + _axis(spec) + _legend(spec))


def panel_height(spec: Spec) -> int:
    """Return the height in pixels of a row of panels, with heading and axis; 0 without panels."""
    if "facet" not in spec:
        return 0
    titled = next(_found(spec, "x"), {}).get("title") is not None
    return int(spec["spec"]["height"] + AXIS + PANEL_HEAD) - (0 if titled else TITLE_LINE)


def _plot(spec: Spec) -> float:
    """Return the height of the plot itself: a number, or a step for each row."""
    height = spec.get("height", GUESS)
    if not isinstance(height, dict):
        return float(height)
    rows = len(_distinct(spec, next(_found(spec, "y"), {}).get("field", "")))
    offset = next(_found(spec, "yOffset"), None)
    if offset is None:
        return float(height["step"] * rows)
    scale = offset["scale"]
    series = len(scale["domain"]) + 2 * scale["paddingOuter"]
    row = height["step"] * series / (1 - ROW_SPACE)
    return float(row * (rows + ROW_SPACE))


def _axis(spec: Spec) -> float:
    """Return the height of the labels and the title of the horizontal axis."""
    across = next((encoding for encoding in _found(spec, "x") if "field" in encoding), {})
    title = across.get("title")
    lines = len(title) if isinstance(title, list) else 1
    if not (across.get("axis") or {}).get("labelAngle"):
        twice = any((one.get("axis") or {}).get("orient") == "top" for one in _found(spec, "x"))
        return (2 * AXIS if twice else AXIS) + TITLE_LINE * (lines - 1)
    names = _distinct(spec, across["field"])
    longest = max((len(str(name)) for name in names), default=0)
    return SLANT * min(LONGEST_LABEL, LETTER * longest) + LABEL_SPACE


def _legend(spec: Spec) -> float:
    """Return the height of the legend above the chart."""
    for encoding in (*_found(spec, "color"), {}):
        legend = encoding.get("legend") if isinstance(encoding, dict) else None
        if not isinstance(legend, dict):
            continue
        if encoding.get("type") == "quantitative":
            title = legend.get("title")
            return GRADIENT + TITLE_LINE * (len(title) if isinstance(title, list) else 1)
        domain = (encoding.get("scale") or {}).get("domain")
        names = legend.get("values") or domain or _distinct(spec, encoding.get("field", ""))
        longest = max((len(str(name)) for name in names), default=1)
        columns = legend.get("columns") or max(1, LEGEND_LETTERS // max(longest, 1))
        return LEGEND_LINE * ceil(len(names) / columns) + LEGEND_SPACE
    return 0.0


def _distinct(spec: Spec, field: str) -> set[Any]:
    """Return the values of a field in the data of the chart."""
    values = spec.get("data", {}).get("values", ())
    return {value[field] for value in values if field in value}


def _found(spec: Any, key: str) -> Iterator[Spec]:
    """Yield the values of a key in a specification and its layers, without the data."""
    if isinstance(spec, list):
        for inner in spec:
            yield from _found(inner, key)
    elif isinstance(spec, dict):
        if isinstance(spec.get(key), dict):
            yield spec[key]
        for name, inner in spec.items():
            if name not in ("values", key):
                yield from _found(inner, key)
