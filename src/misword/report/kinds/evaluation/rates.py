"""Hit rate, precision and recall: over the whole lexicon, and by its columns."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, is_number, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    text_cell,
)
from misword.report.result_access import Row, confidence, rows, unique


def whole_lexicon(result: Result) -> list[Row]:
    """Return the rates over the whole lexicon."""
    return [row for row in rows(result, "rates") if row["column"] is None]


def rate_figure(result: Result) -> Figure | None:
    """Return the chart of all rates: a row for each rate, a point for each system."""
    all_rates = whole_lexicon(result)
    names = unique(row["metric"] for row in all_rates)
    shown = [row for row in all_rates if is_number(row["rate"])]
    if not shown:
        return None
    shown.sort(key=lambda row: names.index(row["metric"]))
    series = unique(row["system"] for row in all_rates)
    fields = tooltip(row="rate", series="system", shown="share", interval="interval, %")
    text = "; ".join(f"{row['system']}: {row['metric']} {percent(row['rate'])} %" for row in shown)
    return Figure(
        "hits",
        f"Rates with {confidence(result)} intervals",
        f"Hit rate, precision and recall of each system: {text}.",
        interval_plot([_point(row) for row in shown], series, title="%", fields=fields),
        ["rate", "system", "%", "from", "to", "found", "of"],
        [
            [
                text_cell(row["metric"]),
                text_cell(row["system"]),
                *(number_cell(row[name], percent(row[name])) for name in ("rate", "low", "high")),
                *(number_cell(row[name], count(row[name])) for name in ("part", "whole")),
            ]
            for row in shown
        ],
    )


def _point(row: Row) -> Spec:
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": row["metric"],
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def rate_table(rates: Sequence[Row], share: str, column: str = "") -> Markup:
    """Return a table with a row for each system and number of candidates.

    With `column`, there is a row for each value of that column of the lexicon too.
    """
    kinds = unique(row["kind"] for row in rates)
    header = ["system", *([column] if column else []), "k"]
    header += [heading for kind in kinds for heading in (f"{kind}, %", f"{share} interval")]
    body: dict[tuple[object, ...], list[Cell]] = {}
    for row in rates:
        start = [text_cell(row["system"]), *([text_cell(row["value"])] if column else [])]
        key = (row["system"], row["value"], row["k"])
        line = body.setdefault(key, [*start, number_cell(row["k"], count(row["k"]))])
        line.append(number_cell(row["rate"], percent(row["rate"]) or "undefined"))
        line.append(number_cell(row["low"], span(row["low"], row["high"])))
    return data_table(header, list(body.values()), label=column or "rates")


def _by_column(article: Article) -> Markup:
    """Return the rates for each value of each column of the lexicon."""
    sliced = [row for row in rows(article.result, "rates") if row["column"] is not None]
    parts = []
    for column in unique(row["column"] for row in sliced):
        of_column = [row for row in sliced if row["column"] == column]
        table = rate_table(of_column, confidence(article.result), column)
        parts += [element("h4", column), table]
    return joined(parts)


COLUMNS = Section("columns", "Columns", "Which words, by the columns of the lexicon", _by_column)
