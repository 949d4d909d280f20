"""The section on confidences of words; reliability plots of confidences and probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, number
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import Figure, Spec, line_plot, tooltip
from misword.report.markup import Cell, Markup, joined, number_cell, paragraph, text_cell
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import rows
from misword.stat.descriptions.scores import confidences_table

# The headings and the rows of the numbers of a figure.
Numbers = tuple[Sequence[str], Sequence[Sequence[Cell]]]
# Standard errors from the probability to either end of the vertical line of a bin.
WIDTH = 1.96


def reliability_point(series: str, probability: float, share: float, cases: int) -> Spec:
    """Return the point of a bin: its mean probability, and the share of cases that happened."""
    off = WIDTH * float(probability * (1 - probability) / cases) ** 0.5
    return {
        "series": series,
        "x": probability,
        "y": share,
        "low": max(probability - off, 0.0),
        "high": min(probability + off, 1.0),
        "said": number(probability, 3),
        "shown": number(share, 3),
        "cases": count(cases),
    }


def reliability_figure(
    name: str, title: str, points: Sequence[Spec], numbers: Numbers, *, what: str, cases: str
) -> Figure:
    """Return the plot of bins, with a diagonal on which the points should be.

    `what` is the name of the probability (`confidence`), `cases` that of the cases (`words`).
    """
    diagonal = f"{what} = share"
    ends = [reliability_point(diagonal, end, end, 1) for end in (0.0, 1.0)]
    series = dict.fromkeys(str(point["series"]) for point in points)
    text = "; ".join(f"{point['series']}: {point['said']} is {point['shown']}" for point in points)
    return Figure(
        name,
        title,
        f"A point on the diagonal is a {what} that is right; its vertical line contains 95 % of "
        f"the shares that chance allows. {text}.",
        line_plot(
            [*ends, *points],
            [diagonal, *series],
            x=f"mean {what} of the bin",
            y=f"share of right {cases}",
            fields=tooltip(series="system", said=what, shown="right", cases=cases),
        ),
        *numbers,
    )


# Confidences of words: their measures, and a reliability plot.

NOTE = (
    "Words are divided into bins by their confidence. If confidences are right, words with the "
    "confidence 0.9 are right in 90 % of the cases. NCE: the share of the uncertainty about right "
    "words that the confidences remove; 0 is no better than one confidence for all words. ECE: the "
    "mean difference of confidence and share; right confidences too have about the ECE in the "
    "column by chance. AUC: how often a right word has a higher confidence than a wrong one."
)


def confidence_figure(result: Result) -> Figure | None:
    """Return the share of right words in each bin, beside the diagonal of right confidences."""
    shown = rows(result, "confidence_bins")
    if not shown:
        return None
    points = [
        reliability_point(row["system"], row["confidence"], row["right"], row["words"])
        for row in shown
    ]
    numbers = (
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
    title = "Confidences and shares of right words"
    return reliability_figure(
        "reliability", title, points, numbers, what="confidence", cases="words"
    )


def _section(article: Article) -> Markup:
    figure = confidence_figure(article.result)
    if figure is None:
        return Markup()
    note = paragraph(NOTE, "note")
    measures = page_table(article, confidences_table(article.result), "confidences of words")
    return joined([note, measures, article.figure(figure)])


CONFIDENCES = Section("confidences", "Confidences", "Are the confidences right?", _section)
