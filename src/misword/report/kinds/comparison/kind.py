"""How a comparison is shown."""

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
from misword.report.kinds.comparison.first_screen import comparison_answer, comparison_tiles
from misword.report.kinds.comparison.groups import GROUPS
from misword.report.kinds.comparison.headline import comparison_headline
from misword.report.kinds.comparison.relative_changes import forest_plot
from misword.report.kinds.comparison.slices import SLICES
from misword.report.kinds.comparison.tables import difference_table
from misword.report.kinds.comparison.worsened import CONTRAST, WORST
from misword.report.kinds.scores.first_screen import explanation, sentence_in_full
from misword.report.kinds.scores.kind import Scores
from misword.report.result_access import rows, table
from misword.report.sections.confusions import CONFUSIONS
from misword.report.sections.entities import ENTITIES
from misword.report.sections.error_kinds import ERROR_KINDS
from misword.report.sections.forgiven import FORGIVEN
from misword.report.sections.metric_correlations import METRIC_CORRELATIONS
from misword.report.sections.ranking import RANKINGS, has_many_systems, lead_ranking
from misword.report.sections.rates import introduction
from misword.report.sections.utterance_changes import UTTERANCE_CHANGES

NOTES = (
    "Negative changes are gains: fewer errors.",
    "p by paired permutation test, corrected for the number of comparisons (Holm).",
)


@dataclass(frozen=True)
class Comparison(Scores):
    """Differences with their tests; a comparison without differences is shown as its scores."""

    name = "comparison"
    sections: ClassVar[tuple[Section, ...]] = (
        GROUPS,
        ERROR_KINDS,
        RANKINGS,
        ENTITIES,
        METRIC_CORRELATIONS,
        SLICES,
        UTTERANCE_CHANGES,
        CONTRAST,
        WORST,
        EXPLORER,
        CONFUSIONS,
        FORGIVEN,
    )

    def headline(self, result: Result) -> str:
        """Return which system is better, on how many metrics, and what is not distinguishable."""
        return comparison_headline(result) or super().headline(result)

    def answer(self, result: Result) -> str:
        """Return the verdict with the rates before and after."""
        return comparison_answer(result) or super().answer(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the verdicts as tiles, the forest plot and the table of differences."""
        result = article.result
        if not rows(result, "differences"):
            return super().opening(article)
        sentences = [*introduction(result), *NOTES]
        ranking = lead_ranking(result) if has_many_systems(result) else None
        return (
            tiles(comparison_tiles(result), "differences"),
            explanation(result),
            article.figures([ranking, forest_plot(result)]),
            sentence_in_full(comparison_headline(result)),
            difference_table(result),
            paragraph(without_direction_marks(" ".join(sentences)), "note"),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on intervals, tests, corrections, slices and contrast."""
        yield from super().citations(result)
        differences = rows(result, "differences")
        if differences:
            yield from ("bisani2004", "noreen1989", "holm1979")
        if any(is_number(row.get("p_mapsswe")) for row in differences):
            yield "gillick1989"
        if table(result, "slices") is not None or table(result, "contrast") is not None:
            yield "roux2022"
