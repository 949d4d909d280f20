"""How noisy texts are shown: the errors at each word error rate, and the most frequent of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup
from misword.report.tables import page_table
from misword.stat.descriptions.noise import corruption_table, frequent_errors_table


def _frequent_errors(article: Article) -> Markup:
    return page_table(article, frequent_errors_table(article.result))


ERRORS = Section("errors", "Errors", "The most frequent errors", _frequent_errors)


@dataclass(frozen=True)
class CorruptionPage(Kind):
    """The noisy texts of `misword corrupt`: their error rates, and the most frequent errors."""

    name = "corruption"
    sections: ClassVar[tuple[Section, ...]] = (ERRORS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of error rates."""
        return (page_table(article, corruption_table(article.result), "noisy texts", tall=False),)
