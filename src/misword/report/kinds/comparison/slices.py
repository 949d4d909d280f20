"""Errors by part of speech, word frequency and word length: a chart for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from misword.core.formatting import count, is_number, listed, percent, signed
from misword.report.article import Article, Section
from misword.report.explorer.links import WORDS, field_is, filter_cell
from misword.report.html.charts import (
    FREE_SCALE,
    MOST_SERIES,
    ROW_HEIGHT,
    ROW_NAMES,
    Figure,
    Spec,
    chart,
    color_and_shape,
    heat_plot,
    nominal,
    quantitative,
    tooltip,
)
from misword.report.html.markup import Cell, Markup, element, number_cell, text_cell
from misword.report.result_access import Row, rows, unique

DIMENSIONS = {"tag": "part of speech", "frequency": "word frequency", "length": "word length"}
MEASURES = {"rate": "error rate", "distance": "mean semantic distance"}
# Slices with fewer words are only in the table: in the chart they would widen the scale.
LEAST_WORDS, LEAST_SHARE = 20, 0.002
# The name of the explorer's filter.
TAG = "error on a word of tag"
# Values in percent, by slice and system.
Values = Mapping[tuple[str, str], float]


def _section(article: Article) -> Markup:
    slices = rows(article.result, "slices")
    figures = [
        article.figure(dumbbell_plot(slices, dimension, measure))
        for dimension in DIMENSIONS
        for measure in MEASURES
    ]
    return element("div", *figures, class_="figures") if any(figures) else Markup()


SLICES = Section("slices", "Words", "Which words", _section)


def dumbbell_plot(slices: Sequence[Row], dimension: str, measure: str) -> Figure | None:
    """Return a plot with a row for each slice; a line joins the points of the systems."""
    shown = [row for row in slices if row["slice"] == dimension and is_number(row.get(measure))]
    systems = unique(row["system"] for row in slices)
    sizes = {row["value"]: row["words"] for row in reversed(shown)}
    all_values = _ordered(shown, dimension, measure, systems)
    least = max(LEAST_WORDS, LEAST_SHARE * sum(sizes.values()))
    drawn = [value for value in all_values if sizes[value] >= least]
    if not drawn or len(systems) < 2:
        return None
    values = {(row["value"], row["system"]): 100 * row[measure] for row in shown}
    names = {value: f"{value} ({count(sizes[value])})" for value in drawn}
    what, by = MEASURES[measure], DIMENSIONS[dimension]
    rare = f" {len(all_values) - len(drawn)} rare ones are in the numbers only."
    return Figure(
        f"{dimension}-{measure}",
        f"{what.capitalize()} by {by}",
        _text(values, drawn, systems, what, by) + (rare if drawn != all_values else ""),
        _spec(values, names, systems, what),
        [by, "words", *systems, "difference"],
        [_cells(value, dimension, sizes[value], values, systems) for value in all_values],
    )


def _points(values: Values, names: Mapping[str, str], systems: Sequence[str]) -> list[Spec]:
    return [
        {
            "row": name,
            "series": system,
            "x": values[value, system],
            "shown": f"{values[value, system]:.2f} %",
        }
        for value, name in names.items()
        for system in systems
        if (value, system) in values
    ]


def _lines(values: Values, names: Mapping[str, str], systems: Sequence[str]) -> list[Spec]:
    """Return for each slice the line from the lowest to the highest value of all systems."""
    of_slices = {
        name: [values[value, system] for system in systems if (value, system) in values]
        for value, name in names.items()
    }
    return [
        {"row": name, "low": min(of_slice), "high": max(of_slice)}
        for name, of_slice in of_slices.items()
        if of_slice
    ]


def _spec(values: Values, names: Mapping[str, str], systems: Sequence[str], what: str) -> Spec:
    """Return the plot of points and lines; cells, if there are too many systems."""
    points, lines = _points(values, names, systems), _lines(values, names, systems)
    title, fields = f"{what}, %", tooltip(row="slice (words)", series="system", shown=what)
    if len(systems) > MOST_SERIES:
        return heat_plot(points, title=title, fields=fields)
    return chart(
        points,
        height={"step": ROW_HEIGHT - 8},
        encoding={"y": nominal("row", axis=ROW_NAMES)},
        layer=[
            {
                "data": {"values": lines},
                "mark": {"type": "rule", "strokeWidth": 2, "style": "link"},
                "encoding": {
                    "x": quantitative("low", title=title, scale=FREE_SCALE),
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 0.9},
                "encoding": {
                    "x": quantitative("x", title=title, scale=FREE_SCALE),
                    **color_and_shape("series", systems),
                    "tooltip": fields,
                },
            },
        ],
    )


def _ordered(
    shown: Sequence[Row], dimension: str, measure: str, systems: Sequence[str]
) -> list[str]:
    """Return the slices in order: tags by the gain of the last system, others as in the table."""
    values = unique(row["value"] for row in shown)
    if dimension != "tag":
        return values
    last = {row["value"]: row for row in shown if row["system"] == systems[-1]}

    def difference(value: str) -> float:
        change = last.get(value, {}).get(f"{measure}_difference")
        return change if is_number(change) else 0.0

    return sorted(values, key=difference)


def _text(values: Values, drawn: list[str], systems: list[str], what: str, by: str) -> str:
    clauses = []
    for value in drawn:
        of_slice = [f"{values[value, s]:.1f}" for s in systems if (value, s) in values]
        clauses.append(f"{value} {' / '.join(of_slice)}")
    return f"{what.capitalize()} in % by {by} for {listed(systems)}: {'; '.join(clauses)}."


def _cells(value: str, dimension: str, size: int, values: Values, systems: list[str]) -> list[Cell]:
    of_slice = [values.get((value, system)) for system in systems]
    first, last = of_slice[0], of_slice[-1]
    change = last - first if first is not None and last is not None else None
    return [
        _value_cell(value, dimension),
        number_cell(size, count(size)),
        *(number_cell(x, percent(None if x is None else x / 100)) for x in of_slice),
        number_cell(change, signed(None if change is None else change / 100, 2)),
    ]


def _value_cell(value: str, dimension: str) -> Cell:
    """Return the name of a slice; a click on a tag shows the utterances with an error on it."""
    if dimension != "tag":
        return text_cell(value)
    return filter_cell(value, field_is(WORDS, TAG, value))
