"""How the combination of several systems is shown: rates and texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup
from misword.report.tables import page_table
from misword.stat.descriptions.hypotheses import combination_rates_table, combined_texts_table

# The table of texts has at most this many rows.
TEXTS_SHOWN = 100


def _texts(article: Article) -> Markup:
    """Return the first combined texts."""
    texts = combined_texts_table(article.result)
    return page_table(article, replace(texts, rows=texts.rows[:TEXTS_SHOWN]))


TEXTS = Section("texts", "Texts", "The first combined texts", _texts)


@dataclass(frozen=True)
class CombinationPage(Kind):
    """The combination of several systems: rates and texts."""

    name = "combination"
    cites = ("fiscus1997",)
    sections: ClassVar[tuple[Section, ...]] = (TEXTS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (page_table(article, combination_rates_table(article.result)),)
