"""A shard as tables of some of its rows, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.io.files.parquet import FIX, parquet_errors
from misword.io.files.sources import Source, inner_name
from misword.io.files.streams import Stream
from misword.io.shards.line_blocks import BlockSource, line_blocks
from misword.io.shards.listing import Shard
from misword.io.transcripts.columns import Table
from misword.io.transcripts.detection import by_name
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.transcripts.plain_names import with_plain_names

if TYPE_CHECKING:
    import polars as pl

KNOWN = ("parquet", "csv", "tsv", "jsonl")
FIRST_ROWS, MOST_ROWS = 1 << 12, 1 << 16  # of a table
MOST_BYTES = 1 << 24  # of a table, about
BLOCK = 1 << 22  # bytes of text that are read at once

# Returns which of the columns of a table are needed; the source is for errors.
Pick = Callable[[Sequence[str], Source], Sequence[str]]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a shard with the columns that are needed; `source` gives places in errors."""

    table: Table
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
    import polars as pl

    with parquet_errors(shard.shown, FIX):
        kinds = pl.read_parquet_schema(path)
    flat = {
        name: place
        for place, (name, kind) in enumerate(kinds.items())
        if not kind.is_nested() and kind != pl.Binary
    }
    plain = with_plain_names(pl.DataFrame(schema=list(flat)), shard.shown).columns
    needed = pick(plain, BlockSource(shard.shown, shard.name, b"PAR1"))
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
        yield TablePart(Table(with_plain_names(frame, shard.shown), lines), source)
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
                yield TablePart(Table(frame, table.lines, not_text=table.not_text), source)
