"""Pages of the report, one for each kind of result: headline, first screen and sections.

The registry's key is `Result.kind`. A new kind is one file with a class derived from `Kind`, and
one line in `KINDS`; another package adds its kind by the entry point `misword.report_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from misword.core.errors import InputError
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.markup import Markup
from misword.stat.descriptions import DESCRIPTIONS, describe

HERE = "misword.report.kinds"


class Kind(Part):
    """The page of one kind of result. A part is a frozen dataclass without options.

    `sections` are shown in their order after the first screen. The provenance and the citations
    follow on every page and are not among them. `content` names the texts of people that the page
    holds.
    """

    __slots__ = ()

    sections: ClassVar[tuple[Section, ...]] = ()
    content: ClassVar[str] = "transcripts"

    def headline(self, result: Result) -> str:
        """Return the main finding in one sentence; empty if the result has no rows for it."""
        return describe(result.kind).headline(result) if result.kind in DESCRIPTIONS else ""

    def answer(self, result: Result) -> str:
        """Return the heading of the page; empty if the headline is the heading."""
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
        "agreement": Entry(f"{HERE}.agreement:AgreementPage"),
        "audit": Entry(f"{HERE}.lexicons.audit:AuditPage"),
        "benchmark": Entry(f"{HERE}.benchmark:BenchmarkPage"),
        "check": Entry(f"{HERE}.check:CheckPage"),
        "combination": Entry(f"{HERE}.hypotheses.nbest:CombinationPage"),
        "comparison": Entry(f"{HERE}.comparison.kind:ComparisonPage"),
        "correlation": Entry(f"{HERE}.correlation:CorrelationPage"),
        "corruption": Entry(f"{HERE}.noise:CorruptionPage"),
        "downstream": Entry(f"{HERE}.noise:DownstreamPage"),
        "draft": Entry(f"{HERE}.lexicons.translations:DraftPage"),
        "evaluation": Entry(f"{HERE}.lexicons.evaluation:EvaluationPage"),
        "fit": Entry(f"{HERE}.fit:FitPage"),
        "mbr": Entry(f"{HERE}.hypotheses.nbest:MinimumRiskPage"),
        "oracle": Entry(f"{HERE}.hypotheses.nbest:OraclePage"),
        "realism": Entry(f"{HERE}.noise:RealismPage"),
        "references": Entry(f"{HERE}.references:ReferencesPage"),
        "rescored": Entry(f"{HERE}.hypotheses.nbest:RescoredPage"),
        "robustness": Entry(f"{HERE}.noise:RobustnessPage"),
        "scores": Entry(f"{HERE}.scores:ScoresPage"),
        "system-tuning": Entry(f"{HERE}.hypotheses.tuning:SystemTuningPage"),
        "translations": Entry(f"{HERE}.lexicons.translations:TranslationsPage"),
        "tuning": Entry(f"{HERE}.hypotheses.tuning:TuningPage"),
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
    """Return the headline of a result, or a general sentence if its kind makes none."""
    sentence = kind_of(result).headline(result)
    return sentence or f"A result of kind {result.kind}, without a headline."
