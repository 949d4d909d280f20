"""Sections on rates: rankings of systems, rates with intervals, kinds of error, groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from misword.core.formatting import count, counted, group_values, is_number, listed, percent
from misword.core.tables import Table, text
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    FIRST_SYSTEM,
    MOST_SERIES,
    RANK_HEIGHT,
    ROW_HEIGHT,
    ROW_NAMES,
    UNCLEAR,
    UNTESTED,
    Figure,
    Spec,
    chart,
    interval_plot,
    intervals_in_title,
    legend,
    nominal,
    quantitative,
    rate_point,
    tooltip,
)
from misword.report.markup import Cell, Markup, joined, number_cell, paragraph, text_cell
from misword.report.rates import ERRORS, error_rates, overall_rows, ranked_rows
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.result_access import (
    Row,
    confidence,
    forgiving_families,
    group_columns,
    lead_metric,
    rows,
    table,
    titles,
    unique,
    verdict,
)
from misword.stat.descriptions.scores import rates_table, references_table

# The chart has at most this many systems, those with the lowest rates; the table has all.
CHART_SYSTEMS = 60
# What is said of a system that is compared with the first one.
VERDICTS = {
    "better": "better",
    "worse": "worse",
    "unclear": UNCLEAR,
    "untested": UNTESTED,
}


def has_many_systems(result: Result) -> bool:
    """Return whether there are too many systems for a colour of each."""
    return len(unique(row["system"] for row in overall_rows(result))) > MOST_SERIES


def lead_ranking(result: Result) -> Figure | None:
    """Return the ranking by the lead metric."""
    label = lead_metric(unique(row["metric"] for row in overall_rows(result)))
    return ranking_figure(result, label, 0)


def _other_rankings(article: Article) -> Markup:
    """Return the rankings by all other metrics, if there are many systems."""
    if not has_many_systems(article.result):
        return Markup()
    labels = unique(row["metric"] for row in overall_rows(article.result))
    others = [label for label in labels if label != lead_metric(labels)]
    return article.figures(
        ranking_figure(article.result, label, number) for number, label in enumerate(others, 1)
    )


RANKINGS = Section("rankings", "Rankings", "Rankings by the other metrics", _other_rankings)


def ranking_figure(result: Result, label: str, number: int) -> Figure | None:
    """Return a row for each system; of a comparison, with the verdict against the first one."""
    ranked = ranked_rows(overall_rows(result), label)
    if not ranked:
        return None
    name, share, verdicts = titles(result)(label), confidence(result), _verdicts(result, label)
    points = [
        rate_point(row["system"], verdicts.get(row["system"], ""), *_rate_of(row)) for row in ranked
    ]
    drawn = points[:CHART_SYSTEMS]
    intervals = f" with {share} intervals" if any(is_number(row["low"]) for row in ranked) else ""
    cut = f" (the {CHART_SYSTEMS} lowest)" if len(points) > CHART_SYSTEMS else ""
    fields = {"row": "system", "shown": name, "interval": "interval, %"}
    fields |= {"series": "verdict"} if verdicts else {}
    first = [point["x"] for point in points if point["series"] == FIRST_SYSTEM]
    return Figure(
        f"ranking-{number}",
        f"{name} of {counted(len(points), 'system')}{intervals}{cut}",
        _ranking_text(drawn, name),
        interval_plot(
            drawn,
            unique(point["series"] for point in drawn),
            title=[f"{name}, %", "further left: fewer errors"],
            line=first[0] if first else None,
            fields=tooltip(**fields),
            ranked=True,
        ),
        *page_cells(None, _with_verdicts(_of_rows(result, ranked).without("metric"), verdicts)),
    )


def _of_rows(result: Result, shown: Sequence[Row]) -> Table:
    """Return some rows of the table of rates."""
    return replace(rates_table(result), rows=shown)


def _with_verdicts(table: Table, verdicts: dict[str, str]) -> Table:
    """Return the table with a column of the verdicts on the systems, if there are any."""
    verdict_of = text("verdict", of=lambda row: verdicts.get(row["system"]), optional=True)
    return replace(table, columns=[*table.columns, verdict_of])


def _verdicts(result: Result, label: str) -> dict[str, str]:
    """Return the verdict on each system, against the first one; empty without a comparison."""
    differences = [row for row in rows(result, "differences") if row["metric"] == label]
    verdicts = {row["system"]: VERDICTS[verdict(row)] for row in differences}
    return {**{row["baseline"]: FIRST_SYSTEM for row in differences}, **verdicts}


def _ranking_text(points: Sequence[Spec], name: str) -> str:
    clauses = [
        f"{point['row']} {point['shown']}" + (f" ({point['series']})" if point["series"] else "")
        for point in points
    ]
    return f"{name} of the systems, the lowest first: {'; '.join(clauses)}."


# Error rates with their intervals: as a table, as a chart, and the sentence above both.

# The text of the chart names at most this many rates; the table has them all.
RATES_IN_TEXT = 40


def introduction(result: Result) -> list[str]:
    """Return sentences on how the intervals were made, and on what was forgiven."""
    provenance = result.provenance
    sentences = []
    if any(is_number(row.get("low")) for row in rows(result, "summary")):
        sampled = "utterances"
        if provenance.get("block"):
            number = counted(provenance.get("blocks") or 0, "value")
            sampled = f"blocks ({number} of {provenance['block']})"
        sentences.append(f"Intervals are {confidence(result)}, by bootstrap over {sampled}.")
    return sentences


def forgiveness_sentence(result: Result) -> str:
    """Return what was forgiven, and the rates and the ranking without it; empty without it."""
    if not (families := forgiving_families(result)):
        return ""
    said = f"Differences of writing were forgiven ({listed(families)})"
    overall = overall_rows(result)
    label = lead_metric(unique(row["metric"] for row in overall))
    ranked = [row for row in ranked_rows(overall, label) if is_number(row.get("without"))]
    if not ranked:
        return f"{said}."
    name, without = titles(result)(label), sorted(ranked, key=lambda row: row["without"])
    first, last = (percent(without[at]["without"], 1) for at in (0, -1))
    if len(without) == 1:
        return f"{said}; if they counted, the {name} would be {first} %."
    names = [row["system"] for row in without]
    if names == [row["system"] for row in ranked]:
        return (
            f"{said}; if they counted, the {name} would be {first} to {last} %, and the ranking "
            "would be the same."
        )
    best, lowest = ranked[0], without[0]
    shown = listed(names) if len(names) <= MOST_SERIES else f"{listed(names[:3])} first"
    if best is lowest:
        return (
            f"{said}; if they counted, {best['system']} would still have the lowest {name} "
            f"({first} %), but the ranking would be: {shown}."
        )
    return (
        f"{said}; if they counted, {lowest['system']} would have the lowest {name} ({first} %) and "
        f"{best['system']} {percent(best['without'], 1)} %: the ranking would be {shown}."
    )


def rate_figure(result: Result) -> Figure | None:
    """Return the chart of the rates over all utterances: a row per metric, or a ranking."""
    if has_many_systems(result):
        return lead_ranking(result)
    shown = [row for row in overall_rows(result) if is_number(row["rate"])]
    if not shown:
        return None
    title = titles(result)
    names = [title(row["metric"]) for row in shown]
    points = [
        rate_point(title(row["metric"]), row["system"], *_rate_of(row)) for row in _by_metric(shown)
    ]
    series = unique(row["system"] for row in shown)
    fields = tooltip(row="metric", series="system", shown="rate", interval="interval, %")
    return Figure(
        "rates",
        f"Rates with {confidence(result)} intervals",
        _rate_text(shown, names, several=len(series) > 1),
        interval_plot(points, series, title="rate, %", fields=fields),
        *page_cells(None, _of_rows(result, shown)),
    )


def _rate_text(shown: Sequence[Row], names: Sequence[str], *, several: bool) -> str:
    """Return the rates in words; with several systems, each rate with its system."""
    clauses = [
        f"{row['system'] + ', ' if several else ''}{name} {percent(row['rate'])} %"
        for row, name in zip(shown, names, strict=True)
    ]
    more = "; and more in the table" if len(clauses) > RATES_IN_TEXT else ""
    return f"Rates: {'; '.join(clauses[:RATES_IN_TEXT])}{more}."


def _rate_of(row: Row) -> tuple[float, float | None, float | None]:
    return row["rate"], row["low"], row["high"]


def _by_metric(shown: Sequence[Row]) -> list[Row]:
    """Return the rows sorted by metric; the metrics keep their order."""
    order = unique(row["metric"] for row in shown)
    return sorted(shown, key=lambda row: order.index(row["metric"]))


# Substitutions, deletions and insertions of each system: a chart and a table.

# The names of the errors in the chart, in the order of the bar's parts.
NAMES = {
    "substitutions": "wrong word (substitution)",
    "deletions": "missing word (deletion)",
    "insertions": "extra word (insertion)",
}
# The chart has at most this many systems, those with the lowest rates; the table has all.
ERROR_CHART_SYSTEMS = 60


def _error_kinds_section(article: Article) -> Markup:
    figure = error_figure(article.result)
    if figure is None:
        return Markup()
    note = "Each bar is the rate of a system, divided into its three kinds of error."
    return joined([paragraph(note, "note"), article.figure(figure)])


ERROR_KINDS = Section("errors", "Errors", "Wrong, missing and extra words", _error_kinds_section)


def error_figure(result: Result) -> Figure | None:
    """Return the bars of the lead metric; None if it does not count the three kinds of error."""
    rows, title = overall_rows(result), titles(result)
    label = lead_metric(unique(row["metric"] for row in rows))
    shown = [row for row in ranked_rows(rows, label) if error_rates(row)]
    if not shown:
        return None
    drawn, what = shown[:ERROR_CHART_SYSTEMS], title(label)
    cut = f" (the {ERROR_CHART_SYSTEMS} lowest rates)" if len(shown) > ERROR_CHART_SYSTEMS else ""
    parts = [part for row in drawn for part in _error_parts(row)]
    text = "; ".join(
        f"{row['system']} {', '.join(f'{percent(r)} {ERRORS[k]}' for k, r in rates.items())}"
        for row in drawn
        for rates in [error_rates(row)]
    )
    return Figure(
        "errors",
        f"{what} by kind of error{cut}",
        f"Errors in % of the reference, the lowest {what} first: {text}.",
        _error_spec(parts, len(drawn)),
        ["system", f"{what}, %", *(f"{name}, %" for name in ERRORS), *ERRORS, "reference"],
        [_error_cells(row) for row in shown],
    )


def _error_parts(row: Row) -> list[Spec]:
    """Return the three parts of a bar, each from the end of the part before."""
    parts, start = [], 0.0
    for order, (kind, rate) in enumerate(error_rates(row).items()):
        parts.append(
            {
                "row": row["system"],
                "error": NAMES[kind],
                "order": order,
                "from": start,
                "to": start + 100 * rate,
                "rate": f"{percent(rate)} %",
                "errors": count(row[kind]),
            }
        )
        start += 100 * rate
    return parts


def _error_spec(parts: list[Spec], systems: int) -> Spec:
    names = list(NAMES.values())
    color = nominal("error", scale={"domain": names}, legend=legend(names))
    return chart(
        parts,
        height={"step": ROW_HEIGHT if systems <= 4 else RANK_HEIGHT},
        mark={"type": "bar", "stroke": {"expr": "background"}, "strokeWidth": 1},
        encoding={
            "y": nominal("row", axis=ROW_NAMES),
            "x": quantitative("from", title="errors, % of the reference"),
            "x2": {"field": "to"},
            "color": color,
            "tooltip": tooltip(row="system", error="error", rate="rate", errors="number"),
        },
    )


def _error_cells(row: Row) -> list[Cell]:
    rates = error_rates(row)
    return [
        text_cell(row["system"]),
        number_cell(row["rate"], percent(row["rate"])),
        *(number_cell(rates[name], percent(rates[name])) for name in ERRORS),
        *(number_cell(row[name], count(row[name])) for name in (*ERRORS, "reference")),
    ]


# Rates within groups of utterances (`--by`): a chart for each metric, the highest rate first.

# A chart has at most this many groups, and its text names at most so many.
CHART_GROUPS, GROUPS_IN_TEXT = 60, 20
# A table has at most this many groups: ten thousand of them would make a page of 20 MB.
TABLE_GROUPS = 100
HIGHEST = "the highest rates"
RATE_GROUPS_NOTE = (
    "Each group of utterances, the highest rate first. Numbers in brackets are utterances."
)


def _rate_groups_section(article: Article) -> Markup:
    figures = rate_group_figures(article.result)
    return (
        joined([paragraph(RATE_GROUPS_NOTE, "note"), article.figures(figures)])
        if figures
        else Markup()
    )


RATE_GROUPS = Section("groups", "Groups", "Where the errors are", _rate_groups_section)


def rate_group_figures(result: Result) -> list[Figure]:
    """Return a chart for each metric with a defined rate in a group; none without groups."""
    if not (by := _groups_of(result)):
        return []
    groups = [
        row for row in rows(result, "summary") if not row.get("total") and is_number(row["rate"])
    ]
    title, share = titles(result), confidence(result)
    return [
        _group_figure(
            result,
            [row for row in groups if row["metric"] == label],
            by,
            title(label),
            share,
            number,
        )
        for number, label in enumerate(unique(row["metric"] for row in groups))
    ]


def _group_figure(
    result: Result, groups: Sequence[Row], by: Sequence[str], metric: str, share: str, number: int
) -> Figure:
    """Return the chart of one metric."""
    ordered = _highest_first(groups, by)
    kept, left_out = first_groups(ordered, by, HIGHEST)
    points = [rate_point(group_name(row, by), row["system"], *_rate_of(row)) for row in ordered]
    names = unique(point["row"] for point in points)
    drawn = set(names[:CHART_GROUPS])
    cut = f" (the first {CHART_GROUPS} groups)" if len(names) > CHART_GROUPS else ""
    systems = unique(row["system"] for row in groups)
    clauses = [
        f"{row['system']}, {group_name(row, by)} {percent(row['rate'])} %"
        for row in ordered[:GROUPS_IN_TEXT]
    ]
    more = "; and more in the table" if len(ordered) > GROUPS_IN_TEXT else ""
    return Figure(
        f"rate-groups-{number}",
        f"{metric} by {', '.join(by)}{intervals_in_title(share, systems)}{cut}",
        f"{metric} by {', '.join(by)}: {'; '.join(clauses)}{more}. {left_out}".rstrip(),
        interval_plot(
            [point for point in points if point["row"] in drawn],
            systems,
            title=f"{metric}, %",
            fields=tooltip(row="group", series="system", shown=metric, interval="interval, %"),
        ),
        *page_cells(None, _of_rows(result, kept).without("metric")),
    )


def rates_of_first_groups(result: Result) -> tuple[Table, str]:
    """Return the rates of all groups together and of those with the highest rates, and a note."""
    whole, by = rates_table(result), _groups_of(result)
    totals = [row for row in whole.rows if row.get("total")]
    groups = [row for row in whole.rows if not row.get("total")]
    lead = lead_metric(unique(row["metric"] for row in groups))
    leading = [row for row in groups if row["metric"] == lead and is_number(row["rate"])]
    first, note = first_groups(_highest_first(leading, by), by, HIGHEST)
    if note:
        places = {values: at for at, values in enumerate(unique(_values(row, by) for row in first))}
        kept = [row for row in groups if _values(row, by) in places]
        groups = sorted(kept, key=lambda row: places[_values(row, by)])
    return replace(whole, rows=[*totals, *groups]), note


def first_groups(
    ordered: Sequence[Row], by: Sequence[str], which: str
) -> tuple[Sequence[Row], str]:
    """Return the rows of the first groups, and a sentence if there are more.

    `which` says what the first groups have.
    """
    names = unique(_values(row, by) for row in ordered)
    if len(names) <= TABLE_GROUPS:
        return ordered, ""
    kept = set(names[:TABLE_GROUPS])
    note = (
        f"The table has {TABLE_GROUPS} of {len(names):,} groups, those with {which}. All groups "
        "are in the result folder (--out) and in the output of --format csv; the utterances of a "
        "group are found in the list of utterances, by their metadata."
    )
    return [row for row in ordered if _values(row, by) in kept], note


def _groups_of(result: Result) -> list[str]:
    frame = table(result, "summary")
    return [] if frame is None else list(group_columns(frame))


def _values(row: Row, by: Sequence[str]) -> tuple[object, ...]:
    return tuple(row[name] for name in by)


def _highest_first(groups: Sequence[Row], by: Sequence[str]) -> list[Row]:
    """Return the rows by the highest rate that a system has in the group."""
    highest: dict[str, float] = {}
    for row in groups:
        name = group_name(row, by)
        highest[name] = max(row["rate"], highest.get(name, 0.0))
    return sorted(groups, key=lambda row: -highest[group_name(row, by)])


def group_name(row: Row, by: Sequence[str]) -> str:
    """Return the values of a group, with the size of the group."""
    return f"{' · '.join(group_values(row, by))} ({count(row['utterances'])})"


def _several_references(article: Article) -> Markup:
    """Return the agreement of several references, and what they forgive each system."""
    shown = references_table(article.result)
    if not shown.rows:
        return Markup()
    return joined([paragraph(f"{shown.title}.", "note"), page_table(article, shown, tall=False)])


SEVERAL_REFERENCES = Section("several", "References", "Several references", _several_references)
