"""Findings of the checks: what is wrong with which file, where, and how it can be mended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from misword.asr.checking.texts import CheckedText

if TYPE_CHECKING:
    import polars as pl

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
SHOWN = 3  # examples of a finding
LONGEST = 300  # characters of a text in an example


@dataclass(frozen=True, slots=True)
class Example:
    """A line that shows a finding, and the line of the other file that belongs to it.

    `line` and `other_line` are numbers from 1; `other_line` is 0 if there is no other line.
    """

    line: int
    text: str
    other_line: int = 0
    other: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or that the user should know.

    Attributes:
        check: the name of the check.
        severity: `error` if scores of these files mean nothing, `warning` if they are probably not
            what the user wants, `note` if the user should know of it.
        file: the file, or the name of the system, that has the problem.
        side: `reference`, `hypothesis`, `translation` or `translation reference`.
        message: the problem in one sentence.
        first: the first line that has the problem, from 1; 0 if the whole file has it.
        last: the last such line.
        first_id: the id of the first line, if the file has ids.
        last_id: the id of the last line.
        count: the number of lines that have it.
        other: the file that it was compared with; empty if there is none.
        evidence: the numbers on which the finding rests.
        examples: at most three lines.
        mend: the command that would mend it; empty if no command can.
    """

    check: str
    severity: Severity
    file: str
    side: str
    message: str
    first: int = 0
    last: int = 0
    first_id: str = ""
    last_id: str = ""
    count: int = 0
    other: str = ""
    evidence: Mapping[str, float] = field(default_factory=dict)
    examples: Sequence[Example] = ()
    mend: str = ""

    @property
    def place(self) -> str:
        """The lines or ids of the finding, as text."""
        if not self.first:
            return "the whole file"
        first, last = self.first_id or f"{self.first:,}", self.last_id or f"{self.last:,}"
        noun = "id" if self.first_id else "line"
        if first == last:
            return f"{noun} {first}"
        return f"{noun}s {first} to {last}"


def found(
    check: str,
    severity: Severity,
    text: CheckedText,
    message: str,
    *,
    rows: Sequence[int] = (),
    other: CheckedText | None = None,
    pairs: Iterable[tuple[int, int]] = (),
    evidence: Mapping[str, float] | None = None,
    mend: str = "",
) -> Finding:
    """Make a finding on rows (from 0) of a text; `pairs` are rows of it and of `other` to show.

    Without `pairs`, the first rows are shown as examples. Without `rows`, the finding is about the
    whole text.
    """
    if not pairs and rows:
        pairs = [(row, -1) for row in rows]
    first, last = (min(rows), max(rows)) if rows else (-1, -1)
    ids = text.ids
    return Finding(
        check=check,
        severity=severity,
        file=text.name,
        side=text.side,
        message=message,
        first=text.lines[first] if rows else 0,
        last=text.lines[last] if rows else 0,
        first_id=ids[first] if rows and ids is not None else "",
        last_id=ids[last] if rows and ids is not None else "",
        count=len(rows) if rows else len(text.texts),
        other=other.name if other is not None else "",
        evidence={name: float(value) for name, value in (evidence or {}).items()},
        examples=tuple(_example(text, row, other, mate) for row, mate in list(pairs)[:SHOWN]),
        mend=mend,
    )


def _example(text: CheckedText, row: int, other: CheckedText | None, mate: int) -> Example:
    if other is None or mate < 0:
        return Example(text.lines[row], _cut(text.texts[row]))
    return Example(
        text.lines[row], _cut(text.texts[row]), other.lines[mate], _cut(other.texts[mate])
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def findings_table(findings: Sequence[Finding]) -> pl.DataFrame:
    """Return a row for each finding; `finding` is its number, from 1."""
    import polars as pl

    names = ("check", "severity", "file", "side", "message", "place")
    ends = ("first", "last", "first_id", "last_id", "count", "other", "mend")
    rows = [
        {
            "finding": number,
            **{name: getattr(one, name) for name in (*names, *ends)},
            "evidence": "; ".join(f"{key} {value:,.4g}" for key, value in one.evidence.items()),
        }
        for number, one in enumerate(findings, 1)
    ]
    whole = {"finding", "first", "last", "count"}
    columns = ("finding", *names, *ends, "evidence")
    schema = {name: pl.Int64 if name in whole else pl.String for name in columns}
    return pl.DataFrame(rows, schema=schema)


def examples_table(findings: Sequence[Finding]) -> pl.DataFrame:
    """Return a row for each example of a finding."""
    import polars as pl

    rows = [
        (number, one.file, example.line, example.text, one.other, example.other_line, example.other)
        for number, one in enumerate(findings, 1)
        for example in one.examples
    ]
    schema = {
        "finding": pl.Int64,
        "file": pl.String,
        "line": pl.Int64,
        "text": pl.String,
        "other_file": pl.String,
        "other_line": pl.Int64,
        "other_text": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
