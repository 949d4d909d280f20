"""How scores are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import is_number
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.section import EXPLORER
from misword.report.html.markup import Markup, paragraph
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.scores.headline import scores_headline
from misword.report.result_access import rows
from misword.report.sections.confidences import CONFIDENCES
from misword.report.sections.confusions import CONFUSIONS
from misword.report.sections.entities import ENTITIES
from misword.report.sections.flagged import FLAGGED
from misword.report.sections.forgiven import FORGIVEN
from misword.report.sections.formatting import FORMATTING
from misword.report.sections.metric_correlations import METRIC_CORRELATIONS
from misword.report.sections.rates import introduction, rate_figure, rate_table
from misword.report.sections.utterance_changes import UTTERANCE_CHANGES


@dataclass(frozen=True)
class Scores(Kind):
    """Rates with intervals; below them the correlations, the changes and the utterances."""

    name = "scores"
    sections: ClassVar[tuple[Section, ...]] = (
        ENTITIES,
        METRIC_CORRELATIONS,
        UTTERANCE_CHANGES,
        EXPLORER,
        FLAGGED,
        CONFUSIONS,
        CONFIDENCES,
        FORMATTING,
        FORGIVEN,
    )

    def headline(self, result: Result) -> str:
        """Return the first metric with its interval, or the system with the lowest rate."""
        return scores_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the data, the table of rates and their chart."""
        result = article.result
        text = without_direction_marks(" ".join(introduction(result)))
        return (
            paragraph(text, "introduction"),
            rate_table(result),
            article.figure(rate_figure(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the paper on bootstrap intervals, if there are any."""
        bounded = any(is_number(row.get("low")) for row in rows(result, "summary"))
        return ("bisani2004",) if bounded else ()
