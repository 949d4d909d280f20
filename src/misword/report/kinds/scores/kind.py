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
from misword.report.html.tiles import tiles
from misword.report.kinds import Kind
from misword.report.kinds.scores.first_screen import (
    explanation,
    scores_answer,
    scores_tiles,
    sentence_in_full,
)
from misword.report.kinds.scores.headline import scores_headline
from misword.report.result_access import rows
from misword.report.sections.confidences import CONFIDENCES
from misword.report.sections.confusions import CONFUSIONS
from misword.report.sections.entities import ENTITIES
from misword.report.sections.error_kinds import ERROR_KINDS
from misword.report.sections.flagged import FLAGGED
from misword.report.sections.forgiven import FORGIVEN
from misword.report.sections.formatting import FORMATTING
from misword.report.sections.metric_correlations import METRIC_CORRELATIONS
from misword.report.sections.ranking import RANKINGS
from misword.report.sections.rate_groups import RATE_GROUPS
from misword.report.sections.rates import introduction, rate_figure, rate_table
from misword.report.sections.utterance_changes import UTTERANCE_CHANGES


@dataclass(frozen=True)
class Scores(Kind):
    """Rates with intervals; below them the correlations, the changes and the utterances."""

    name = "scores"
    sections: ClassVar[tuple[Section, ...]] = (
        ERROR_KINDS,
        RATE_GROUPS,
        RANKINGS,
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

    def answer(self, result: Result) -> str:
        """Return the lowest rate of the lead metric in a short sentence."""
        return scores_answer(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the rates as tiles, their chart and their table."""
        result = article.result
        return (
            tiles(scores_tiles(result), "rates"),
            explanation(result),
            article.figure(rate_figure(result)),
            sentence_in_full(scores_headline(result) if scores_answer(result) else ""),
            rate_table(result),
            paragraph(without_direction_marks(" ".join(introduction(result))), "note"),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the paper on bootstrap intervals, if there are any."""
        bounded = any(is_number(row.get("low")) for row in rows(result, "summary"))
        return ("bisani2004",) if bounded else ()
