"""How the findings of checks are shown: what is wrong, where, and how it can be mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import count, counted, listed
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
    without_direction_marks,
)
from misword.stat.descriptions.result_access import Row, rows, titles

SEVERITIES = ("error", "warning", "note")
HEADER = ("severity", "finding", "file", "place", "check", "lines")


def check_headline(result: Result) -> str:
    """Return the numbers of findings, and the first of them."""
    findings = rows(result, "findings")
    if not findings:
        return "The checks found nothing." if "findings" in result.tables else ""
    counts = Counter(row["severity"] for row in findings)
    numbers = [counted(counts[name], name) for name in SEVERITIES if counts[name]]
    first = findings[0]
    return f"{listed(numbers)}. {first['file']}: {first['message']}."


def _introduction(result: Result) -> str:
    """Return the sizes of the files, and the number of checks."""
    files = [
        f"{row['file']} ({row['side']}, {counted(row['utterances'], 'utterance')})"
        for row in rows(result, "files")
    ]
    made = counted(len(result.provenance.get("checks", ())), "check")
    return without_direction_marks(f"{made} of {listed(files)}.")


def _findings_table(result: Result) -> Markup:
    """Return a row for each finding."""
    findings, title = rows(result, "findings"), titles(result)
    if not findings:
        return Markup()
    body = [
        [
            text_cell(row["severity"]),
            Cell(row["message"], is_text=True, wide=True),
            text_cell(row["file"]),
            text_cell(row["place"]),
            text_cell(title(row["check"])),
            number_cell(row["count"], count(row["count"])),
        ]
        for row in findings
    ]
    faint = [row["severity"] == "note" for row in findings]
    return data_table(HEADER, body, label="findings", faint=faint)


def _details(article: Article) -> Markup:
    """Return each finding with its evidence, its examples and the command that mends it."""
    examples: dict[int, list[Row]] = {}
    for row in rows(article.result, "examples"):
        examples.setdefault(row["finding"], []).append(row)
    return joined(
        part
        for row in rows(article.result, "findings")
        for part in _detail(row, examples.get(row["finding"], []))
    )


def _detail(finding: Row, examples: list[Row]) -> Iterator[Markup]:
    heading = f"{finding['file']}, {finding['place']}: {finding['message']}"
    yield element("h4", without_direction_marks(heading))
    if finding["evidence"]:
        yield paragraph(f"Evidence: {finding['evidence']}.", "note")
    if examples:
        body = []
        for row in examples:
            body.append(_line(row["file"], row["line"], row["text"]))
            if row["other_line"]:
                body.append(_line(row["other_file"], row["other_line"], row["other_text"]))
        yield data_table(("file", "line", "text"), body, label="examples")
    if finding["mend"]:
        yield paragraph("A command that mends it:", "note")
        yield element("pre", finding["mend"], tabindex="0")


def _line(file: str, line: int, text: str) -> list[Cell]:
    return [text_cell(file), number_cell(line, count(line)), Cell(text, is_text=True, wide=True)]


def _checks_made(article: Article) -> Markup:
    """Return a table of the checks with the number of their findings."""
    title, parts = titles(article.result), article.result.provenance.get("parts", {})
    counts = Counter(row["check"] for row in rows(article.result, "findings"))
    body = [
        [
            text_cell(title(name)),
            text_cell(parts.get(name, {}).get("family", "")),
            number_cell(counts[name], count(counts[name])),
        ]
        for name in article.result.provenance.get("checks", ())
    ]
    return data_table(("check", "about", "findings"), body, label="checks") if body else Markup()


DETAILS = Section("details", "Findings", "The findings one by one", _details)
CHECKS = Section("checks", "Checks", "The checks that were made", _checks_made)


@dataclass(frozen=True)
class CheckPage(Kind):
    """What checks of data found, with examples and the commands that mend it."""

    name = "check"
    sections: ClassVar[tuple[Section, ...]] = (DETAILS, CHECKS)

    def headline(self, result: Result) -> str:
        """Return the numbers of findings, and the first of them."""
        return check_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the files, and the table of findings."""
        return (
            paragraph(_introduction(article.result), "introduction"),
            _findings_table(article.result),
        )
