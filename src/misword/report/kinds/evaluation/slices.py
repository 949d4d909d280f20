"""Rates on slices of the lexicon by its columns, such as the part of speech."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, is_number, percent
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, interval_plot, tooltip
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.kinds.evaluation.differences import difference_table
from misword.report.kinds.evaluation.rates import number_cells, rate_point, rate_table
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
    order, sizes, left_out = _ordered(shown)
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
            [rate_point(row, f"{row['value']} ({count(sizes[row['value']])})") for row in shown],
            unique(row["system"] for row in rates),
            title=f"{metric}, %",
            fields=fields,
        ),
        [column, "system", f"{metric}, %", "from", "to", "found", "of"],
        [number_cells(row, row["value"]) for row in shown],
    )


def _ordered(hit_rates: Sequence[Row]) -> tuple[list[str], dict[str, int], int]:
    """Return the largest slices by the rate of the first system, their sizes, and how many more.

    Systems with different vocabularies answer different numbers of headwords: the largest counts.
    """
    sizes: dict[str, int] = {}
    rates: dict[str, float] = {}
    for row in hit_rates:
        sizes[row["value"]] = max(row["whole"], sizes.get(row["value"], 0))
        rates.setdefault(row["value"], row["rate"])
    largest = sorted(sizes, key=lambda value: -sizes[value])[:SLICES_SHOWN]
    order = sorted(largest, key=lambda value: -rates[value])
    return order, sizes, len(sizes) - len(largest)


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
