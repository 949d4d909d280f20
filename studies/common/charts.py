"""Charts of the pages: lines, and groups of bars, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from studies.common import svg
from studies.common.markdown import page
from studies.common.svg import BOTTOM, HEIGHT, LEFT, RIGHT, Axis


class Point(NamedTuple):
    """A point of a series; `low` and `high` are the ends of its interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


class Bar(NamedTuple):
    """A bar; `low` and `high` are the ends of its interval."""

    value: float
    low: float | None = None
    high: float | None = None


def line_chart(
    title: str,
    labels: tuple[str, str],
    series: Mapping[str, Sequence[Point]],
    y_range: tuple[float, float],
    *,
    log: bool = False,
) -> str:
    """Return a chart of points joined by lines; `log` makes the horizontal axis logarithmic.

    >>> chart = line_chart("t", ("x", "y"), {"a": [Point(0, 1), Point(1, 0)]}, (0, 1))
    >>> chart.count("<polyline"), chart.count('class="f0"')
    (1, 3)
    """
    names, top = svg.legend(list(series))
    xs = [point.x for points in series.values() for point in points]
    x_axis = Axis(min(xs), max(xs), LEFT + 12, RIGHT - 8, log)
    y_axis = Axis(*y_range, BOTTOM, top)
    drawn = [
        _series(number, points, x_axis, y_axis) for number, points in enumerate(series.values())
    ]
    ticks = [
        svg.text(x_axis.place(value), BOTTOM + 18, svg.shown(value), "middle")
        for value in x_axis.ticks()
    ]
    return svg.document(
        title,
        names,
        svg.horizontal_grid(y_axis, labels[1]),
        svg.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM),
        *ticks,
        svg.text((LEFT + RIGHT) / 2, HEIGHT - 16, labels[0], "middle"),
        *drawn,
    )


def _series(number: int, points: Sequence[Point], x_axis: Axis, y_axis: Axis) -> str:
    """Return the line, the intervals and the marks of a series."""
    places = [(x_axis.place(point.x), y_axis.place(point.y)) for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline class="line {svg.colour("s", number)}" points="{path}"/>']
    for point, (x, y) in zip(points, places, strict=True):
        if point.low is not None and point.high is not None:
            parts.append(svg.whisker(x, y_axis.place(point.low), y_axis.place(point.high)))
        parts.append(svg.mark(number, x, y))
    return "".join(parts)


def bar_chart(
    title: str,
    label: str,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Bar | None]],
    y_range: tuple[float, float],
) -> str:
    """Return groups of bars, one bar of each series in each group; None leaves a gap.

    >>> bars = {"a": [Bar(1), Bar(2)], "b": [None, Bar(3, 2, 4)]}
    >>> bar_chart("t", "y", ["first", "second"], bars, (0, 4)).count("<rect class=")
    4
    """
    names, top = svg.legend(list(series))
    axis = Axis(*y_range, BOTTOM, top)
    width = (RIGHT - LEFT) / len(groups)
    bar_width = min(0.8 * width / len(series), 46)
    drawn = []
    for place, group in enumerate(groups):
        middle = LEFT + (place + 0.5) * width
        lines = _wrapped(group, int(width / svg.LETTER))
        drawn += [
            svg.text(middle, BOTTOM + 18 + 15 * row, part, "middle")
            for row, part in enumerate(lines)
        ]
        for number, bars in enumerate(series.values()):
            left = middle + (number - len(series) / 2) * bar_width
            drawn.append(_bar(number, bars[place], axis, left, bar_width))
    zero = axis.place(max(0.0, axis.low))
    return svg.document(
        title,
        names,
        svg.horizontal_grid(axis, label),
        *drawn,
        svg.line("axis", LEFT, zero, RIGHT, zero),
    )


def _bar(number: int, bar: Bar | None, axis: Axis, left: float, width: float) -> str:
    """Return a bar from zero, with its interval."""
    if bar is None:
        return ""
    ends = sorted((axis.place(bar.value), axis.place(max(0.0, axis.low))))
    rectangle = (
        f'<rect class="{svg.colour("f", number)}" x="{left + 1:.1f}" y="{ends[0]:.1f}" '
        f'width="{width - 2:.1f}" height="{ends[1] - ends[0]:.1f}"/>'
    )
    if bar.low is None or bar.high is None:
        return rectangle
    return rectangle + svg.whisker(left + width / 2, axis.place(bar.low), axis.place(bar.high))


def _wrapped(name: str, letters: int) -> list[str]:
    """Return the lines of a name that has so many letters in a line.

    >>> _wrapped("proper nouns", 8)
    ['proper', 'nouns']
    """
    lines = [""]
    for word in name.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def figure(name: str, alternative: str, numbers: str = "") -> str:
    """Return the Markdown of a chart, and its numbers, folded.

    >>> print(figure("a.svg", "similarity"))
    ![similarity](figures/a.svg)
    """
    folded = f"<details><summary>The numbers of the chart</summary>\n\n{numbers}\n\n</details>"
    image = f"![{alternative}](figures/{name})"
    return page(image, folded if numbers else "").strip()
