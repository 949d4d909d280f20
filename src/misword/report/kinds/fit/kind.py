"""How a blend that was learnt from people's judgements is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, number
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, joined, paragraph
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.fit.agreement import agreement_headline, agreement_plot
from misword.report.kinds.fit.correlations import (
    correlation_headline,
    correlation_plot,
    rating_plot,
)
from misword.report.kinds.fit.differences import DIFFERENCES
from misword.report.kinds.fit.learning import CURVE, SELECTION, WEIGHTS
from misword.report.result_access import rows, table, titles


@dataclass(frozen=True)
class FittedBlend(Kind):
    """The quality of a blend, its weights, and the judgements that it does not follow."""

    name = "fit"
    sections: ClassVar[tuple[Section, ...]] = (WEIGHTS, CURVE, SELECTION, DIFFERENCES)

    def headline(self, result: Result) -> str:
        """Return what the blend reaches, beside the best single metric and one voter."""
        return agreement_headline(result) or correlation_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return how the quality was measured, and its chart: agreement, or correlations."""
        result = article.result
        return (
            _introduction(result),
            article.figure(agreement_plot(result)),
            article.figure(correlation_plot(result)),
            article.figure(rating_plot(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on intervals, and on tests of differences in agreement."""
        quality = table(result, "quality")
        if quality is not None:
            yield "bisani2004"
            if "agreed" in quality.columns:
                yield from ("noreen1989", "holm1979")


def _introduction(result: Result) -> Markup:
    """Return how the quality was measured, and the notes of the run."""
    judged, provenance = table(result, "judgements"), result.provenance
    if judged is None:
        return Markup()
    of_choices = "votes_a" in judged.columns
    references = judged["reference" if of_choices else "a"].n_unique()
    start = "equal influence of all metrics"
    if provenance.get("prior", "equal influence") != "equal influence":
        start = f"the weights of {provenance['prior']}"
    folds, repeats = provenance.get("folds", 0), provenance.get("repeats", 0)
    size = counted(len(judged), "choice" if of_choices else "rating")
    text = (
        f"The rate of the blend is {_formula(result)}. {size} of "
        f"{counted(references, 'reference')}. Each is judged by weights that were learnt from "
        f"other references ({counted(folds, 'fold')}, {counted(repeats, 'repeat')}). Weights are "
        f"drawn to {start}."
    )
    notes = [paragraph(without_direction_marks(str(note)), "note") for note in _notes(result)]
    return joined([paragraph(without_direction_marks(text), "introduction"), *notes])


def _formula(result: Result) -> str:
    """Return the weighted sum of the metrics."""
    title = titles(result)
    weights = [row for row in rows(result, "weights") if row["weight"] > 0]
    return " + ".join(f"{number(row['weight'], 3)} {title(row['metric'])}" for row in weights)


def _notes(result: Result) -> Iterable[str]:
    """Return the notes of the run as sentences."""
    return (f"{note}." for note in result.provenance.get("notes", ()))
