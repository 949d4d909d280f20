"""Differences of mappings and retrievers against the first system."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, percent, probability, signed, signed_span
from misword.report.article import Article, Section
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    text_cell,
)
from misword.report.result_access import (
    VERDICT_TEXTS,
    Row,
    Verdict,
    confidence,
    deciding_p,
    rows,
    verdict,
)

NOTE = (
    "Positive is better. p by paired permutation test over headwords, corrected for the number of "
    "comparisons (Holm). Hit rates are compared on the headwords that count for both."
)


def _section(article: Article) -> Markup:
    differences = rows(article.result, "compared")
    if not differences:
        return Markup()
    table = difference_table(differences, confidence(article.result))
    return joined([element("p", NOTE, class_="note"), table])


def difference_table(
    differences: Sequence[Row], share: str, column: str = "", *, label: str = "differences"
) -> Markup:
    """Return the table of differences; with `column`, of slices, whose values come first."""
    header = [*([column] if column else []), "rate", "system", "verdict",
              f"{differences[0]['baseline']}, %", "%", "difference, points", f"{share} interval",
              "p", "headwords", "better", "worse"]  # fmt: skip
    body = [[*([text_cell(row["value"])] if column else []), *_cells(row)] for row in differences]
    faint = [_verdict(row) not in ("better", "worse") for row in differences]
    return data_table(header, body, label=label, faint=faint, tall=bool(column))


DIFFERENCES = Section("compared", "Differences", "Is one better than the first?", _section)


def _cells(row: Row) -> list[Cell]:
    p = deciding_p(row)
    return [
        text_cell(row["metric"]),
        text_cell(row["system"]),
        text_cell(VERDICT_TEXTS[_verdict(row)]),
        number_cell(row["baseline_rate"], percent(row["baseline_rate"])),
        number_cell(row["rate"], percent(row["rate"])),
        number_cell(row["difference"], signed(row["difference"], 2)),
        number_cell(row["low"], signed_span(row["low"], row["high"], 2)),
        number_cell(p, probability(p)),
        *(number_cell(row[name], count(row[name])) for name in ("headwords", "better", "worse")),
    ]


def _verdict(row: Row) -> Verdict:
    return verdict(row, lower_is_better=False)
