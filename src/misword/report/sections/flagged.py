"""Hypotheses that look made up or stuck."""

from __future__ import annotations

from misword.core.formatting import count
from misword.report.article import Article, Section
from misword.report.explorer.labels import FLAG
from misword.report.explorer.links import WORDS, field_is, filter_cell
from misword.report.explorer.section import opening_cell
from misword.report.html.markup import (
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import table

SHOWN = 200  # rows
LONGEST = 400  # characters of a text
MEANINGS = {
    "loop": "words of loops that were not said",
    "burst": "successive insertions",
    "long": "words, far more than the reference has",
    "empty": "words of the reference, and no hypothesis",
    "script": "words in another script than the reference",
    "language": "words in another language than the references",
}


def _section(article: Article) -> Markup:
    """Return a table of the flagged hypotheses."""
    flagged = table(article.result, "flagged")
    if flagged is None or flagged.is_empty():
        return Markup()
    meanings = "; ".join(f"{name}: {text}" for name, text in MEANINGS.items())
    more = len(flagged) - SHOWN
    rest = f" {count(more)} more are in the table flagged of the result." if more > 0 else ""
    body = [
        [
            opening_cell(article, row["utt"]),
            text_cell(row["system"]),
            filter_cell(row["flag"], field_is(WORDS, FLAG, row["flag"])),
            number_cell(row["words"], count(row["words"])),
            *(text_cell(_cut(row[side])) for side in ("reference", "hypothesis")),
        ]
        for row in flagged.head(SHOWN).to_dicts()
    ]
    header = ["utterance", "system", "flag", "words", "reference", "hypothesis"]
    text = f"The number of words of each flag: {meanings}.{rest}"
    return joined([paragraph(text, "note"), data_table(header, body, label="flagged", tall=True)])


FLAGGED = Section("flagged", "Flagged", "Hypotheses that look made up or stuck", _section)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
