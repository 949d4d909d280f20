"""Hit rate, precision and recall over the whole lexicon, and on other lexicons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from misword.core.formatting import count, is_number, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
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

NAMES = {"metric": "rate"}
LEXICONS_NOTE = "The other sections of this page are about the first lexicon."


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
        interval_plot(
            [rate_point(row, row["metric"]) for row in shown], series, title="%", fields=fields
        ),
        ["rate", "system", "%", "from", "to", "found", "of"],
        [number_cells(row, row["metric"]) for row in shown],
    )


def rate_point(row: Row, name: str) -> Spec:
    """Return the point of a rate in the row of a chart that has this name."""
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": name,
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def number_cells(row: Row, name: str) -> list[Cell]:
    """Return the cells of a rate in the numbers of a chart."""
    return [
        text_cell(name),
        text_cell(row["system"]),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        *(number_cell(row[key], count(row[key])) for key in ("part", "whole")),
    ]


def rate_table(
    rates: Sequence[Row], share: str, names: Mapping[str, str] = NAMES, *, label: str = "rates"
) -> Markup:
    """Return a table with a row for each rate, in which the systems stand side by side.

    `names` are the columns of the rows that name a line, with their headings. Where there are other
    names than that of the rate, the number that the rate is a share of is in the table too.
    """
    systems, sizes = unique(row["system"] for row in rates), names is not NAMES
    header = [*names.values(), *(["of"] if sizes else [])]
    header += [heading for system in systems for heading in (f"{system}, %", f"{share} interval")]
    lines: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rates:
        lines.setdefault(tuple(row[name] for name in names), {})[row["system"]] = row
    body = [
        [
            *map(text_cell, key),
            *([_size_cell(of_line.values())] if sizes else []),
            *(cell for system in systems for cell in _rate_cells(of_line.get(system))),
        ]
        for key, of_line in lines.items()
    ]
    return data_table(header, body, label=label, tall=sizes)


def _rate_cells(row: Row | None) -> tuple[Cell, Cell]:
    if row is None:
        return number_cell(None, ""), number_cell(None, "")
    return (
        number_cell(row["rate"], percent(row["rate"]) or "undefined"),
        number_cell(row["low"], span(row["low"], row["high"])),
    )


def _size_cell(of_line: Iterable[Row]) -> Cell:
    """Return the number that a rate is a share of; a range where the systems differ in it."""
    sizes = [row["whole"] for row in of_line]
    low, high = min(sizes), max(sizes)
    return number_cell(high, count(high) if low == high else f"{count(low)} to {count(high)}")


def _by_lexicon(article: Article) -> Markup:
    """Return the rates on each gold lexicon."""
    rates = rows(article.result, "gold_sets")
    if not rates:
        return Markup()
    names = {"gold": "gold lexicon", **NAMES}
    table = rate_table(rates, confidence(article.result), names, label="gold lexicons")
    return joined([paragraph(LEXICONS_NOTE, "note"), table])


LEXICONS = Section("lexicons", "Lexicons", "Is it the same on other lexicons?", _by_lexicon)
