"""Rates on slices of the lexicon by its columns, such as the part of speech."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, is_number, percent, span
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Markup, element, joined, number_cell, paragraph, text_cell
from misword.report.kinds.evaluation.differences import difference_table
from misword.report.kinds.evaluation.rates import rate_table
from misword.report.result_access import Row, confidence, rows, unique

# The chart has at most this many slices of a column, the largest ones.
SLICES_SHOWN = 30
NOTE = (
    "Each system against the first on the same slice. p by paired permutation test over headwords, "
    "corrected for all comparisons on slices (Holm)."
)


def slice_figure(rates: Sequence[Row], name: str, share: str) -> Figure | None:
    """Return the hit rate of each slice of one column: a row for each, a point for each system.

    The slice with the highest rate of the first system comes first. `name` is that of the figure.
    """
    hit_rates = [row for row in rates if row["kind"] == "hit" and is_number(row["rate"])]
    if not hit_rates:
        return None
    metric, column = hit_rates[0]["metric"], hit_rates[0]["column"]
    shown = [row for row in hit_rates if row["metric"] == metric]
    order, left_out = _ordered(shown)
    shown = sorted(
        (row for row in shown if row["value"] in order), key=lambda row: order.index(row["value"])
    )
    fields = tooltip(row=column, series="system", shown=metric, interval="interval, %")
    text = "; ".join(
        f"{row['value']}, {row['system']}: {percent(row['rate'])} % of {count(row['whole'])}"
        for row in shown
    )
    rest = f" {left_out} smaller slices are in the table only." if left_out else ""
    return Figure(
        name,
        f"{metric} by {column}, {share} intervals",
        f"{metric} of each system on each slice, the slice with the highest rate first; numbers in "
        f"brackets are headwords: {text}.{rest}",
        interval_plot(
            [_point(row, shown) for row in shown],
            unique(row["system"] for row in rates),
            title=f"{metric}, %",
            fields=fields,
        ),
        [column, "system", f"{metric}, %", "from", "to", "found", "of"],
        [
            [
                text_cell(row["value"]),
                text_cell(row["system"]),
                *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
                *(number_cell(row[key], count(row[key])) for key in ("part", "whole")),
            ]
            for row in shown
        ],
    )


def _ordered(hit_rates: Sequence[Row]) -> tuple[list[str], int]:
    """Return the largest slices by the rate of the first system, and how many are left out."""
    size = {row["value"]: row["whole"] for row in reversed(hit_rates)}
    rate = {row["value"]: row["rate"] for row in reversed(hit_rates)}
    largest = sorted(size, key=lambda value: -size[value])[:SLICES_SHOWN]
    return sorted(largest, key=lambda value: -rate[value]), len(size) - len(largest)


def _point(row: Row, shown: Sequence[Row]) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    size = max(other["whole"] for other in shown if other["value"] == row["value"])
    return {
        "row": f"{row['value']} ({count(size)})",
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def _by_column(article: Article) -> Markup:
    """Return the rates for each value of each column of the lexicon, and their differences."""
    sliced = [row for row in rows(article.result, "rates") if row["column"] is not None]
    differences = rows(article.result, "compared_slices")
    share, parts = confidence(article.result), []
    for number, column in enumerate(unique(row["column"] for row in sliced)):
        of_column = [row for row in sliced if row["column"] == column]
        names = {"value": column, "metric": "rate"}
        parts += [
            element("h4", column),
            article.figure(slice_figure(of_column, f"slices-{number}", share)),
            rate_table(of_column, share, names, label=column),
        ]
        compared = [row for row in differences if row["column"] == column]
        if compared:
            parts += [
                paragraph(NOTE, "note"),
                difference_table(compared, share, column, label=f"differences by {column}"),
            ]
    return joined(parts)


COLUMNS = Section("columns", "Columns", "Which words, by the columns of the lexicon", _by_column)
