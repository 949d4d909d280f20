"""Blocks of whole lines of a text file, so that a file of any size can be read in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.io.files.parquet import FIX, parquet_errors, unread_types
from misword.io.files.sources import Source, inner_name, place
from misword.io.files.streams import Stream
from misword.io.shards import ShardReading
from misword.io.shards.files import Shard
from misword.io.transcripts.columns import (
    Columns,
    Role,
    SourceTable,
    find_id,
    find_text,
    first_of,
    refuse_unread,
    shape,
    with_plain_names,
)
from misword.io.transcripts.detection import by_name
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import prediction_column

LONGEST = 1 << 26  # bytes of a line, or of a row with line ends in quotes


@dataclass(frozen=True)
class BlockSource(Source):
    """A part of a file as an input of its own; `before` is the number of lines or rows before it.

    Places in errors are those in the whole file.

    >>> BlockSource("a.csv", "a.csv", b"", before=10).at(3)
    'a.csv:13'
    """

    before: int = 0
    unread_columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def unread(self) -> Mapping[str, str]:
        """The columns of a Parquet file that are not read, since they have no text: their types."""
        return self.unread_columns

    def at(self, line: int | None = None) -> str:
        """Return the place of a line of this part in the file, for an error."""
        return place(self.shown, None if line is None else line + self.before, self.unit)


def line_blocks(
    read: Callable[[int], bytes], shown: str, *, quoted: bool = False, size: int
) -> Iterator[tuple[int, bytes]]:
    r"""Yield the number of lines before each block, and the block.

    `read` returns the next bytes of the file, none at its end. With `quoted`, a line end within
    double quotes does not end a block.

    >>> from io import BytesIO
    >>> list(line_blocks(BytesIO(b'a\n"b\nc"\nd').read, "x", quoted=True, size=5))
    [(0, b'a\n'), (1, b'"b\nc"\n'), (3, b'd')]
    """
    before, rest = 0, b""
    while data := read(size):
        rest += data
        end = _end(rest, quoted)
        if end:
            yield before, rest[:end]
            before += rest.count(b"\n", 0, end)
            rest = rest[end:]
        if len(rest) > LONGEST:
            raise InputError(
                f"a line or row of more than {LONGEST >> 20} MB",
                where=place(shown, before + 1),
                fix="check that this is the right file, and that no quote in it is left open",
            )
    if rest:
        yield before, rest


def _end(data: bytes, quoted: bool) -> int:
    """Return where the last whole line ends; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if not quoted:
        return end
    is_open = data.count(b'"', 0, end) % 2 == 1
    while is_open and end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        is_open = (data.count(b'"', start, end) % 2 == 1) != is_open
        end = start
    return end


# A shard as tables of some of its rows, one after the other.

KNOWN = ("parquet", "csv", "tsv", "jsonl")
FIRST_ROWS, MOST_ROWS = 1 << 12, 1 << 16  # of a table
MOST_BYTES = 1 << 24  # of a table, about
BLOCK = 1 << 22  # bytes of text that are read at once

