"""Plain text files with one transcript on each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading
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

    def read(self, source: Source, columns: Columns) -> Reading:
        """Return each line as a transcript."""
        import polars as pl

        frame = source.lines.column().to_frame()
        return Reading(frame.with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)))
