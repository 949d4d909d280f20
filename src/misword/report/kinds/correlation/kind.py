"""How correlations are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, paragraph
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.correlation.downstream import DOWNSTREAM
from misword.report.kinds.correlation.headline import correlation_headline
from misword.report.kinds.correlation.scatter import SCATTER
from misword.report.result_access import rows, table
from misword.report.sections.metric_correlations import heatmap


@dataclass(frozen=True)
class Correlation(Kind):
    """Correlations between metrics, and of metrics with scores of the translated transcripts."""

    name = "correlation"
    sections: ClassVar[tuple[Section, ...]] = (SCATTER, DOWNSTREAM)

    def headline(self, result: Result) -> str:
        """Return which metrics are most alike, and which one follows a downstream score best."""
        return correlation_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the data and the correlations between metrics."""
        result = article.result
        text = without_direction_marks(" ".join(_introduction(result)))
        return paragraph(text, "introduction"), article.figure(
            heatmap(result, rows(result, "metrics"))
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the paper on correlation with translation scores, where there are any."""
        return ("le2016",) if table(result, "downstream") is not None else ()


def _introduction(result: Result) -> Iterable[str]:
    """Yield sentences on the size of the data and of its blocks."""
    provenance = result.provenance
    if "utterances" not in provenance:
        return
    systems = counted(len(provenance.get("systems", ())), "system")
    yield f"{systems}, {counted(provenance['utterances'], 'utterance')}."
    if provenance.get("block_size"):
        yield f"Blocks of {counted(provenance['block_size'], 'utterance')}."