# Returns which of the columns of a table are needed; the source is for errors.
Pick = Callable[[Sequence[str], Source], Sequence[str]]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a shard with the columns that are needed; `source` gives places in errors."""

    table: SourceTable
    source: BlockSource


def shard_format(shard: Shard, spec: str | None) -> Format:
    """Return the format of a shard, by `spec` or by its name."""
    part = FORMATS.create(spec) if spec else by_name(inner_name(shard.path))
    if part is None or part.name not in KNOWN:
        what = f"it is read as {part.name}" if part else "the name does not show the format"
        raise OptionError(
            f"{what}; shards are {', '.join(KNOWN)}",
            where=shard.shown,
            fix="name the format with --input-format, or convert the shards",
        )
    return part


def table_parts(path: Path, shard: Shard, part: Format, pick: Pick) -> Iterator[TablePart]:
    """Yield the rows of a shard in tables of at most some thousand rows."""
    if not path.is_file():
        raise InputError("no such file", where=shard.shown, fix="list the shards again")
    empty = True
    parts = _parquet_parts if part.name == "parquet" else _text_parts
    for found in parts(path, shard, part, pick):
        empty = False
        yield found
    if empty:
        raise InputError(
            "no rows in it", where=shard.shown, fix="remove the shard, or make it again"
        )


def _parquet_parts(path: Path, shard: Shard, part: Format, pick: Pick) -> Iterator[TablePart]:
    """Yield slices of a Parquet file; polars reads only the pages that a slice needs."""

    with parquet_errors(shard.shown, FIX):
        kinds = pl.read_parquet_schema(path)
    unread = unread_types(kinds)
    flat = {name: place for place, name in enumerate(kinds) if name not in unread}
    plain = with_plain_names(pl.DataFrame(schema=list(flat)), shard.shown).columns
    needed = pick(plain, BlockSource(shard.shown, shard.name, b"PAR1", unread_columns=unread))
    places = [list(flat.values())[plain.index(name)] for name in needed]
    start, rows = 0, FIRST_ROWS
    while True:
        with parquet_errors(shard.shown, FIX):
            # Places, because polars reads names such as `*` and `^t.*$` as patterns.
            frame = pl.scan_parquet(path).select(pl.nth(places)).slice(start, rows).collect()
        if not frame.height:
            return
        lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True)
        source = BlockSource(shard.shown, shard.name, b"PAR1", start)
        yield TablePart(SourceTable(with_plain_names(frame, shard.shown), lines), source)
        start += frame.height
        rows = _next_rows(frame)


def _next_rows(frame: pl.DataFrame) -> int:
    """Return how many rows to read next, so that they have about `MOST_BYTES` at most."""
    bytes_of_row = max(1, int(frame.estimated_size()) // frame.height)
    return max(1, min(MOST_ROWS, MOST_BYTES // bytes_of_row))


def _text_parts(path: Path, shard: Shard, part: Format, pick: Pick) -> Iterator[TablePart]:
    """Yield tables of blocks of lines; each block of CSV is read with the header before it."""
    header, quoted = b"", bool(part.separator)
    with Stream(path, shard.shown) as stream:
        blocks = line_blocks(stream.read, shard.shown, quoted=quoted, size=BLOCK)
        for before, block in blocks:
            if not block.strip():
                continue
            source = BlockSource(shard.shown, shard.name, header + block, before - bool(header))
            if quoted and not header:
                header = block[: block.find(b"\n") + 1].removeprefix(b"\xef\xbb\xbf")
            table = part.table(source)
            needed = pick(table.frame.columns, source)
            if table.frame.height:
                frame = table.frame.select(needed)
                yield TablePart(SourceTable(frame, table.lines, not_text=table.not_text), source)


# What the columns of a shard are for: ids, references, hypotheses, metadata.

Content = Literal["reference", "hypothesis", "both"]


@dataclass(slots=True)
class ColumnRoles:
    """The columns of one shard, found when its first rows are read.

    `content` says which sides the shard has. `reference` is the column of the references,
    `hypotheses` are those of the hypotheses, `ident` is that of the ids; None where there is none.
    """

    reading: ShardReading
    content: Content
    reference: str | None = None
    hypotheses: list[str] = field(default_factory=list)
    ident: str | None = None

    def pick(self, names: Sequence[str], source: Source) -> list[str]:
        """Return the columns that are needed; raise if one of them is not there."""
        reading, texts = self.reading, []
        if self.content != "hypothesis":
            wanted = Columns("reference", text=reading.reference_column)
            self.reference = find_text(names, wanted, source)
            texts = [self.reference]
        rest = [name for name in names if name not in texts]
        columns = reading.hypothesis_columns if self.content != "reference" else ()
        self.hypotheses = [self._hypothesis(column, rest, source) for column in columns]
        texts += self.hypotheses
        others = [name for name in names if name not in texts]
        self.ident = find_id(others, reading.id_column, source)
        for name in (metadata := self._metadata()):
            if name not in others:
                refuse_unread((name,), source)
                raise InputError(
                    f"no column {name!r}; it has: {', '.join(names)}",
                    where=source.at(),
                    fix="name one of them",
                )
        idents = [] if self.ident is None else [self.ident]
        return list(dict.fromkeys([*idents, *texts, *metadata]))

    def transcript(self, part: TablePart, text: str, format: str, rows: int = 0) -> Transcript:
        """Return the transcripts of a text column, numbered after `rows` rows without ids.

        The references have the metadata.
        """

        is_reference = text == self.reference
        role: Role = "reference" if is_reference else "hypothesis"
        gaps = not is_reference and self.reading.missing != "error"
        idents = [] if self.ident is None else [self.ident]
        names = list(dict.fromkeys([*idents, text, *(self._metadata() if is_reference else ())]))
        table, source = part.table, part.source
        chosen = SourceTable(table.frame.select(names), table.lines, not_text=table.not_text)
        columns = Columns(role, self.reading.id_column, text, gaps=gaps)
        frame = shape(chosen, columns, source).frame.with_columns(pl.col("line") + source.before)
        if self.ident is None:
            numbers = pl.int_range(rows + 1, rows + len(frame) + 1, eager=True)
            frame = frame.with_columns(utt=numbers.cast(pl.String))
        return Transcript(source.shown, format, frame)

    def _metadata(self) -> Sequence[str]:
        return self.reading.metadata if self.content != "hypothesis" else ()

    def _hypothesis(self, column: str | None, names: Sequence[str], source: Source) -> str:
        """Return a column of hypotheses."""

        wanted = Columns("hypothesis", text=column)
        if self.content == "hypothesis" or first_of((column or "",), names):
            return find_text(names, wanted, source)
        # Names such as `text` are those of references if the table has both.
        table = SourceTable(pl.DataFrame(schema=list(names)), pl.Series(dtype=pl.Int64))
        return find_text(
            names, Columns("hypothesis", text=prediction_column(wanted, names, table, source)),
            source,
        )  # fmt: skip
