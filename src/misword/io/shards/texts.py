"""The texts of one column of a shard, some rows at a time, and the shard with other texts in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from misword.core.lazy import pl
from misword.io.files.parquet import FIX, parquet_errors
from misword.io.shards import ShardReading
from misword.io.shards.files import Shard
from misword.io.shards.tables import BlockSource, ColumnRoles, TablePart, shard_format, table_parts
from misword.io.transcripts.columns import Columns, with_plain_names


@dataclass(frozen=True, slots=True, eq=False)
class TextPart:
    """The texts of some rows of a shard; `ids` is None if the shard has none."""

    texts: pl.Series
    ids: pl.Series | None
    part: TablePart


class TextShard:
    """A shard whose texts are read and written again; `path` is its local file.

    `column` is the column of the texts, `ident` that of the ids (None: there is none); both are
    known once rows were read.
    """

    def __init__(self, path: Path, shard: Shard, reading: ShardReading) -> None:
        self.path, self.shard = path, shard
        self.roles = ColumnRoles(reading, "reference")
        self.format = shard_format(shard, reading.format)

    @property
    def columns(self) -> Columns:
        """The columns that are read."""
        reading = self.roles.reading
        return Columns("reference", reading.id_column, reading.reference_column)

    def parts(self) -> Iterator[TextPart]:
        """Yield the texts of some thousand rows at a time."""
        for part in table_parts(self.path, self.shard, self.format, self.roles.pick):
            rows = self.roles.transcript(part, self.roles.reference or "", self.format.name)
            frame = rows.frame
            yield TextPart(frame["text"], frame["utt"] if self.roles.ident else None, part)

    def count_rows(self) -> int | None:
        """Return the number of rows of a shard without ids; None if it has ids."""
        count = 0
        for part in self.parts():
            if part.ids is not None:
                return None
            count += len(part.texts)
        return count

    def writer(self, file: BinaryIO, folder: Path) -> ShardWriter:
        """Return a writer of the shard with other texts; `folder` is for temporary files."""
        if self.format.name == "parquet":
            return ParquetWriter(self, file, folder)
        return TextWriter(self, file)


class ShardWriter(Protocol):
    """Writes a shard with other texts."""

    def write(self, part: TextPart, texts: Sequence[str]) -> None:
        """Write the rows of a part with other texts."""
        ...

    def finish(self) -> None:
        """Write the end of the file."""
        ...


@dataclass(eq=False)
class TextWriter:
    """Writes lines of CSV, TSV or JSON; the header of a table is written once."""

    shard: TextShard
    file: BinaryIO
    header: bytes | None = None

    def write(self, part: TextPart, texts: Sequence[str]) -> None:
        """Write the rows of a part with other texts."""
        shard, source = self.shard, part.part.source
        ids = part.ids.to_list() if part.ids is not None else []
        data = shard.format.rewrite(source, shard.columns, ids, texts)
        if self.header is None:
            self.header = self._header(source)
            self.file.write(data)
        else:
            self.file.write(data[len(self.header) :])

    def _header(self, source: BlockSource) -> bytes:
        """Return the header of a table as it is written; empty for JSON lines."""
        if not self.shard.format.separator:
            return b""
        first = source.data[: source.data.find(b"\n") + 1]
        alone = BlockSource(source.shown, source.name, first)
        return self.shard.format.rewrite(alone, self.shard.columns, [], [])

    def finish(self) -> None:
        """Do nothing: all lines were written."""


@dataclass(eq=False)
class ParquetWriter:
    """Writes each part to a file of its own, and joins these files at the end.

    All columns are kept, also nested ones.
    """

    shard: TextShard
    file: BinaryIO
    folder: Path
    pieces: list[Path] = field(default_factory=list)

    def write(self, part: TextPart, texts: Sequence[str]) -> None:
        """Write the rows of a part with other texts."""

        start = part.part.source.before
        with parquet_errors(self.shard.shard.shown, FIX):
            rows = pl.scan_parquet(self.shard.path).slice(start, len(texts)).collect()
        plain = with_plain_names(rows.clear(), self.shard.shard.shown).columns
        name = rows.columns[plain.index(self.shard.roles.reference or "")]
        piece = self.folder / f"{len(self.pieces)}.parquet"
        rows.with_columns(pl.Series(name, texts, pl.String)).write_parquet(piece)
        self.pieces.append(piece)

    def finish(self) -> None:
        """Join the files."""

        pl.concat([pl.scan_parquet(piece) for piece in self.pieces]).sink_parquet(self.file)
