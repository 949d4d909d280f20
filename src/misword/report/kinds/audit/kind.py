"""How an audit of a gold lexicon is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, listed
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, paragraph
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.audit.composition import COMPOSITION, LEAKS
from misword.report.kinds.audit.flags import FLAGGED, flag_figure, flag_table, not_given
from misword.report.kinds.audit.headline import audit_headline
from misword.report.kinds.audit.systems import ERRORS, SYSTEMS
from misword.report.result_access import table


@dataclass(frozen=True)
class Audit(Kind):
    """Flags of the pairs of a gold lexicon, its composition, and systems on its variants."""

    name = "audit"
    cites = ("kementchedjhieva2019", "denisova2023")
    sections: ClassVar[tuple[Section, ...]] = (SYSTEMS, ERRORS, COMPOSITION, LEAKS, FLAGGED)

    def headline(self, result: Result) -> str:
        """Return the shares of names and leaks, and whether systems change places."""
        return audit_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the lexicon, the table of flags and its chart."""
        result = article.result
        return (
            paragraph(_introduction(result), "introduction"),
            flag_table(result),
            not_given(result),
            article.figure(flag_figure(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on audits and, where systems were compared, on the tests."""
        compared = table(result, "conclusions") is not None
        return (*self.cites, "bisani2004", "holm1979") if compared else self.cites


def _introduction(result: Result) -> str:
    """Return the name and the size of the lexicon, and what the cleaned copy leaves out."""
    facts = result.provenance
    name = facts.get("gold", {}).get("name", "the lexicon")
    languages = " to ".join(facts.get("languages", ()))
    numbers = ((facts.get("pairs", 0), "pair"), (facts.get("headwords", 0), "headword"))
    size = " of ".join(counted(number, noun) for number, noun in numbers)
    left_out = listed([str(flag) for flag in facts.get("left_out", ())])
    cleaned = (
        f" A cleaned copy without the pairs flagged as {left_out} has "
        f"{counted(facts.get('kept', 0), 'pair')}."
        if left_out
        else ""
    )
    return without_direction_marks(
        f"{name}, {languages}: {size}. A pair has a flag if its probability is "
        f"{facts.get('threshold', 0.5):g} or more; the expected pairs are the sum of all "
        f"probabilities.{cleaned}"
    )
