"""Sections of a comparison: differences by group and by word, and the utterances that got worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from misword.core.formatting import (
    count,
    is_number,
    listed,
    probability,
    signed,
    signed_span,
)
from misword.core.tables import Table
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    FREE_SCALE,
    MOST_SERIES,
    ROW_HEIGHT,
    ROW_NAMES,
    Figure,
    Spec,
    chart,
    color_and_shape,
    heat_plot,
    interval_plot,
    intervals_in_title,
    nominal,
    quantitative,
    scaled_interval,
    tooltip,
    unsure_note,
)
from misword.report.markup import Markup, element, joined, paragraph
from misword.report.sections.rates import (
    CHART_GROUPS,
    GROUPS_IN_TEXT,
    first_groups,
    group_name,
)
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.comparison import (
    contrast_table,
    groups_table,
    slice_table,
    word_changes_table,
    worst_table,
)
from misword.stat.descriptions.result_access import Row, confidence, rows, titles, unique, verdict

# Differences within groups of utterances: a chart for each metric, the worst group first.

GROUPS_NOTE = (
    "Change in percentage points within each group, the largest increase first. p-values are "
    "corrected for the number of groups, metrics and systems (Holm)."
)


def _groups_section(article: Article) -> Markup:
    figures = group_figures(article.result)
    return (
        joined([paragraph(GROUPS_NOTE, "note"), article.figures(figures)]) if figures else Markup()
    )


GROUPS = Section("groups", "Groups", "Where it is better or worse", _groups_section)


def group_figures(result: Result) -> list[Figure]:
    """Return a chart for each metric that has a defined difference in a group."""
    table, title, share = groups_table(result), titles(result), confidence(result)
    by = [str(name) for name in result.provenance.get("by", ())]
    figures = [
        _group_figure(table.where(metric=label).without("metric"), by, title(label), share, number)
        for number, label in enumerate(unique(row["metric"] for row in table.rows))
    ]
    return [figure for figure in figures if figure is not None]


def _group_figure(
    table: Table, by: Sequence[str], metric: str, share: str, number: int
) -> Figure | None:
    """Return the chart of one metric; None if no difference is defined."""
    shown = [row for row in table.rows if is_number(row["difference"])]
    if not shown:
        return None
    baseline, systems = shown[0]["baseline"], unique(row["system"] for row in shown)
    points = [_group_point(row, by) for row in shown]
    names = unique(point["row"] for point in points)
    drawn = set(names[:CHART_GROUPS])
    cut = f" (the first {CHART_GROUPS} groups)" if len(names) > CHART_GROUPS else ""
    fields = tooltip(row="group", series="system", change="points", interval="interval", p="p")
    kept, left_out = first_groups(table.rows, by, "the largest increase")
    spec = interval_plot(
        [point for point in points if point["row"] in drawn],
        systems,
        title=[f"change of {metric} against {baseline}, points", "left of the line: fewer errors"],
        line=0,
        fields=fields,
        hollow=True,
    )
    ends = intervals_in_title(share, systems, tested=True)
    return Figure(
        f"groups-{number}",
        f"{metric} by {', '.join(by)}: change{ends}{cut}",
        f"{_groups_text(shown, by, metric, several=len(systems) > 1)} {unsure_note(systems)} "
        f"{left_out}".rstrip(),
        spec,
        *page_cells(None, replace(table, rows=kept)),
    )


def _group_point(row: Row, by: Sequence[str]) -> Spec:
    x, low, high = scaled_interval(row["difference"], row["low"], row["high"])
    return {
        "row": group_name(row, by),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "sure": verdict(row) in ("better", "worse"),
        "change": signed(row["difference"], 2),
        "interval": signed_span(row["low"], row["high"], 2),
        "p": probability(row["p_holm"]),
    }


def _groups_text(shown: Sequence[Row], by: Sequence[str], metric: str, *, several: bool) -> str:
    clauses = [
        f"{row['system'] + ', ' if several else ''}{group_name(row, by)} "
        f"{signed(row['difference'], 2)}"
        for row in shown[:GROUPS_IN_TEXT]
    ]
    more = "; and more in the table" if len(shown) > GROUPS_IN_TEXT else ""
    return f"Change of {metric} in points by {', '.join(by)}: {'; '.join(clauses)}{more}."


# Errors by part of speech, word frequency and word length: a chart for each.

DIMENSIONS = {"tag": "part of speech", "frequency": "word frequency", "length": "word length"}
MEASURES = {"rate": "error rate", "distance": "mean semantic distance"}
# Slices with fewer words are only in the table: in the chart they would widen the scale.
LEAST_WORDS, LEAST_SHARE = 20, 0.002
# Values in percent, by slice and system.
Values = Mapping[tuple[str, str], float]


def _slices_section(article: Article) -> Markup:
    figures = [
        article.figure(dumbbell_plot(article.result, dimension, measure))
        for dimension in DIMENSIONS
        for measure in MEASURES
    ]
    return element("div", *figures, class_="figures") if any(figures) else Markup()


SLICES = Section("slices", "Words", "Which words", _slices_section)


def dumbbell_plot(result: Result, dimension: str, measure: str) -> Figure | None:
    """Return a plot with a row for each slice; a line joins the points of the systems."""
    slices = rows(result, "slices")
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
        _slices_text(values, drawn, systems, what, by) + (rare if drawn != all_values else ""),
        _slices_spec(values, names, systems, what),
        *page_cells(None, _in_order(slice_table(result, dimension, [measure]), all_values)),
    )


def _in_order(table: Table, values: Sequence[str]) -> Table:
    """Return the rows of these slices, in this order."""
    by_value = {row["value"]: row for row in table.rows}
    return replace(table, rows=[by_value[value] for value in values])


def _slices_points(values: Values, names: Mapping[str, str], systems: Sequence[str]) -> list[Spec]:
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


def _slices_spec(
    values: Values, names: Mapping[str, str], systems: Sequence[str], what: str
) -> Spec:
    """Return the plot of points and lines; cells, if there are too many systems."""
    points, lines = _slices_points(values, names, systems), _lines(values, names, systems)
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


def _slices_text(values: Values, drawn: list[str], systems: list[str], what: str, by: str) -> str:
    clauses = []
    for value in drawn:
        of_slice = [f"{values[value, s]:.1f}" for s in systems if (value, s) in values]
        clauses.append(f"{value} {' / '.join(of_slice)}")
    return f"{what.capitalize()} in % by {by} for {listed(systems)}: {'; '.join(clauses)}."


# The utterances that got worse: how they differ from the others, and the worst of them.

CONTRAST_NOTE = (
    "Means of numbers, shares of values. A ratio above 1: the worsened utterances have more."
)


def _contrast(article: Article) -> Markup:
    """Return the properties of the utterances that got worse beside those of the others."""
    note = element("p", CONTRAST_NOTE, class_="note")
    return _tables_by_metric(article, contrast_table(article.result), note)


def _worst(article: Article) -> Markup:
    """Return the utterances that got worse most; a click on an id opens the explorer."""
    return _tables_by_metric(article, worst_table(article.result), Markup())


def _tables_by_metric(article: Article, table: Table, note: Markup) -> Markup:
    """Return a table for each metric, the first one open; a single table is always open."""
    labels, title = unique(row["metric"] for row in table.rows), titles(article.result)
    tables = [
        page_table(article, table.where(metric=label).without("metric"), title(label))
        for label in labels
    ]
    if not tables:
        return Markup()
    if len(tables) == 1:
        return joined([note, element("p", f"By {title(labels[0])}.", class_="note"), *tables])
    folded = [
        element("details", element("summary", f"By {title(label)}"), shown, open=not number)
        for number, (label, shown) in enumerate(zip(labels, tables, strict=True))
    ]
    return joined([note, *folded])


# Rows of the table of words; of more, those with the lowest p-values.
WORD_CHANGES_SHOWN = 300
WORD_CHANGES_NOTE = (
    "Words and phrases of the references, and words that were added. p-values are those of a "
    "permutation test over the utterances that changed, corrected for all words that could be "
    "significant (Holm, Tarone). Grey: no change can be shown."
)


def _word_changes(article: Article) -> Markup:
    table = word_changes_table(article.result)
    if not table.rows:
        return Markup()
    more, rest = len(table.rows) - WORD_CHANGES_SHOWN, ""
    if more > 0:
        rest = f" {count(more)} more are in the table word_changes of the result."
        table = replace(table, rows=sorted(table.rows, key=_p_of_change)[:WORD_CHANGES_SHOWN])
    note = element("p", WORD_CHANGES_NOTE + rest, class_="note")
    return joined([note, page_table(article, table, "words newly wrong or newly right")])


def _p_of_change(row: Row) -> float:
    """Return the p-value of a change of a word; those without one come last."""
    p = row.get("p_holm")
    return float(p) if is_number(p) else 2.0


WORD_CHANGES = Section(
    "wordchanges", "Word changes", "Words newly wrong and newly right", _word_changes
)
CONTRAST = Section("contrast", "Contrast", "What the worsened utterances have more of", _contrast)
WORST = Section("worst", "Worst", "What got worse most", _worst)
