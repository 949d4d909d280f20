"""The page of a benchmark: ranks, the heat table, test sets, cost beside quality, history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from misword.core.formatting import (
    counted,
    is_number,
    p_in_sentence,
    percent,
    probability,
    signed,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    MOST_SERIES,
    Figure,
    Spec,
    chart,
    color_and_shape,
    interval_plot,
    line_plot,
    quantitative,
    rate_point,
    scaled_interval,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.kinds.scores import explanation
from misword.report.markup import (
    Markup,
    Tile,
    element,
    folded,
    joined,
    paragraph,
    tiles,
    without_direction_marks,
)
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.benchmark import (
    advice_table,
    average_of,
    averages_table,
    cells_table,
    changes_table,
    costs_table,
    entities_table,
    gate_table,
    groups_table,
    history_table,
    pairs_table,
    rank_text,
    ranked_rows,
    run_text,
    sets_table,
)
from misword.stat.descriptions.result_access import (
    Row,
    confidence,
    lead_metric,
    metrics,
    rows,
    titles,
    unique,
)

# A rank chart shows this many systems, a chart of the history this many, and points of a chart of
# costs have names if there are at most this many.
RANKED, IN_HISTORY, NAMED_POINTS = 40, 12, 12
# Cells are shaded by how much higher their rate is than the lowest of their row.
SHADES = (0.05, 0.15, 0.3, 0.6, 1.0)
# Tables of more systems show their intervals when the reader asks for them.
WIDE = 8
FIRST, BEHIND = "rank 1", "behind"
FRONTS = {"yes": "on the front", "unclear": "unclear", "no": "beaten"}


def _lead(result: Result) -> str:
    return lead_metric(metrics(result))


def _name(result: Result) -> str:
    return titles(result)(_lead(result))


# The first screen.


def benchmark_tiles(result: Result) -> list[Tile]:
    """Return the best average, the runner-up, missing cells, and what the history says."""
    ranked, average = ranked_rows(result), average_of(result)
    shown = []
    if ranked:
        shown.append(_tile(f"lowest {average} average", ranked[0], average, ""))
    if len(ranked) > 1:
        best, second = ranked[:2]
        p = _pair_p(result, best["system"], second["system"])
        change = f"{signed(second[average] / best[average] - 1, 1)} %" if best[average] else ""
        told = "" if p is None else f", {p_in_sentence(p)}"
        shown.append(_tile("runner-up", second, average, f"{change} to the best{told}"))
    missing = result.provenance.get("missing_cells") or 0
    if missing:
        total = len(result.provenance.get("systems", ())) * len(result.provenance.get("sets", ()))
        shown.append(Tile("missing cells", str(missing), f"of {total:,}", "untested"))
    if gate := rows(result, "gate"):
        failed = [row for row in gate if row["outcome"] == "failed"]
        value = f"{len(failed)} of {len(gate)} failed"
        shown.append(Tile("against the best of the last runs", value, "gate",
                          "worse" if failed else "better"))  # fmt: skip
    if found := rows(result, "changes"):
        shown.append(Tile("changes in the history", str(len(found)), run_text(found[-1])))
    return shown


def _tile(name: str, row: Row, average: str, change: str) -> Tile:
    interval = span(row[f"{average}_low"], row[f"{average}_high"])
    return Tile(f"{name}: {row['system']}", f"{percent(row[average])} %", change, None, interval)


def _pair_p(result: Result, one: str, other: str) -> float | None:
    """Return the corrected p-value of two systems on the average by the lead metric."""
    for row in rows(result, "pairs"):
        if row["set"] is None and {row["system"], row["other"]} == {one, other}:
            return row["p_holm"] if is_number(row["p_holm"]) else None
    return None


def rank_chart(result: Result) -> Figure | None:
    """Return the averages of all systems with intervals, the lowest first."""
    ranked, average = ranked_rows(result), average_of(result)
    if len(ranked) < 2:
        return None
    drawn, name = ranked[:RANKED], f"{average} average {_name(result)}"
    points = [
        rate_point(
            f"{rank_text(row)}  {row['system']}",
            FIRST if row["rank"] == 1 else BEHIND,
            row[average],
            row[f"{average}_low"],
            row[f"{average}_high"],
        )
        for row in drawn
    ]
    cut = f" (the {RANKED} lowest)" if len(ranked) > RANKED else ""
    text = "; ".join(f"{point['row']} {point['shown']} ({point['interval']})" for point in points)
    return Figure(
        "ranks",
        f"{name} of {counted(len(ranked), 'system')} with {confidence(result)} intervals{cut}",
        f"{name}: {text}. Before each name: its rank, or the ranks that the tests leave possible.",
        interval_plot(
            points,
            unique(point["series"] for point in points),
            title=[f"{name}, %", "further left: fewer errors"],
            fields=tooltip(row="rank, system", shown=name, interval="interval, %"),
            ranked=True,
        ),
        *page_cells(None, replace(averages_table(result), rows=drawn)),
    )


# The heat table.


def heat_table(result: Result) -> Markup:
    """Return the matrix of the lead metric: a row for each set, a column for each system."""
    lead, average = _lead(result), average_of(result)
    own = [row for row in rows(result, "averages") if row["metric"] == lead]
    systems = [row["system"] for row in own]
    cells = {(r["set"], r["system"]): r for r in rows(result, "cells") if r["metric"] == lead}
    if not systems or not cells:
        return Markup()
    head = [element("th", "test set", scope="col")]
    head += [
        element("th", element("span", element("bdi", name), title=name), scope="col")
        for name in systems
    ]
    averaged = [
        {**row, "rate": row[average], "low": row[f"{average}_low"], "high": row[f"{average}_high"]}
        for row in own
    ]
    lines = [_heat_row(f"{average} average", averaged, "average")]
    for name in unique(place for place, _ in cells):
        found = [cells.get((name, system), {}) for system in systems]
        lines.append(_heat_row(str(name), found))
    kind = "heat wide-matrix" if len(systems) > WIDE else "heat"
    whole = element(
        "table", element("thead", element("tr", *head)), element("tbody", *lines), class_=kind
    )
    label = f"{_name(result)} by test set and system, %"
    note = (
        f"{label}. Underlined: rank 1 on the set, alone or shared. The darker a cell, the higher "
        "its rate above the lowest of the row. A cell shows its interval and rank when pointed at."
    )
    scroll = element("div", whole, class_="scroll matrix", tabindex="0", role="region",
                     aria_label=label)  # fmt: skip
    return joined([paragraph(without_direction_marks(note), "note"), scroll])


def _heat_row(name: str, cells: Sequence[Mapping[str, Any]], kind: str | None = None) -> Markup:
    """Return a row: the name, and a shaded cell for each system."""
    known = [cell["rate"] for cell in cells if is_number(cell.get("rate"))]
    lowest = min(known, default=0.0)
    heading = element("th", element("bdi", name), scope="row", title=name)
    return element("tr", heading, *(_heat_cell(cell, lowest) for cell in cells), class_=kind)


def _heat_cell(cell: Mapping[str, Any], lowest: float) -> Markup:
    rate = cell.get("rate")
    if not is_number(rate):
        return element("td", "missing", class_="missing")
    above = rate / lowest - 1 if lowest > 0 else float(rate > 0)
    shade = sum(above > step for step in SHADES)
    kinds = [*([f"cost-{shade}"] if shade else []), *(["first"] if cell.get("rank") == 1 else [])]
    interval = span(cell.get("low"), cell.get("high"))
    shown = f"{percent(rate)} %" + (f" ({interval})" if interval else "")
    return element(
        "td",
        percent(rate),
        *([element("small", interval)] if interval else []),
        class_=" ".join(kinds) or None,
        title=f"{shown}, rank {rank_text(cell)}",  # type: ignore[arg-type]
    )


def _matrix(article: Article) -> Markup:
    return heat_table(article.result)


MATRIX = Section("matrix", "Matrix", "Test sets and systems", _matrix)


# Test sets, one by one.


def _sets(article: Article) -> Markup:
    """Return who wins each set, and a fold for each set with all systems."""
    result = article.result
    several = page_table(article, sets_table(result), "test sets")
    cells = cells_table(result)
    by_set: dict[str, list[Row]] = {}
    for row in cells.rows:
        by_set.setdefault(row["set"], []).append(row)
    pages = result.provenance.get("pages")
    links = pages if isinstance(pages, dict) else {}
    one_metric = len(unique(row["metric"] for row in cells.rows)) == 1
    same = {"set", "reference", "utterances", *(["metric"] if one_metric else [])}
    columns = [column for column in cells.columns if column.key not in same]
    folds = []
    for name, own in by_set.items():
        ordered = sorted(own, key=lambda row: (row["metric"], row.get("rate") is None,
                                               row.get("rate") or 0))  # fmt: skip
        table = replace(cells, columns=columns, rows=ordered, title="")
        link = Markup()
        if name in links:
            address = element("a", "comparison of the systems on this set", href=str(links[name]))
            link = element("p", address, class_="note")
        sizes = [row["utterances"] for row in own if is_number(row["utterances"])]
        size = f" ({counted(int(sizes[0]), 'utterance')})" if sizes else ""
        folds.append(
            folded(f"{name}{size}", link, page_table(article, table, f"systems on {name}"))
        )
    return joined([several, *folds])


SETS = Section("sets", "Test sets", "Test sets: winners, and what decides the rank", _sets)


def _pairs(article: Article) -> Markup:
    table = pairs_table(article.result)
    return page_table(article, table, table.title)


PAIRS = Section("pairs", "Pairs", "Pairs of systems on the average", _pairs)


def _groups(article: Article) -> Markup:
    tables = (groups_table(article.result), entities_table(article.result))
    return joined(page_table(article, table, table.title) for table in tables)


GROUPS = Section("groups", "Groups", "Groups of utterances and words that matter", _groups)


# Cost beside quality.


def cost_charts(result: Result) -> Iterable[Figure]:
    """Yield a chart for each cost: rate against cost, with intervals."""
    shown = rows(result, "costs")
    name = f"{average_of(result)} average {_name(result)}"
    for number, cost in enumerate(unique(row["cost"] for row in shown)):
        own = [row for row in shown if row["cost"] == cost]
        points = [_cost_point(row) for row in own]
        series = [text for text in FRONTS.values() if any(p["series"] == text for p in points)]
        fields = tooltip(system="system", cost=cost, shown=name, interval="interval, %",
                         series="Pareto front")  # fmt: skip
        text = "; ".join(f"{p['system']} {p['cost']}, {p['shown']}, {p['series']}" for p in points)
        yield Figure(
            f"cost-{number}",
            f"{name} against {cost}, with {confidence(result)} intervals",
            f"{text}. A system is on the front if no other costs no more and has a lower rate; it "
            "is beaten if such a system is better by the test.",
            _cost_plot(points, series, cost, f"{name}, %", fields),
            *page_cells(None, replace(costs_table(result), rows=own)),
        )


def _cost_point(row: Row) -> Spec:
    y, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    x, left, right = scaled_interval(row["value"], row["value_low"], row["value_high"], 1)
    return {
        "system": row["system"], "series": FRONTS[row["front"]],
        "x": x, "left": left, "right": right, "y": y, "low": low, "high": high,
        "cost": f"{row['value']:g}", "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }  # fmt: skip


def _cost_plot(
    points: Sequence[Spec], series: Sequence[str], x: str, y: str, fields: Sequence[Spec]
) -> Spec:
    colors = color_and_shape("series", series)
    free = {"zero": False, "padding": 12}
    across = {"x": quantitative("x", title=x, scale=free)}
    up = {"y": quantitative("y", title=y, scale=free)}
    color = {"color": colors["color"]}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {**across, **color, "y": quantitative("low", title=y, scale=free),
                         "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {**up, **color, "x": quantitative("left", title=x, scale=free),
                         "x2": {"field": "right"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {**across, **up, **colors, "tooltip": list(fields)},
        },
    ]  # fmt: skip
    if len(points) <= NAMED_POINTS:
        label = {"type": "text", "align": "left", "dx": 8, "dy": -6, "limit": 140}
        layers.append(
            {"mark": label,
             "encoding": {**across, **up, "text": {"field": "system", "type": "nominal"}}}
        )  # fmt: skip
    return chart(points, height=320, layer=layers)


def _costs(article: Article) -> Markup:
    table = costs_table(article.result)
    figures = article.figures(cost_charts(article.result))
    return joined([figures, page_table(article, table, table.title)])


COSTS = Section("costs", "Costs", "Cost beside quality", _costs)


# History.


def history_chart(result: Result) -> Figure | None:
    """Return the average of each system over steps or dates, with intervals and changes."""
    shown = rows(result, "history")
    systems = unique(row["system"] for row in shown)[:IN_HISTORY]
    points = [row for row in shown if row["system"] in systems]
    if len(unique(row["run"] for row in points)) < 2:
        return None
    steps = all(is_number(row.get("step")) for row in points)
    name = f"{average_of(result)} average {_name(result)}"
    values = [
        {
            **rate_point(row["system"], row["system"], row["rate"], row["low"], row["high"]),
            "x": row["step"] if steps else row["time"],
            "y": 100 * row["rate"],
            "run": run_text(row),
        }
        for row in points
    ]
    axis = "step" if steps else "date"
    fields = tooltip(series="system", run="run", shown=name, interval="interval, %")
    spec = line_plot(values, systems, x=axis, y=f"{name}, %", fields=fields)
    layers = spec["spec"]["layer"] if "spec" in spec else spec["layer"]
    if not steps:
        for layer in layers:
            layer["encoding"]["x"] = {"field": "x", "type": "temporal", "title": axis}
    found = [row for row in rows(result, "changes") if row["system"] in systems]
    if found and len(systems) <= MOST_SERIES:
        across = dict(layers[0]["encoding"]["x"])
        marks = [
            {"x": row["step"] if steps else row["time"], "what": _change_text(row)} for row in found
        ]
        layers.append(
            {
                "data": {"values": marks},
                "mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 2},
                "encoding": {"x": across, "tooltip": tooltip(what="change")},
            }
        )
    changed = "; ".join(map(_change_text, found))
    cut = f" (the first {IN_HISTORY} systems)" if len(systems) == IN_HISTORY else ""
    text = f"{name} over {len(unique(row['run'] for row in points))} runs{cut}."
    if changed:
        text += f" Changes (dashed lines): {changed}."
    return Figure(
        "history",
        f"{name} over {axis}s, with {confidence(result)} intervals",
        text,
        spec,
        *page_cells(None, replace(history_table(result), rows=points)),
    )


def _change_text(row: Row) -> str:
    rates = f"{percent(row['before'])} to {percent(row['after'])} %"
    return f"{row['system']} at {run_text(row)}: {rates}, p {probability(row['p'])}"


def _history(article: Article) -> Markup:
    result = article.result
    tables = (gate_table(result), changes_table(result), advice_table(result))
    shown = [
        joined([paragraph(table.title, "note"), page_table(article, table, table.title)])
        for table in tables
        if table.rows
    ]
    return joined([article.figure(history_chart(result)), *shown])


HISTORY = Section("history", "History", "History: from run to run", _history)


@dataclass(frozen=True)
class BenchmarkPage(Kind):
    """The ranks, the matrix, the test sets, costs, groups, history and pairs."""

    name: ClassVar[str] = "benchmark"
    sections: ClassVar[tuple[Section, ...]] = (MATRIX, SETS, COSTS, HISTORY, GROUPS, PAIRS)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the tiles, the rank chart and the table of averages."""
        result = article.result
        table = averages_table(result)
        notes = [*table.notes, *map(str, _notes_on_cells(result))]
        return (
            tiles(benchmark_tiles(result), "averages"),
            explanation(result),
            article.figure(rank_chart(result)),
            page_table(article, table, "averages"),
            paragraph(without_direction_marks(" ".join(notes)), "note"),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on intervals, tests and corrections."""
        yield from ("bisani2004", "noreen1989", "holm1979")


def _notes_on_cells(result: Result) -> list[str]:
    """Return the notes of the run on missing cells."""
    notes = [str(note) for note in result.provenance.get("notes", ())]
    return [f"{note}." for note in notes if " missing (" in note]
