"""Transcript files whose texts are replaced, all else kept.

Plain lines and Kaldi files are read and written piece by piece, however large they are; the other
formats whole. Rows come as bytes joined by NUL, as everywhere.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from hashlib import file_digest
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Protocol

from misword.core.errors import OptionError
from misword.io.files.sources import STDIN, PathLike, Source, inner_name, open_source
from misword.io.transcripts.columns import Columns, find_text
from misword.io.transcripts.detection import by_name, find_format
from misword.io.transcripts.formats import Format, TableFormat
from misword.io.transcripts.formats.delimited import Csv, column_names, long_fields, read_rows
from misword.io.transcripts.formats.jsonl import JsonLines, read_objects
from misword.io.transcripts.read import read_source
from misword.io.vectors.streams import Stream, unreadable

if TYPE_CHECKING:
    import polars as pl

BOM = b"\xef\xbb\xbf"
PIECEWISE = ("lines", "kaldi")


class Writer(Protocol):
    """Writes a file again."""

    def write(self, rows: bytes) -> None:
        """Take the next rows."""
        ...

    def finish(self) -> None:
        """There are no more."""
        ...


@dataclass(frozen=True, eq=False)
class Rewritable:
    """A file that can be read more than once and written again with other texts.

    `pieces(rows)` gives the texts, so many rows at a time; `labelled`: each row begins with its id.
    `writer(file)` takes other rows, in the same pieces, after the texts were read. `ids`: of the
    utterances, where the file is read whole and has them.
    """

    shown: str
    format: str
    labelled: bool
    sha256: str
    pieces: Callable[[int], Iterator[tuple[bytes, int]]]
    writer: Callable[[BinaryIO], Writer]
    ids: pl.Series | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def rewritable(path: PathLike, format: str | None, columns: Columns) -> Iterator[Rewritable]:
    """Open a file; standard input and pipes, which can be read once, are kept on disk meanwhile."""
    given = Path(path)
    piped = given.exists() and not (given.is_file() or given.is_dir())
    if os.fspath(path) != STDIN and not piped:
        yield _open(given, os.fspath(path), inner_name(path), format, columns)
        return
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "stdin"
        with kept.open("wb") as file, _pipe(given, piped) as pipe:
            shutil.copyfileobj(pipe, file)
        yield _open(kept, os.fspath(path) if piped else "<stdin>", "", format, columns)


def _pipe(path: Path, piped: bool) -> AbstractContextManager[BinaryIO]:
    """A pipe to read, or standard input, which stays open."""
    return path.open("rb") if piped else nullcontext(sys.stdin.buffer)


def _open(path: Path, shown: str, name: str, format: str | None, columns: Columns) -> Rewritable:
    try:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        open_source(path)  # says so
        raise
    except OSError as error:
        raise unreadable(shown, error) from None
    with Stream(path, shown) as stream:
        head, whole = stream.head(), not stream.read(1 << 21)[1 << 20 :]
    if not head:
        open_source(path)  # says that it is empty
    source = Source(shown, name, head if whole else head[: head.rfind(b"\n") + 1] or head)
    part = find_format(source, format)
    if part.name not in PIECEWISE:
        return _whole(Source(shown, name, open_source(path).data), part, columns, digest)
    _refuse_columns(part, columns, shown)
    lines = Lines(path, shown)
    labelled = part.name == "kaldi"
    notes: tuple[str, ...] = ()
    if labelled and format is None and by_name(name) is None:
        notes = (
            f"{shown} is read as kaldi, since each line begins with an id; "
            "plain text needs --input-format lines",
        )
    return Rewritable(shown, part.name, labelled, digest, lines.pieces, lines.writer, notes=notes)


def _refuse_columns(part: Format, columns: Columns, shown: str) -> None:
    if columns.text is not None or columns.id is not None:
        raise OptionError(
            f"{shown} is read as {part.name}, which has no columns",
            fix="leave --text-column and --id-column out, or name the format with --input-format",
        )


class Lines:
    """A file of lines; what ends them, and a byte-order mark, stay what they are."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.marked = self.ended = False

    def pieces(self, rows: int) -> Iterator[tuple[bytes, int]]:
        """The lines, so many at a time."""
        import numpy as np

        rest, first = b"", True
        with Stream(self.path, self.shown) as stream:
            while block := stream.read():
                if first and block.startswith(BOM):
                    block, self.marked = block.removeprefix(BOM), True
                first = False
                rest += self._checked(block)
                while len(ends := np.flatnonzero(np.frombuffer(rest, np.uint8) == 10)) >= rows:
                    end = int(ends[rows - 1])
                    yield self._text(rest[:end]), rows
                    rest = rest[end + 1 :]
                    self.ended = not rest
        if rest:
            self.ended = rest.endswith(b"\n")
            rest = rest.removesuffix(b"\n")
            yield self._text(rest), rest.count(b"\n") + 1

    def _checked(self, block: bytes) -> bytes:
        if b"\0" in block:
            _ = Source(self.shown, "", open_source(self.path).data).text  # says where
        return block

    def _text(self, data: bytes) -> bytes:
        try:
            data.decode()
        except UnicodeDecodeError:
            _ = Source(self.shown, "", open_source(self.path).data).text  # says where
            raise
        return data.replace(b"\n", b"\0")

    def writer(self, file: BinaryIO) -> Writer:
        """A writer of lines."""
        return LineWriter(self, file)


