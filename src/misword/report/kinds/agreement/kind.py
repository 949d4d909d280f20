"""How agreement with people is shown: whether metrics prefer the transcripts that people prefer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup
from misword.report.kinds import Kind
from misword.report.kinds.agreement.figure import agreement_plot
from misword.report.kinds.agreement.headline import agreement_headline
from misword.report.kinds.agreement.triplets import TRIPLETS


@dataclass(frozen=True)
class Agreement(Kind):
    """How often each metric agrees with people, and the triplets on which metrics do not."""

    name = "agreement"
    cites = ("hats2023",)
    sections: ClassVar[tuple[Section, ...]] = (TRIPLETS,)

    def headline(self, result: Result) -> str:
        """Return the metric that agrees most often with people."""
        return agreement_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the chart of agreement."""
        return (article.figure(agreement_plot(article.result)),)
