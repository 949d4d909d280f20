"""Errors by class of entities and keywords: a chart and a table."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import (
    count,
    is_number,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    interval_plot,
    intervals_in_title,
    scaled_interval,
    tooltip,
)
from misword.report.explorer.data import CLASS
from misword.report.explorer.section import WORDS, field_is, filter_cell, group_cells
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import Row, confidence, rows, table, unique

# The chart has at most this many classes, those with the most words; the table has them all.
CHART_CLASSES = 20
EXPLANATION = (
    "The rate of a class is the number of errors in its words, divided by these words; an inserted "
    "word counts between two words of one entity. Recall is the share of entities without any "
    "error. Precision is the share of the terms in the hypothesis that the reference has at the "
    "same place; it is known for keywords only, since hypotheses have no tags."
)


def _section(article: Article) -> Markup:
    """Return the chart, the table of rates, and the table of differences."""
    result = article.result
    if not rows(result, "entities"):
        return Markup()
    figure = article.figure(entity_figure(result))
    return joined([paragraph(EXPLANATION, "note"), figure, _rates(result), _differences(result)])


ENTITIES = Section("entities", "Entities", "Names, numbers and keywords", _section)


def entity_figure(result: Result) -> Figure | None:
    """Return the chart of the rates of all systems, a row for each class."""
    shown = [
        row
        for row in rows(result, "entities")
        if is_number(row["rate"]) and row.get("total", True) is not False
    ]
    classes = _class_names(shown)
    drawn = set(unique(classes)[:CHART_CLASSES])
    points = [_point(row, name) for row, name in zip(shown, classes, strict=True) if name in drawn]
    if not points:
        return None
    cut = f" (the {CHART_CLASSES} classes with the most words)" if len(points) < len(shown) else ""
    series = unique(row["system"] for row in shown)
    clauses = [f"{point['series']}, {point['row']} {point['rate']}" for point in points]
    return Figure(
        "entities",
        f"Error rates of classes{intervals_in_title(confidence(result), series)}{cut}",
        f"Rates: {'; '.join(clauses)}.",
        interval_plot(
            points,
            series,
            title="rate, %",
            fields=tooltip(row="class", series="system", rate="rate", interval="interval, %"),
        ),
        ["class", "system", "rate, %", "from", "to"],
        [
            [
                text_cell(name),
                text_cell(row["system"]),
                *(
                    number_cell(row[end], percent(row[end]))
                    for end in ("rate", "rate_low", "rate_high")
                ),
            ]
            for row, name in zip(shown, classes, strict=True)
        ],
    )


def _class_names(shown: Sequence[Row]) -> list[str]:
    """Return the class of each row; with its source, if there are several sources."""
    several = len(unique(row["source"] for row in shown)) > 1
    return [f"{row['class']} · {row['source']}" if several else row["class"] for row in shown]


def _class_cell(row: Row, label: str) -> Cell:
    """Return the name of a class; a click shows the utterances with an error on its words."""
    return filter_cell(row["class"], field_is(WORDS, CLASS, label))


def _point(row: Row, name: str) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["rate_low"], row["rate_high"])
    return {
        "row": name,
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "rate": f"{percent(row['rate'])} %",
        "interval": span(row["rate_low"], row["rate_high"]),
    }


def _rates(result: Result) -> Markup:
    """Return the rates, recall and precision of all classes."""
    frame = table(result, "entities")
    if frame is None:
        return Markup()
    columns = frame.columns
    groups = columns[columns.index("system") + 1 : columns.index("source")]
    names = ["rate", "recall", "precision"]
    if frame["precision"].null_count() == len(frame):
        names.remove("precision")
    header = ["system", *groups, "source", "class"]
    for name in names:
        header += [f"{name}, %", f"{confidence(result)} interval"]
    shown = frame.to_dicts()
    body = [
        [
            text_cell(row["system"]),
            *group_cells(row, groups),
            text_cell(row["source"]),
            _class_cell(row, label),
            *(
                cell
                for name in names
                for cell in (
                    number_cell(row[name], percent(row[name])),
                    number_cell(row[f"{name}_low"], span(row[f"{name}_low"], row[f"{name}_high"])),
                )
            ),
            *(number_cell(row[name], count(row[name])) for name in ("words", "terms")),
        ]
        for row, label in zip(shown, _class_names(shown), strict=True)
    ]
    return data_table([*header, "words", "terms"], body, label="rates of classes", tall=True)


def _differences(result: Result) -> Markup:
    """Return the differences from the baseline by class; nothing for scores."""
    shown = rows(result, "entity_differences")
    body = [
        [
            text_cell(row["source"]),
            _class_cell(row, label),
            text_cell(row["system"]),
            *(number_cell(row[name], percent(row[name])) for name in ("baseline_rate", "rate")),
            number_cell(row["difference"], signed(row["difference"], 2)),
            number_cell(row["low"], signed_span(row["low"], row["high"], 2)),
            number_cell(row["p_holm"], probability(row["p_holm"])),
        ]
        for row, label in zip(shown, _class_names(shown), strict=True)
    ]
    header = ["source", "class", "system", "baseline, %", "rate, %", "points"]
    header += [f"{confidence(result)} interval", "p (Holm)"]
    return data_table(header, body, label="differences of classes", tall=True) if body else Markup()
