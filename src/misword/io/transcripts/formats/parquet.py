"""Parquet files: tables with typed columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

from misword.io.files.parquet import read_flat_columns
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Table, find_text
from misword.io.transcripts.formats import Format
from misword.io.transcripts.plain_names import with_plain_names

MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Parquet(Format):
    """A Parquet file; columns are named as in CSV. Positions in errors are rows, from 1.

    Nested and binary columns (audio in Hugging Face datasets) are left out; a note lists them.

    Reference: https://parquet.apache.org
    """

    name: ClassVar[str] = "parquet"
    title: ClassVar[str] = "Parquet"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def looks_like(self, source: Source) -> bool:
        """Whether it begins with the magic bytes of Parquet."""
        return source.data.startswith(MAGIC)

    def table(self, source: Source) -> Table:
        """Return all columns that are neither nested nor binary."""
        import polars as pl

        frame, left = read_flat_columns(source.data, source.shown)
        notes = (f"{source.shown}: nested columns left out: {', '.join(left)}",) if left else ()
        lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True)
        return Table(with_plain_names(frame, source.shown), lines, notes)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in its text column."""
        import polars as pl

        frame, _ = read_flat_columns(source.data, source.shown)
        plain = with_plain_names(frame, source.shown).columns
        name = frame.columns[plain.index(find_text(plain, columns, source))]
        target = BytesIO()
        frame.with_columns(pl.Series(name, texts, pl.String)).write_parquet(target)
        return target.getvalue()
