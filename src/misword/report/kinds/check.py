"""The page of the findings of checks: what is wrong, where, and how it can be mended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, listed
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.tables import page_table
from misword.stat.descriptions.checks import checks_table, examples_table, findings_table
from misword.stat.descriptions.result_access import Row, rows


def _introduction(result: Result) -> str:
    """Return the sizes of the files, and the number of checks."""
    files = [
        f"{row['file']} ({row['side']}, {counted(row['utterances'], 'utterance')})"
        for row in rows(result, "files")
    ]
    made = counted(len(result.provenance.get("checks", ())), "check")
    return without_direction_marks(f"{made} of {listed(files)}.")


def _details(article: Article) -> Markup:
    """Return each finding with its evidence, its examples and the command that mends it."""
    findings = rows(article.result, "findings")
    return joined(part for row in findings for part in _detail(article, row))


def _detail(article: Article, finding: Row) -> Iterator[Markup]:
    heading = f"{finding['file']}, {finding['place']}: {finding['message']}"
    yield element("h4", without_direction_marks(heading))
    if finding["evidence"]:
        yield paragraph(f"Evidence: {finding['evidence']}.", "note")
    yield page_table(article, examples_table(article.result, finding["finding"]), "examples")
    if finding["mend"]:
        yield paragraph("A command that mends it:", "note")
        yield element("pre", finding["mend"], tabindex="0")


def _checks_made(article: Article) -> Markup:
    """Return a table of the checks with the number of their findings."""
    return page_table(article, checks_table(article.result))


DETAILS = Section("details", "Findings", "The findings one by one", _details)
CHECKS = Section("checks", "Checks", "The checks that were made", _checks_made)


@dataclass(frozen=True)
class CheckPage(Kind):
    """What checks of data found, with examples and the commands that mend it."""

    name = "check"
    sections: ClassVar[tuple[Section, ...]] = (DETAILS, CHECKS)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the files, and the table of findings."""
        return (
            paragraph(_introduction(article.result), "introduction"),
            page_table(article, findings_table(article.result)),
        )