@dataclass
class LineWriter:
    """Writes lines as they come."""

    lines: Lines
    file: BinaryIO
    begun: bool = False

    def write(self, rows: bytes) -> None:
        """Take the next lines."""
        self.file.write(b"\n" if self.begun else BOM * self.lines.marked)
        self.file.write(rows.replace(b"\0", b"\n"))
        self.begun = True

    def finish(self) -> None:
        """End the last line, if it was ended."""
        self.file.write(b"\n" * self.lines.ended)


@dataclass
class WholeWriter:
    """Keeps all rows and writes the file at the end."""

    rewrite: Callable[[list[str]], bytes]
    file: BinaryIO
    parts: list[bytes] = field(default_factory=list)

    def write(self, rows: bytes) -> None:
        """Take the next rows."""
        self.parts.append(rows)

    def finish(self) -> None:
        """Write them."""
        self.file.write(self.rewrite(b"\0".join(self.parts).decode().split("\0")))


def _whole(source: Source, part: Format, columns: Columns, digest: str) -> Rewritable:
    """A file that is read into memory."""
    found = read_source(source, part, columns)
    joined: str = found.frame["text"].str.join("\0").item()

    def pieces(rows: int) -> Iterator[tuple[bytes, int]]:
        return pieces_of(joined.encode(), found.frame.height, rows)

    def writer(file: BinaryIO) -> Writer:
        return WholeWriter(partial(_rewritten, source, part, columns, found.frame), file)

    notes = found.notes
    if part.name in ("stm", "ctm"):
        notes = (*notes, f"{source.shown} is {part.name}: the noisy text is written as kaldi")
    ids = found.frame["utt"] if found.has_ids else None
    return Rewritable(source.shown, part.name, False, digest, pieces, writer, ids, notes)


def pieces_of(data: bytes, rows: int, most: int) -> Iterator[tuple[bytes, int]]:
    """Rows joined by NUL, `most` of them at a time, and how many they are."""
    import numpy as np

    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
    edges = [-1, *ends[most - 1 :: most].tolist(), len(data)]
    for number, (low, high) in enumerate(pairwise(edges)):
        yield data[low + 1 : high], min(most, rows - number * most)


def _rewritten(
    source: Source, part: Format, columns: Columns, frame: pl.DataFrame, rows: list[str]
) -> bytes:
    """The file with other texts."""
    if isinstance(part, Csv):
        return _delimited(source, part, columns, rows)
    if isinstance(part, JsonLines):
        return _objects(source, columns, rows)
    if isinstance(part, TableFormat):
        table = part.table(source).frame
        name = find_text(table.columns, columns, source)
        target = io.BytesIO()
        table.with_columns(_series(name, rows)).write_parquet(target)
        return target.getvalue()
    ids = frame["utt"].to_list()
    shape = "{1} ({0})\n" if part.name == "trn" else "{0} {1}\n"
    return "".join(shape.format(utt, row) for utt, row in zip(ids, rows, strict=True)).encode()


def _delimited(source: Source, part: Csv, columns: Columns, rows: list[str]) -> bytes:
    (header, *body), _ = read_rows(source, part.delimiter)
    at = column_names(header, source).index(
        find_text(column_names(header, source), columns, source)
    )
    target = io.StringIO()
    writer = csv.writer(target, delimiter=part.delimiter, lineterminator="\n")
    writer.writerow(header)
    with long_fields():
        for fields, row in zip(body, rows, strict=False):  # blank lines may follow the rows
            written = fields or [""]
            written[at] = row
            writer.writerow(written)
    return target.getvalue().encode()


def _objects(source: Source, columns: Columns, rows: list[str]) -> bytes:
    records, _ = read_objects(source)
    names = list(dict.fromkeys(key for record in records for key in record))
    key = find_text(names, columns, source)
    lines = (
        json.dumps({**record, key: row}, ensure_ascii=False)
        for record, row in zip(records, rows, strict=True)
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _series(name: str, rows: list[str]) -> pl.Series:
    import polars as pl

    return pl.Series(name, rows, pl.String)
