"""What charts have in common: pieces of Vega-Lite specifications, as plain dictionaries.

Users' strings are values of data, names of series or titles; never field names, which have a
syntax, nor expressions, which Vega evaluates. Colours come from the page's theme (`charts.js`);
every series also has a shape or a place of its own, for eyes that do not see the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from misword.report.markup import Cell

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
# Height of one row of a chart with a row per metric, in pixels; of a series within a row.
ROW, SERIES = 30, 18
# Height of a chart of lines.
CURVES = 320
# Letters that fit into a line of a legend.
LEGEND_WIDTH = 56

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: its specification, what it shows in words, and its numbers as a table.

    `panels` is the least width of a panel for charts that are made of several.
    """

    name: str
    title: str
    text: str
    spec: Spec
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    panels: int = 0


def chart(values: Sequence[Spec], **parts: Any) -> Spec:
    """A specification over rows of data, as wide as its place."""
    return {"$schema": SCHEMA, "width": "container", "data": {"values": list(values)}, **parts}


def nominal(field: str, *, title: str | None = None, **more: Any) -> Spec:
    """Names, in the order of the data."""
    return {"field": field, "type": "nominal", "sort": None, "title": title, **more}


def amount(field: str, *, title: str | list[str] | None = None, **more: Any) -> Spec:
    """Numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def small(values: Sequence[Spec], height: int, mark: Spec, encoding: Spec) -> Spec:
    """A small chart for each `panel`, three in a row, each with axes of its own."""
    return {
        "$schema": SCHEMA,
        "data": {"values": list(values)},
        "facet": panels("panel"),
        "columns": 3,
        "spec": {"width": 240, "height": height, "mark": mark, "encoding": encoding},
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }


def panels(field: str) -> Spec:
    """A panel for each name, in the order of the field `order`: panels are sorted otherwise."""
    return {
        "field": field,
        "type": "nominal",
        "title": None,
        "sort": {"field": "order", "op": "min"},
        "header": {"labelLimit": 280},
    }


def colored(field: str, series: Sequence[str]) -> Spec:
    """A colour and a shape for each series, with one legend for both, if there is more than one."""
    legend = legend_of(series)
    scale = {"domain": list(series)}
    return {
        "color": nominal(field, scale=scale, legend=legend),
        "shape": nominal(field, scale=scale, legend=legend),
    }


def legend_of(series: Sequence[str]) -> Spec | None:
    """A legend above the chart, in as many columns as fit; none for one series alone."""
    if len(series) < 2:
        return None
    longest = max(len(name) for name in series)
    return {"orient": "top", "title": None, "columns": max(1, LEGEND_WIDTH // (longest + 4))}


def hints(**titles: str) -> list[Spec]:
    """What a pointer over a mark is told: fields and their titles."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def line_at(value: float) -> Spec:
    """A line across the chart that stands for no difference, or for chance."""
    return {
        "mark": {"type": "rule", "strokeDash": [3, 3], "style": "zero"},
        "encoding": {"x": {"datum": value}},
        "data": {"values": [{}]},
    }


def intervals(
    values: Sequence[Spec],
    series: Sequence[str],
    *,
    title: str | list[str],
    line: float | None = None,
    tooltip: Sequence[Spec] = (),
    hollow: bool = False,
) -> Spec:
    """A row per `row`, in it a point at `x` with an interval from `low` to `high` per `series`.

    With `hollow`, points whose `sure` is false are not filled.
    """
    rows: Spec = {"y": nominal("row", axis={"labelLimit": 190, "tickSize": 0})}
    if len(series) > 1:
        rows["yOffset"] = nominal("series", scale={"domain": list(series), "paddingOuter": 0.6})
    looks = colored("series", series)
    point: Spec = {**rows, "x": amount("x", title=title, scale={"zero": False}), **looks}
    if hollow:
        point["fillOpacity"] = {"condition": {"test": "datum.sure", "value": 1}, "value": 0}
        point["stroke"] = looks["color"]
    if tooltip:
        point["tooltip"] = list(tooltip)
    reach = {"x": amount("low", title=title), "x2": {"field": "high"}, "color": looks["color"]}
    layers = [
        *([line_at(line)] if line is not None else []),
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**rows, **reach}},
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 1}, "encoding": point},
    ]
    step = SERIES if len(series) > 1 else ROW
    return chart(values, height={"step": step}, layer=layers)


def curves(
    values: Sequence[Spec],
    series: Sequence[str],
    *,
    x: str,
    y: str,
    tooltip: Sequence[Spec] = (),
) -> Spec:
    """A line per `series` through points at `x` and `y`, each with an interval upright."""
    looks = colored("series", series)
    across = {"x": amount("x", title=x)}
    free = {"zero": False}
    height = {"y": amount("y", title=y, scale=free)}
    reach = {"y": amount("low", title=y, scale=free), "y2": {"field": "high"}}
    point = {**across, **height, **looks, "tooltip": list(tooltip)}
    color = {"color": looks["color"]}
    layers = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {**across, **height, **color}},
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**across, **reach, **color}},
        {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": point},
    ]
    return chart(values, height=CURVES, layer=layers)
