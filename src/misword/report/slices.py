"""Where the errors are: a figure for each way to slice the words."""

from __future__ import annotations

from collections.abc import Sequence

from misword.report.charts import ROW, Figure, Spec, amount, chart, colored, hints, nominal
from misword.report.markup import Cell, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, unique
from misword.report.wording import count, is_number, listed, percent, signed

SLICES = {"tag": "part of speech", "frequency": "word frequency", "length": "word length"}
# Slices of fewer words are left out of the chart, whose scale they would spoil, not of the numbers.
LEAST_WORDS, LEAST_SHARE = 20, 0.002
FREE = {"zero": False}


def dumbbell(rows: Sequence[Row], part: str, column: str) -> Figure | None:
    """Each slice's value in every system, joined by a line: `column` is `rate` or `distance`."""
    shown = [row for row in rows if row["slice"] == part and is_number(row.get(column))]
    systems = unique(row["system"] for row in rows)
    sizes = {row["value"]: row["words"] for row in reversed(shown)}
    every = _ordered(shown, part, column, systems)
    least = max(LEAST_WORDS, LEAST_SHARE * sum(sizes.values()))
    slices = [value for value in every if sizes[value] >= least]
    if not slices or len(systems) < 2:
        return None
    labels = {value: f"{value} ({count(sizes[value])})" for value in slices}
    found = {(row["value"], row["system"]): 100 * row[column] for row in shown}
    points = [
        {
            "row": labels[value],
            "series": system,
            "x": found[value, system],
            "shown": f"{found[value, system]:.2f} %",
        }
        for value in slices
        for system in systems
        if (value, system) in found
    ]
    lines = [
        {"row": labels[value], "low": min(inside), "high": max(inside)}
        for value in slices
        if (inside := [found[value, system] for system in systems if (value, system) in found])
    ]
    what = "error rate" if column == "rate" else "mean semantic distance"
    return Figure(
        f"{part}-{column}",
        f"{what.capitalize()} by {SLICES.get(part, part)}",
        _told_slices(found, slices, systems, what, SLICES.get(part, part))
        + (f" {len(every) - len(slices)} rare ones are in the numbers only." * (slices != every)),
        _dumbbell_spec(points, lines, systems, what),
        [SLICES.get(part, part), "words", *systems, "difference"],
        [_slice_row(value, sizes[value], found, systems) for value in every],
    )


def _dumbbell_spec(
    points: Sequence[Spec], lines: Sequence[Spec], systems: Sequence[str], what: str
) -> Spec:
    title = f"{what}, %"
    return chart(
        points,
        height={"step": ROW - 8},
        encoding={"y": nominal("row", axis={"labelLimit": 190, "tickSize": 0})},
        layer=[
            {
                "data": {"values": list(lines)},
                "mark": {"type": "rule", "strokeWidth": 2, "style": "link"},
                "encoding": {"x": amount("low", title=title, scale=FREE), "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 0.9},
                "encoding": {
                    "x": amount("x", title=title, scale=FREE),
                    **colored("series", systems),
                    "tooltip": hints(row="slice (words)", series="system", shown=what),
                },
            },
        ],
    )


def _ordered(shown: Sequence[Row], part: str, column: str, systems: Sequence[str]) -> list[str]:
    """Slices in order: tags by what they gained, others as they come."""
    values = unique(row["value"] for row in shown)
    if part != "tag":
        return values
    last = {row["value"]: row for row in shown if row["system"] == systems[-1]}

    def gain(value: str) -> float:
        found = last.get(value, {}).get(f"{column}_difference")
        return found if is_number(found) else 0.0

    return sorted(values, key=gain)


def _told_slices(
    found: dict[tuple[str, str], float], slices: list[str], systems: list[str], what: str, part: str
) -> str:
    told = []
    for value in slices:
        inside = [f"{found[value, s]:.1f}" for s in systems if (value, s) in found]
        told.append(f"{value} {' / '.join(inside)}")
    return f"{what.capitalize()} in % by {part} for {listed(systems)}: {'; '.join(told)}."


def _slice_row(
    value: str, size: int, found: dict[tuple[str, str], float], systems: list[str]
) -> list[Cell]:
    inside = [found.get((value, system)) for system in systems]
    first, last = inside[0], inside[-1]
    change = last - first if first is not None and last is not None else None
    return [
        words(value),
        cell(size, count(size)),
        *(cell(x, percent(None if x is None else x / 100)) for x in inside),
        cell(change, signed(None if change is None else change / 100, 2)),
    ]
