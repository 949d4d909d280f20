"""Findings of the checks: what is wrong with which file, where, and the command that mends it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.core.lazy import pl

# Shell commands that mend files, for GNU sed and a POSIX shell.

MOST_LINES = 40  # line ranges in one command


def quoted_path(text: CheckedText) -> str:
    """Return the path quoted for the shell; `./` is added to a name that begins with `-`."""
    return shlex.quote(f"./{text.path}" if text.path.startswith("-") else text.path)


def sed_command(expressions: Iterable[str], *files: CheckedText) -> str:
    """Return the command that edits files in place; empty if one of them is not a file."""
    listed = list(expressions)
    if not listed or not all(file.path for file in files):
        return ""
    written = " ".join(f"-e {shlex.quote(expression)}" for expression in listed)
    if len(listed) == 1:
        written = shlex.quote(listed[0])
    return f"sed -i {written} {' '.join(quoted_path(file) for file in files)}"


def substitution_command(changes: Mapping[str, str], *files: CheckedText) -> str:
    """Return the command that replaces strings in files, in the order of the mapping."""
    steps = (f"s/{_pattern(old)}/{_replacement(new)}/g" for old, new in changes.items())
    return sed_command(steps, *files)


def deletion_command(texts: CheckedTexts, text: CheckedText, rows: Iterable[int]) -> str:
    """Return the command that deletes rows of a text from all files.

    The command is empty if the files are not line-parallel, if one of them has a format other than
    plain lines, or if there are too many lines for one command.
    """
    files = texts.files
    ranges = list(_ranges(sorted({text.lines[row] for row in rows})))
    if len(ranges) > MOST_LINES or not all(file.is_lines for file in files):
        return ""
    if len({len(file) for file in files}) > 1 or any(pair.shifts for pair in texts.pairs):
        return ""
    written = ";".join(f"{lo}d" if lo == hi else f"{lo},{hi}d" for lo, hi in ranges)
    return sed_command([written], *files)


def score_command(pair: TextPair, options: str) -> str:
    """Return the command that scores a pair with options."""
    if not (pair.left.path and pair.right.path):
        return ""
    paths = dict.fromkeys(
        [quoted_path(pair.left), quoted_path(pair.right)]
    )  # a table has both sides
    return f"misword score {' '.join(paths)} {options}"


def _ranges(lines: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the runs of consecutive numbers.

    >>> list(_ranges([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    start = previous = None
    for line in lines:
        if start is None or previous is None:
            start = line
        elif line != previous + 1:
            yield start, previous
            start = line
        previous = line
    if start is not None and previous is not None:
        yield start, previous


def _pattern(text: str) -> str:
    """Return text as a basic regular expression of sed."""
    return "".join(f"\\{c}" if c in "\\/.*[]^$" else c for c in text)


def _replacement(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\/&" else c for c in text)


# Findings.


Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
SHOWN = 3  # examples of a finding
LONGEST = 300  # characters of a text in an example


@dataclass(frozen=True, slots=True)
class Example:
    """A line as an example of a finding, and the line of the other file that is paired with it.

    `line` and `other_line` are numbers from 1; `other_line` is 0 if there is no other line.
    """

    line: int
    text: str
    other_line: int = 0
    other: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in the data, or one fact that the user should know.

    Attributes:
        check: the name of the check.
        severity: `error` if scores of these files are meaningless, `warning` if they are probably
            not what the user wants, `note` for a fact that the user should know.
        file: the file, or the name of the system, that has the problem.
        side: `reference`, `hypothesis`, `translation` or `translation reference`.
        message: the problem in one sentence.
        first: the first line that has the problem, from 1; 0 if the whole file has it.
        last: the last such line.
        first_id: the id of the first line, if the file has ids.
        last_id: the id of the last line.
        count: the number of lines that have the problem.
        other: the file that the text was compared with; empty if it was compared with no file.
        evidence: the measured numbers that led to the finding, by name.
        examples: at most three lines.
        mend: the shell command that mends the problem; empty if there is none.
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


def make_finding(
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
    """Make a finding about rows (from 0) of a text.

    `pairs` are the rows of the text and of `other` that are shown as examples.

    Without `pairs`, the first of the `rows` are shown. Without `rows`, the finding is about the
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
        return Example(text.lines[row], _shortened(text.texts[row]))
    return Example(
        text.lines[row],
        _shortened(text.texts[row]),
        other.lines[mate],
        _shortened(other.texts[mate]),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def findings_table(findings: Sequence[Finding]) -> pl.DataFrame:
    """Return a row for each finding; `finding` is its number, from 1."""

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
