"""How the realism of noise channels is shown: the bits that each needs for real errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup
from misword.report.tables import page_table
from misword.stat.descriptions.noise import channels_table, judged_errors_table


def _errors(article: Article) -> Markup:
    return page_table(article, judged_errors_table(article.result))


ERRORS = Section("errors", "Errors", "Real errors, and their bits", _errors)


@dataclass(frozen=True)
class RealismPage(Kind):
    """The realism of channels: bits for each real error, and the errors themselves."""

    name = "realism"
    sections: ClassVar[tuple[Section, ...]] = (ERRORS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of channels."""
        return (page_table(article, channels_table(article.result), "channels", tall=False),)
