"""Errors by class of entities and keywords: a chart and a table."""

from __future__ import annotations

from dataclasses import replace

from misword.core.formatting import is_number
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    interval_plot,
    intervals_in_title,
    rate_point,
    tooltip,
)
from misword.report.markup import Markup, joined, paragraph
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.comparison import entity_differences_table
from misword.stat.descriptions.result_access import confidence, rows, unique
from misword.stat.descriptions.scores import class_names, entities_table

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
    return joined(
        [
            paragraph(EXPLANATION, "note"),
            article.figure(entity_figure(result)),
            page_table(article, entities_table(result), "rates of classes"),
            page_table(article, entity_differences_table(result), "differences of classes"),
        ]
    )


ENTITIES = Section("entities", "Entities", "Names, numbers and keywords", _section)


def entity_figure(result: Result) -> Figure | None:
    """Return the chart of the rates of all systems, a row for each class."""
    shown = [
        row
        for row in rows(result, "entities")
        if is_number(row["rate"]) and row.get("total", True) is not False
    ]
    names = class_names(shown)
    classes = [names[row["source"], row["class"]] for row in shown]
    drawn = set(unique(classes)[:CHART_CLASSES])
    points = [
        rate_point(name, row["system"], row["rate"], row["rate_low"], row["rate_high"])
        for row, name in zip(shown, classes, strict=True)
        if name in drawn
    ]
    if not points:
        return None
    cut = f" (the {CHART_CLASSES} classes with the most words)" if len(points) < len(shown) else ""
    series = unique(row["system"] for row in shown)
    clauses = [f"{point['series']}, {point['row']} {point['shown']}" for point in points]
    return Figure(
        "entities",
        f"Error rates of classes{intervals_in_title(confidence(result), series)}{cut}",
        f"Rates: {'; '.join(clauses)}.",
        interval_plot(
            points,
            series,
            title="rate, %",
            fields=tooltip(row="class", series="system", shown="rate", interval="interval, %"),
            dense=True,
        ),
        *page_cells(None, replace(entities_table(result), rows=shown)),
    )
