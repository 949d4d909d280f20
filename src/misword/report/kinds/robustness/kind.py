"""How the robustness of encoders is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, data_table, element, joined, number_cell, text_cell
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.robustness.encoder_table import encoder_table
from misword.report.kinds.robustness.figures import correlation_plot, similarity_plot
from misword.report.kinds.robustness.headline import robustness_headline
from misword.report.result_access import confidence, rows


def _examples(article: Article) -> Markup:
    """Return some sentences with their noisy versions."""
    examples = rows(article.result, "examples")
    if not examples:
        return Markup()
    body = [
        [
            text_cell(row["sentence"]),
            number_cell(row["wer"], percent(row["wer"], 0)),
            text_cell(row["heard"]),
        ]
        for row in examples
    ]
    return data_table(["said", "WER, %", "heard"], body, label="examples", tall=True)


EXAMPLES = Section("heard", "Heard", "What was heard", _examples)


@dataclass(frozen=True)
class Robustness(Kind):
    """Correlation with people's scores and similarity with the clean sentence, by error rate."""

    name = "robustness"
    cites = ("voleti2019",)
    sections: ClassVar[tuple[Section, ...]] = (EXAMPLES,)

    def headline(self, result: Result) -> str:
        """Return the encoder that follows people's scores best at the highest error rate."""
        return robustness_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return how the study was made, the table of encoders and both charts."""
        result = article.result
        return (
            _introduction(result),
            encoder_table(result),
            article.figure(correlation_plot(result)),
            article.figure(similarity_plot(result)),
        )


def _introduction(result: Result) -> Markup:
    """Return how the study was made, its intervals and its notes."""
    provenance = result.provenance
    if not rows(result, "levels"):
        return Markup()
    corpus = "each noisy corpus" if provenance.get("refit") else "the clean sentences"
    text = (
        f"{counted(provenance.get('pairs', 0), 'pair')} of sentences, "
        f"{counted(provenance.get('trials', 0), 'trial')} at each word error rate; channel "
        f"{provenance.get('channel', '')}. Encoders that learn from a corpus learnt from {corpus}. "
        f"Intervals are {confidence(result)}, Student's, over trials."
    )
    paragraphs = [
        (text, "introduction"),
        *((str(note), "note") for note in provenance.get("notes", ())),
    ]
    return joined(
        element("p", without_direction_marks(words), class_=kind) for words, kind in paragraphs
    )
