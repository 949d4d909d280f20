"""What the choice of hypotheses does to their translations."""

from __future__ import annotations

from misword.report.article import Article, Section
from misword.report.markup import Markup, joined
from misword.report.tables import page_table
from misword.stat.descriptions.hypotheses import translation_changes_table, translations_table


def _section(article: Article) -> Markup:
    """Return the scores of the translations of each choice, and their differences."""
    values = page_table(article, translations_table(article.result), "scores of the translations")
    changes = translation_changes_table(article.result)
    label = "differences of the translations"
    return joined([values, page_table(article, changes, label)]) if values else Markup()


TRANSLATED_CHOICES = Section(
    "translations", "Translations", "What the choice does to the translations", _section
)
