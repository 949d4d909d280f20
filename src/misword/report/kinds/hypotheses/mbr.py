"""How choices with the least expected cost are shown: rates, scales and chosen texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup
from misword.report.tables import page_table
from misword.stat.descriptions.hypotheses import chosen_table, mbr_rates_table, scales_table

# The table of texts has at most this many rows.
TEXTS_SHOWN = 100


def _scales(article: Article) -> Markup:
    """Return the rate at each scale."""
    return page_table(article, scales_table(article.result), "scales")


def _texts(article: Article) -> Markup:
    """Return chosen texts that are not of rank 1, the greatest gain first."""
    chosen = chosen_table(article.result)
    moved = [row for row in chosen.rows if row["rank"] > 1]
    moved.sort(key=lambda row: row["expected"] - row["expected_first"])
    return page_table(article, replace(chosen, rows=moved[:TEXTS_SHOWN]), "texts")


SCALES = Section("scales", "Scales", "The rate at each scale of the scores", _scales)
TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _texts)


@dataclass(frozen=True)
class MinimumRiskPage(Kind):
    """Choices with the least expected cost: their rates, the scales, and the texts."""

    name = "mbr"
    cites = ("stolcke1997",)
    sections: ClassVar[tuple[Section, ...]] = (SCALES, TEXTS)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (page_table(article, mbr_rates_table(article.result), "rates"),)
