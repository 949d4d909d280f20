"""Parquet files: tables with typed columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

from misword.io.files.parquet import check_parquet, read_checked
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Table, find_text
from misword.io.transcripts.formats import Format

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

        check_parquet({source.shown: source.data}, flat=True)
        schema = pl.read_parquet_schema(BytesIO(source.data))
        flat = [n for n, kind in schema.items() if not kind.is_nested() and kind != pl.Binary]
        frame = read_checked(source.data, source.shown, flat)
        left = [name for name in schema if name not in flat]
        notes = (f"{source.shown}: nested columns left out: {', '.join(left)}",) if left else ()
        lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True)
        return Table(frame, lines, notes)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in its text column."""
        import polars as pl

        table = self.table(source).frame
        name = find_text(table.columns, columns, source)
        target = BytesIO()
        table.with_columns(pl.Series(name, texts, pl.String)).write_parquet(target)
        return target.getvalue()
