"""Kaldi's `text`: an id and its transcript on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading

# Letters and digits, joined by - _ . or /, with a digit; a short number is more likely a word.
ID = re.compile(r"(?!\d{1,3}$)(?=.*\d)[^\W_](?:[\w./-]*[^\W_])?")
BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class Kaldi:
    """`id transcript` on each line, blanks between; an id alone has an empty transcript.

    As in Kaldi, blanks at the two ends of the transcript do not belong to it.

    Known problems: a plain text whose lines all begin with different long numbers looks the same; a
    note says what was read, and `lines` can be forced.

    Reference: https://kaldi-asr.org/doc/data_prep.html
    """

    name: ClassVar[str] = "kaldi"
    suffixes: ClassVar[tuple[str, ...]] = ("text",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line, of two or more, begins with an id of its own."""
        return len(source.lines) > 1 and next(misfits(source.lines), None) is None

    def read(self, source: Source, columns: Columns) -> Reading:
        """Cut each line at its first blanks."""
        import polars as pl

        line = pl.col("line_text").str.strip_chars(BLANKS)
        frame = pl.DataFrame({"line_text": source.lines}, schema={"line_text": pl.String}).select(
            utt=line.str.extract(r"^([^ \t]*)"),
            text=line.str.replace(r"^[^ \t]*[ \t]*", ""),
            line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64),
        )
        empty = frame.filter(pl.col("utt") == "")
        if empty.height:
            raise InputError(
                "an empty line, where an id is needed",
                where=source.at(empty["line"][0]),
                fix="an empty transcript is its id alone; for text without ids use "
                "--input-format lines",
            )
        return Reading(frame)


def first_token(line: str) -> str:
    """What would be the line's id."""
    return line.strip(BLANKS).replace("\t", " ").partition(" ")[0]


def misfits(lines: Sequence[str]) -> Iterator[int]:
    """Lines (from 0) that do not begin with an id, or with one that an earlier line has."""
    seen: set[str] = set()
    for number, line in enumerate(lines):
        token = first_token(line)
        if token in seen or not ID.fullmatch(token):
            yield number
        else:
            seen.add(token)
