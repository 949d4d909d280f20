"""What the choice of hypotheses does to their translations."""

from __future__ import annotations

from misword.core.formatting import count, number, probability
from misword.report.article import Article, Section
from misword.report.markup import Cell, Markup, data_table, joined, number_cell, text_cell
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles


def _value(row: Row, title: Titles) -> list[Cell]:
    return [
        text_cell(row["system"]),
        text_cell(title(row["score"])),
        text_cell(title(row["chosen_by"])),
        *(number_cell(row[key], number(row[key])) for key in ("value", "low", "high")),
    ]


def _change(row: Row, title: Titles) -> list[Cell]:
    return [
        text_cell(row["system"]),
        text_cell(title(row["score"])),
        text_cell(title(row["chosen_by"])),
        text_cell(title(row["against"])),
        *(number_cell(row[key], number(row[key])) for key in ("difference", "low", "high")),
        number_cell(row["p_holm"], probability(row["p_holm"])),
        *(number_cell(row[key], count(row[key])) for key in ("wins", "ties", "losses")),
    ]


def _section(article: Article) -> Markup:
    """Return the scores of the translations of each choice, and their differences."""
    result = article.result
    values, changes = rows(result, "translations"), rows(result, "translation_changes")
    if not values:
        return Markup()
    title, share = titles(result), confidence(result)
    head = ("system", "score", "chosen by")
    bounds = (f"from ({share})", "to")
    return joined(
        [
            data_table(
                (*head, "value", *bounds),
                [_value(row, title) for row in values],
                label="scores of the translations",
            ),
            data_table(
                (*head, "against", "difference", *bounds, "p", "wins", "ties", "losses"),
                [_change(row, title) for row in changes],
                label="differences of the translations",
            ),
        ]
    )


TRANSLATED_CHOICES = Section(
    "translations", "Translations", "What the choice does to the translations", _section
)
