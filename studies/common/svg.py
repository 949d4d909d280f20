"""The frame of a chart in SVG: axes, grid, legend, colours for light and dark pages.

A forge shows an SVG file of a page as an image: it has no script and does not see the theme of the
page. So the chart has a background of its own, and colours by the preference of the reader's
system. Each series also has a shape, for readers who cannot tell the colours apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, BOTTOM = 62, 620, 342
LEGEND_TOP, LEGEND_LINE = 44, 20
LETTER = 7.2  # width of a letter of the legend
# Okabe and Ito's colours for colour-blind readers: on a light page, on a dark page.
COLOURS = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff9d5c"),
    ("#009e73", "#33d1a4"),
    ("#aa4499", "#e39ac9"),
    ("#8a6d00", "#f0e442"),
    ("#3f51b5", "#a4b0ff"),
    ("#6b6b6b", "#c7c7c7"),
    ("#b00020", "#ff8a97"),
)
# Shapes of the marks, around the point 0,0.
SHAPES = (
    "M-4,0A4,4 0 1 0 4,0A4,4 0 1 0 -4,0Z",
    "M-3.6,-3.6H3.6V3.6H-3.6Z",
    "M0,-4.6L4.4,3.4H-4.4Z",
    "M0,-5L5,0L0,5L-5,0Z",
    "M0,4.6L4.4,-3.4H-4.4Z",
    "M-4.2,-1.4H-1.4V-4.2H1.4V-1.4H4.2V1.4H1.4V4.2H-1.4V1.4H-4.2Z",
    "M-5,-2.5H5V2.5H-5Z",
    "M-2.5,-5H2.5V5H-2.5Z",
)


def _style() -> str:
    """Return the style sheet: colours of a light page, then those of a dark one."""

    def rules(background: str, ink: str, grid: str, which: int) -> str:
        series = "".join(
            f".s{number}{{stroke:{both[which]}}}.f{number}{{fill:{both[which]}}}"
            for number, both in enumerate(COLOURS)
        )
        return (
            f".back{{fill:{background}}}text{{fill:{ink}}}.grid{{stroke:{grid}}}"
            f".axis,.whisker{{stroke:{ink}}}{series}"
        )

    light, dark = (
        rules("#ffffff", "#1f2328", "#d8dee4", 0),
        rules("#161b22", "#e6edf3", "#3d444d", 1),
    )
    return (
        "text{font:13px system-ui,sans-serif}.title{font-weight:600;font-size:14px}"
        ".line{fill:none;stroke-width:1.8}.whisker{stroke-width:1.2}"
        f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
    )


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from values to pixels; logarithmic if `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return the pixel of a value.

        >>> Axis(0, 10, 100, 200).place(5), Axis(1, 100, 0, 200, log=True).place(10)
        (150.0, 100.0)
        """
        low, high, value = (
            (log10(self.low), log10(self.high), log10(value))
            if self.log
            else (self.low, self.high, value)
        )
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the values that are marked: round numbers, or powers of ten.

        >>> Axis(0, 0.5, 0, 1).ticks(), Axis(1, 1000, 0, 1, log=True).ticks()
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [1.0, 10.0, 100.0, 1000.0])
        """
        if self.log:
            powers = range(ceil(log10(self.low)), floor(log10(self.high)) + 1)
            return [10.0**power for power in powers]
        rough = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def mark(series: int, x: float, y: float) -> str:
    """Return the mark of a series at a point."""
    shape = SHAPES[series % len(SHAPES)]
    return (
        f'<path class="{colour("f", series)}" transform="translate({x:.1f},{y:.1f})" d="{shape}"/>'
    )


def colour(kind: str, series: int) -> str:
    """Return the class of a series: kind `f` colours areas, kind `s` lines."""
    return f"{kind}{series % len(COLOURS)}"


def text(x: float, y: float, content: str, anchor: str = "start", **attributes: str) -> str:
    """Return a text; `class_` is the attribute `class`."""
    more = "".join(f' {name.rstrip("_")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(content)}</text>'


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a line of a class."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def whisker(x: float, low: float, high: float) -> str:
    """Return the mark of an interval: a vertical line with short ends."""
    ends = [line("whisker", x - 3, y, x + 3, y) for y in (low, high)]
    return "".join([line("whisker", x, low, x, high), *ends])


def legend(names: Sequence[str]) -> tuple[str, float]:
    """Return the legend, in as many lines as it needs, and the top of the plot below it."""
    parts, x, y = [], float(LEFT), LEGEND_TOP
    for number, name in enumerate(names):
        width = 30 + LETTER * len(name)
        if x + width > RIGHT and x > LEFT:
            x, y = float(LEFT), y + LEGEND_LINE
        parts += [mark(number, x + 5, y - 4), text(x + 14, y, name)]
        x += width
    return "".join(parts), y + 16.0


def horizontal_grid(axis: Axis, label: str) -> str:
    """Return the lines and numbers of a vertical axis."""
    parts = []
    for value in axis.ticks():
        y = axis.place(value)
        parts += [line("grid", LEFT, y, RIGHT, y), text(LEFT - 8, y + 4, shown(value), "end")]
    middle = (axis.start + axis.end) / 2
    return "".join([
        *parts,
        text(16, middle, label, "middle", transform=f"rotate(-90 16 {middle:.1f})"),
    ])  # fmt: skip


def shown(value: float) -> str:
    """Return a number of an axis.

    >>> shown(0.30000000000000004), shown(10000.0), shown(1e7)
    ('0.3', '10,000', '10 M')
    """
    if abs(value) >= 1_000_000:
        return f"{value / 1_000_000:g} M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def document(title: str, *parts: str) -> str:
    """Return the whole chart."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(title, quote=True)}">',
        f"<style>{_style()}</style>",
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        text(LEFT, 22, title, class_="title"),
        *parts,
        "</svg>\n",
    ])  # fmt: skip
