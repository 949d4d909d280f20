"""How an evaluation of mappings is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, element
from misword.report.kinds import Kind
from misword.report.kinds.evaluation.coverage import COVERAGE
from misword.report.kinds.evaluation.differences import DIFFERENCES
from misword.report.kinds.evaluation.entries import ENTRIES
from misword.report.kinds.evaluation.headline import evaluation_headline
from misword.report.kinds.evaluation.probabilities import CALIBRATION, THRESHOLDS
from misword.report.kinds.evaluation.rates import (
    LEXICONS,
    rate_figure,
    rate_table,
    whole_lexicon,
)
from misword.report.kinds.evaluation.slices import COLUMNS
from misword.report.result_access import confidence, rows, table


@dataclass(frozen=True)
class Evaluation(Kind):
    """Hit rate, precision and recall of each mapping and retriever on a gold lexicon."""

    name = "evaluation"
    cites = ("conneau2018", "kementchedjhieva2019", "denisova2023", "bisani2004")
    sections: ClassVar[tuple[Section, ...]] = (
        DIFFERENCES, ENTRIES, COLUMNS, LEXICONS, THRESHOLDS, CALIBRATION, COVERAGE,
    )  # fmt: skip

    def headline(self, result: Result) -> str:
        """Return the hit rate of one system, or the system with the highest."""
        return evaluation_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the definitions of the rates, their table and their chart."""
        result = article.result
        return (
            _introduction(result),
            rate_table(whole_lexicon(result), confidence(result)),
            article.figure(rate_figure(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on the rates and, where systems were compared, on the correction."""
        compared = table(result, "compared") is not None
        return (*self.cites, "holm1979") if compared else self.cites


def _introduction(result: Result) -> Markup:
    """Return the size of the lexicon and the definitions of the rates."""
    coverage = rows(result, "coverage")
    size = coverage[0] if coverage else {"pairs": 0, "headwords": 0}
    text = (
        f"{counted(len(result.provenance.get('systems', ())), 'system')} on "
        f"{counted(size['pairs'], 'gold pair')} of {counted(size['headwords'], 'headword')}. "
        "hit@k: headwords with a gold translation among k candidates (rule for words out of the "
        f"vocabulary: {result.provenance.get('oov', 'drop')}); precision@k: candidates that are "
        "gold; recall@k: gold pairs that are found. Intervals are "
        f"{confidence(result)}, by bootstrap over headwords."
    )
    return element("p", text, class_="introduction")
