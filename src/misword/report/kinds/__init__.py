"""Kinds of result, and how the report shows each: its headline, first screen and sections.

The registry's key is `Result.kind`. A new kind is one file with a class derived from `Kind`, and
one line in `KINDS`; another package adds its kind by the entry point `misword.report_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from misword.core.errors import InputError
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup

HERE = "misword.report.kinds"


class Kind(Part):
    """How results of one kind are shown. A part is a frozen dataclass without options.

    `sections` are shown in their order after the first screen. The provenance and the citations
    follow on every page and are not among them.
    """

    __slots__ = ()

    sections: ClassVar[tuple[Section, ...]] = ()

    def headline(self, result: Result) -> str:
        """Return the main finding in one sentence; empty if the result has no rows for it."""
        return ""

    def answer(self, result: Result) -> str:
        """Return the heading of the page, if it is to be shorter than the headline; else empty."""
        return ""

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the elements below the headline on the first screen: text, table, chart."""
        return ()

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers behind the intervals, tests and tables that this result has.

        They are keys of misword's bibliography or whole BibTeX entries, like `cites`. The papers
        behind the metrics and encoders are in the result itself.
        """
        return self.cites


KINDS: Registry[Kind] = Registry(
    "report_kinds",
    {
        "agreement": Entry(f"{HERE}.agreement.kind:Agreement"),
        "audit": Entry(f"{HERE}.audit.kind:Audit"),
        "check": Entry(f"{HERE}.check:CheckFindings"),
        "combination": Entry(f"{HERE}.combination:Combination"),
        "comparison": Entry(f"{HERE}.comparison.kind:Comparison"),
        "correlation": Entry(f"{HERE}.correlation.kind:Correlation"),
        "corruption": Entry(f"{HERE}.corruption:Corruption"),
        "draft": Entry(f"{HERE}.draft.kind:DraftLexicon"),
        "evaluation": Entry(f"{HERE}.evaluation.kind:Evaluation"),
        "fit": Entry(f"{HERE}.fit.kind:FittedBlend"),
        "mbr": Entry(f"{HERE}.mbr:MinimumRisk"),
        "oracle": Entry(f"{HERE}.oracle:Oracle"),
        "realism": Entry(f"{HERE}.realism:Realism"),
        "rescored": Entry(f"{HERE}.rescored.kind:RescoredLists"),
        "robustness": Entry(f"{HERE}.robustness.kind:Robustness"),
        "scores": Entry(f"{HERE}.scores.kind:Scores"),
        "system-tuning": Entry(f"{HERE}.tuning.systems:ChosenSystem"),
        "translations": Entry(f"{HERE}.translations:Translations"),
        "tuning": Entry(f"{HERE}.tuning.kind:TunedWeights"),
    },
)


def kind_of(result: Result) -> Kind:
    """Return the part that shows a result."""
    names = KINDS.names()
    if result.kind not in names:
        raise InputError(
            f"there is no report page for results of kind {result.kind!r}",
            fix=f"kinds with a page: {', '.join(names)}",
        )
    return KINDS.load(result.kind)()


def headline(result: Result) -> str:
    """Return the headline of a result, or a general sentence where its kind has none for it."""
    sentence = kind_of(result).headline(result)
    return sentence or f"A result of kind {result.kind}, without anything to say in one sentence."
