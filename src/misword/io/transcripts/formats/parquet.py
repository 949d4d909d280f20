"""Parquet: columns, typed."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading, Table, shape

MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Parquet:
    """A Parquet file; columns are named as in CSV. Positions in errors are rows, from 1.

    Nested and binary columns (the audio in datasets of Hugging Face) are left out, with a note.

    Reference: https://parquet.apache.org
    """

    name: ClassVar[str] = "parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def looks_like(self, source: Source) -> bool:
        """Whether it begins with Parquet's mark."""
        return source.data.startswith(MAGIC)

    def table(self, source: Source) -> Table:
        """All flat columns."""
        import polars as pl

        try:
            schema = pl.read_parquet_schema(BytesIO(source.data))
            flat = [n for n, kind in schema.items() if not kind.is_nested() and kind != pl.Binary]
            frame = pl.read_parquet(BytesIO(source.data), columns=flat)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(
                f"this is not a readable Parquet file ({str(error).splitlines()[0]})",
                where=source.shown,
                fix="copy or write the file again, or name its format with --input-format",
            ) from None
        left = [name for name in schema if name not in flat]
        notes = (f"{source.shown}: nested columns left out: {', '.join(left)}",) if left else ()
        lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True)
        return Table(frame, lines, notes)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Pick the id, text and metadata columns."""
        return shape(self.table(source), columns, source)
