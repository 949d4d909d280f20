"""Candidates with probabilities: precision and recall by threshold, and calibration."""

from __future__ import annotations

from misword.core.formatting import count, is_number, number, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, line_plot, scaled_interval, tooltip
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import Row, confidence, rows, unique
from misword.report.sections.reliability import reliability_plot, reliability_point

DIAGONAL = "probability = share"
THRESHOLD_NOTE = (
    "A candidate is taken if its probability is at least p. Precision: the share of these "
    "candidates that are gold translations; recall: the share of all gold pairs that are among "
    "them."
)
CALIBRATION_NOTE = (
    "Candidates are divided into bins by their probability. If probabilities are right, candidates "
    "with the probability 0.3 are right in 30 % of the cases. The calibration error is the mean "
    "difference of both over all candidates; by chance, right probabilities too have an error of "
    "about the size in the last column."
)


def threshold_figure(result: Result) -> Figure | None:
    """Return the curve of precision and recall over the probability."""
    shown = [row for row in rows(result, "thresholds") if is_number(row["precision"])]
    if not shown:
        return None
    fields = tooltip(series="system", p="p", shown="precision, recall", interval="precision")
    text = "; ".join(
        f"{row['system']} at {row['threshold']:.1f}: precision {percent(row['precision'], 1)} %, "
        f"recall {percent(row['recall'], 1)} %"
        for row in shown
    )
    return Figure(
        "thresholds",
        f"Precision and recall over the probability, {confidence(result)} intervals",
        f"Each point is a threshold of the probability. {text}.",
        line_plot(
            [_threshold_point(row) for row in shown],
            unique(row["system"] for row in shown),
            x="recall, %",
            y="precision, %",
            fields=fields,
        ),
        ["system", "p", "candidates", "headwords", "precision, %", "", "recall, %", ""],
        [_threshold_cells(row) for row in shown],
    )


def _threshold_point(row: Row) -> Spec:
    y, low, high = scaled_interval(row["precision"], row["precision_low"], row["precision_high"])
    return {
        "series": row["system"],
        "x": 100 * row["recall"],
        "y": y,
        "low": low,
        "high": high,
        "p": f"{row['threshold']:.1f}",
        "shown": f"{percent(row['precision'], 1)} %, {percent(row['recall'], 1)} %",
        "interval": span(row["precision_low"], row["precision_high"], 1),
    }


def _threshold_cells(row: Row) -> list[Cell]:
    cells = [text_cell(row["system"]), number_cell(row["threshold"], f"{row['threshold']:.1f}")]
    cells += [number_cell(row[name], count(row[name])) for name in ("candidates", "headwords")]
    for name in ("precision", "recall"):
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        cells += [number_cell(row[name], percent(row[name])), number_cell(low, span(low, high))]
    return cells


def calibration_figure(result: Result) -> Figure | None:
    """Return the share of right candidates in each bin, beside the diagonal of right shares."""
    every = rows(result, "calibration")
    shown = [row for row in every if row["candidates"] == "all"]
    if not shown:
        return None
    points = [
        reliability_point(row["system"], row["probability"], row["right"], row["cases"])
        for row in shown
    ]
    fields = tooltip(series="system", said="probability", shown="right", cases="candidates")
    text = "; ".join(f"{point['series']}: {point['said']} is {point['shown']}" for point in points)
    return Figure(
        "calibration",
        "Probabilities and shares of right candidates",
        "A point on the diagonal is a probability that is right; its vertical line contains 95 % "
        f"of the shares that chance allows. {text}.",
        reliability_plot(
            points,
            DIAGONAL,
            x="mean probability of the bin",
            y="share of right candidates",
            fields=fields,
        ),
        ["system", "candidates", "from", "to", "number", "probability", "right"],
        [_bin_cells(row) for row in every],
    )


def _bin_cells(row: Row) -> list[Cell]:
    return [
        text_cell(row["system"]),
        text_cell(row["candidates"]),
        *(number_cell(row[name], number(row[name], 1)) for name in ("low", "high")),
        number_cell(row["cases"], count(row["cases"])),
        *(number_cell(row[name], number(row[name], 3)) for name in ("probability", "right")),
    ]


def _errors(result: Result) -> Markup:
    """Return the table of calibration errors."""
    body = [
        [
            text_cell(row["system"]),
            text_cell(row["candidates"]),
            number_cell(row["cases"], count(row["cases"])),
            *(number_cell(row[name], number(row[name], 4)) for name in ("error", "by_chance")),
        ]
        for row in rows(result, "calibration_errors")
    ]
    header = ["system", "candidates", "number", "calibration error", "by chance"]
    return data_table(header, body, label="calibration errors")


def _thresholds(article: Article) -> Markup:
    figure = threshold_figure(article.result)
    if figure is None:
        return Markup()
    return joined([paragraph(THRESHOLD_NOTE, "note"), article.figure(figure)])


def _calibration(article: Article) -> Markup:
    figure = calibration_figure(article.result)
    if figure is None:
        return Markup()
    note = paragraph(CALIBRATION_NOTE, "note")
    return joined([note, _errors(article.result), article.figure(figure)])


THRESHOLDS = Section("thresholds", "Probability", "Which probability is high enough?", _thresholds)
CALIBRATION = Section("calibration", "Calibration", "Are the probabilities right?", _calibration)
