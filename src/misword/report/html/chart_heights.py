"""The height that a chart needs, so that the page keeps its place before the chart is drawn.

Vega computes the exact height only when it draws. The numbers below are those that its axes,
legends and panels have with the fonts of the page; a test compares both. A chart that is lower than
its place leaves a few pixels free; one that is higher would move the text below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from misword.report.html.charts import COLUMNS, LEGEND_LETTERS, Spec

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
        return AXIS + TITLE_LINE * (lines - 1)
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
