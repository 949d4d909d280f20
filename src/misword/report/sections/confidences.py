"""Confidences of words: their measures, and a reliability plot."""

from __future__ import annotations

from misword.core.formatting import count, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, tooltip
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import Row, rows
from misword.report.sections.reliability import reliability_plot, reliability_point

DIAGONAL = "confidence = share"
NOTE = (
    "Words are divided into bins by their confidence. If confidences are right, words with the "
    "confidence 0.9 are right in 90 % of the cases. NCE: the share of the uncertainty about right "
    "words that the confidences remove; 0 is no better than one confidence for all words. ECE: the "
    "mean difference of confidence and share; right confidences too have about the ECE in the "
    "column by chance. AUC: how often a right word has a higher confidence than a wrong one."
)


def reliability_figure(result: Result) -> Figure | None:
    """Return the share of right words in each bin, beside the diagonal of right confidences."""
    shown = rows(result, "confidence_bins")
    if not shown:
        return None
    points = [
        reliability_point(row["system"], row["confidence"], row["right"], row["words"])
        for row in shown
    ]
    fields = tooltip(series="system", said="confidence", shown="right", cases="words")
    text = "; ".join(f"{point['series']}: {point['said']} is {point['shown']}" for point in points)
    return Figure(
        "reliability",
        "Confidences and shares of right words",
        "A point on the diagonal is a confidence that is right; its vertical line contains 95 % of "
        f"the shares that chance allows. {text}.",
        reliability_plot(
            points,
            DIAGONAL,
            x="mean confidence of the bin",
            y="share of right words",
            fields=fields,
        ),
        ["system", "from", "to", "words", "confidence", "right"],
        [
            [
                text_cell(row["system"]),
                *(number_cell(row[name], number(row[name], 1)) for name in ("low", "high")),
                number_cell(row["words"], count(row["words"])),
                *(number_cell(row[name], number(row[name], 3)) for name in ("confidence", "right")),
            ]
            for row in shown
        ],
    )


def _measures(result: Result) -> Markup:
    """Return the table of measures."""
    header = ["system", "words", "without", "right, %", "mean confidence, %", "NCE", "ECE",
              "by chance", "AUC"]  # fmt: skip
    body = [_cells(row) for row in rows(result, "confidences")]
    return data_table(header, body, label="confidences of words")


def _cells(row: Row) -> list[Cell]:
    return [
        text_cell(row["system"]),
        *(number_cell(row[name], count(row[name])) for name in ("words", "without")),
        *(number_cell(row[name], percent(row[name])) for name in ("right", "confidence")),
        *(
            number_cell(row[name], "" if row[name] is None else number(row[name], 4))
            for name in ("nce", "ece", "by_chance", "auc")
        ),
    ]


def _section(article: Article) -> Markup:
    figure = reliability_figure(article.result)
    if figure is None:
        return Markup()
    note = paragraph(NOTE, "note")
    return joined([note, _measures(article.result), article.figure(figure)])


CONFIDENCES = Section("confidences", "Confidences", "Are the confidences right?", _section)
