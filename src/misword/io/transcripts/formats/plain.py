"""Text files with one transcript on each line: plain lines, and lines that begin with an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import Source, TextLines
from misword.io.transcripts.columns import Columns, SourceTranscripts, all_different
from misword.io.transcripts.formats import Format


@dataclass(frozen=True, slots=True)
class Lines(Format):
    """One transcript a line, without ids: line n of one side belongs to line n of the other.

    An empty line is an empty transcript. White space at the ends of a line is kept.
    """

    name: ClassVar[str] = "lines"
    title: ClassVar[str] = "plain lines"
    by_line: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = ()

    def looks_like(self, source: Source) -> bool:
        """Whether there is any line: every text can be plain lines."""
        return bool(source.lines)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return each line as a transcript."""
        frame = source.lines.column().to_frame()
        return SourceTranscripts(
            frame.with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
        )


BLANKS = " \t"
# An id at the beginning of a line, after blanks: letters and digits, joined by - _ . or /, with at
# least one digit. A number of up to three digits is more likely a word than an id.
ID = re.compile(r"[ \t]*(?!\d{1,3}(?:[ \t]|$))(?=[^ \t]*\d)([^\W_](?:[\w./-]*[^\W_])?)(?![^ \t])")

# The first token of a line, and the same rule for ids of ASCII as polars reads it.
TOKEN = r"^([^ \t]*)"
ASCII_ID = r"^[0-9A-Za-z](?:[0-9A-Za-z_./-]*[0-9A-Za-z])?$"
SHORT_NUMBER = r"^[0-9]{1,3}$"
FIRST_LINES = 100  # most plain text has a line without an id among these


@dataclass(frozen=True, slots=True)
class Kaldi(Format):
    """`id transcript` on each line, blanks between; an id alone has an empty transcript.

    As in Kaldi, blanks at the ends of the transcript are removed.

    Known problems: plain text whose lines all begin with different long numbers is taken for this
    format; a note says so, and `--input-format lines` changes it.

    Reference: https://kaldi-asr.org/doc/data_prep.html
    """

    name: ClassVar[str] = "kaldi"
    title: ClassVar[str] = "Kaldi text"
    by_line: ClassVar[bool] = True
    starts_with_id: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = ("text",)

    def looks_like(self, source: Source) -> bool:
        """Whether there are two lines or more, and each begins with a different id."""
        return len(source.lines) > 1 and _have_ids(source.lines)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Split each line at its first blanks."""
        line = pl.col("line_text").str.strip_chars(BLANKS)
        utt, text = line.str.extract(TOKEN), line.str.replace(r"^[^ \t]*[ \t]*", "")
        frame = pl.concat(
            lines.to_frame().select(utt=utt, text=text)
            for lines in source.lines.columns("line_text")
        ).with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
        empty = frame.filter(pl.col("utt") == "")
        if empty.height:
            raise InputError(
                "an empty line, where an id is needed",
                where=source.at(empty["line"][0]),
                fix="an empty transcript is its id alone; for text without ids use "
                "--input-format lines",
            )
        return SourceTranscripts(frame)


def first_token(line: str) -> str:
    """Return the first token of a line, its id if it has one."""
    return line.strip(BLANKS).replace("\t", " ").partition(" ")[0]


def _have_ids(lines: TextLines) -> bool:
    """Whether each line begins with a different id; no line needs a Python string."""
    if next(misfits(lines[:FIRST_LINES]), None) is not None:
        return False
    token = pl.col("text").str.strip_chars(BLANKS).str.extract(TOKEN)
    found = []
    for part in lines.columns():
        tokens = part.to_frame().select(token)["text"]
        is_id = tokens.str.contains(ASCII_ID) & tokens.str.contains("[0-9]")
        others = part.filter(~is_id | tokens.str.contains(SHORT_NUMBER))
        if not all(map(ID.match, others.to_list())):
            return False
        found.append(tokens)
    return all_different(pl.concat(found))


def misfits(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers (from 0) of lines without an id, or with the id of an earlier line."""
    seen: set[str] = set()
    for number, line in enumerate(lines):
        found = ID.match(line)
        if found is None or found[1] in seen:
            yield number
        else:
            seen.add(found[1])
