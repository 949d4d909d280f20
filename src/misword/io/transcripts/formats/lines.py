"""Plain text, one transcript a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading


@dataclass(frozen=True, slots=True)
class Lines:
    """One transcript a line, without ids: line n of one side belongs to line n of the other.

    An empty line is an empty transcript. Nothing is stripped.
    """

    name: ClassVar[str] = "lines"
    suffixes: ClassVar[tuple[str, ...]] = ()

    def looks_like(self, source: Source) -> bool:
        """Any text can be plain lines."""
        return bool(source.lines)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Take the lines as they are."""
        import polars as pl

        frame = pl.DataFrame({"text": source.lines}, schema={"text": pl.String})
        return Reading(frame.with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)))
