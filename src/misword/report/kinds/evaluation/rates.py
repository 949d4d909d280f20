"""Hit rate, precision and recall: over the whole lexicon, and by its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    paragraph,
    text_cell,
)
from misword.report.kinds.evaluation.differences import difference_table
from misword.report.result_access import Row, confidence, rows, unique

NAMES = {"system": "system"}
SLICES_NOTE = (
    "Each system against the first on the same slice. p by paired permutation test over headwords, "
    "corrected for all comparisons on slices (Holm)."
)
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


def rate_table(
    rates: Sequence[Row], share: str, names: Mapping[str, str] = NAMES, *, label: str = "rates"
) -> Markup:
    """Return a table with a row for each combination of `names` and number of candidates.

    `names` are the columns of the rows that name a line, with their headings. Where there are other
    names than those of systems, the numbers of headwords and pairs are in the table too.
    """
    kinds, sizes = unique(row["kind"] for row in rates), names is not NAMES
    header = [*names.values(), "k", *(["headwords", "pairs"] if sizes else [])]
    header += [heading for kind in kinds for heading in (f"{kind}, %", f"{share} interval")]
    lines: dict[tuple[object, ...], list[Row]] = {}
    for row in rates:
        lines.setdefault((*(row[name] for name in names), row["k"]), []).append(row)
    body = [
        [
            *(text_cell(of_line[0][name]) for name in names),
            number_cell(of_line[0]["k"], count(of_line[0]["k"])),
            *(_size_cells(of_line) if sizes else ()),
            *(cell for row in of_line for cell in _rate_cells(row)),
        ]
        for of_line in lines.values()
    ]
    return data_table(header, body, label=label)


def _rate_cells(row: Row) -> tuple[Cell, Cell]:
    return (
        number_cell(row["rate"], percent(row["rate"]) or "undefined"),
        number_cell(row["low"], span(row["low"], row["high"])),
    )


def _size_cells(of_line: Sequence[Row]) -> list[Cell]:
    """Return the number of headwords in the hit rate, and of pairs in recall."""
    sizes = {row["kind"]: row["whole"] for row in of_line}
    return [number_cell(sizes.get(kind), count(sizes.get(kind))) for kind in ("hit", "recall")]


def _by_column(article: Article) -> Markup:
    """Return the rates for each value of each column of the lexicon, and their differences."""
    sliced = [row for row in rows(article.result, "rates") if row["column"] is not None]
    differences = rows(article.result, "compared_slices")
    share, parts = confidence(article.result), []
    for column in unique(row["column"] for row in sliced):
        of_column = [row for row in sliced if row["column"] == column]
        names = {"system": "system", "value": column}
        parts += [element("h4", column), rate_table(of_column, share, names, label=column)]
        compared = [row for row in differences if row["column"] == column]
        if compared:
            parts += [
                paragraph(SLICES_NOTE, "note"),
                difference_table(compared, share, column, label=f"differences by {column}"),
            ]
    return joined(parts)


COLUMNS = Section("columns", "Columns", "Which words, by the columns of the lexicon", _by_column)


def _by_lexicon(article: Article) -> Markup:
    """Return the rates on each gold lexicon."""
    rates = rows(article.result, "gold_sets")
    if not rates:
        return Markup()
    names = {"gold": "gold lexicon", "system": "system"}
    table = rate_table(rates, confidence(article.result), names, label="gold lexicons")
    return joined([paragraph(LEXICONS_NOTE, "note"), table])


LEXICONS = Section("lexicons", "Lexicons", "Is it the same on other lexicons?", _by_lexicon)
