"""Rewriting of transcript files with other texts; everything else in them is kept.

Plain lines and Kaldi files are read and written in blocks of rows, so they may be larger than
memory; files of other formats are read into memory. A block is bytes with a NUL between two rows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import file_digest
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Protocol

from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.io.files.limits import chosen_limit, too_large
from misword.io.files.path_errors import naming_temporary_folder, temporary_folder
from misword.io.files.sources import (
    STDIN,
    PathLike,
    Source,
    inner_name,
    open_source,
    shown_path,
    unreadable,
)
from misword.io.files.streams import BOM, HEAD, Stream
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.detection import find_format, notes_on_guess
from misword.io.transcripts.formats import Format
from misword.io.transcripts.read import read_source


class Writer(Protocol):
    """A writer of the rows of a file."""

    def write(self, rows: bytes) -> None:
        """Write the next rows."""
        ...

    def finish(self) -> None:
        """Write the end of the file, after the last rows."""
        ...


@dataclass(frozen=True, eq=False)
class Rewritable:
    """A file that can be read more than once and written again with other texts.

    `pieces(rows)` yields the texts in blocks of `rows` rows, each with its number of rows. If
    `labelled`, each row begins with its id. `writer(file)` writes other rows in the same blocks,
    after the texts were read. `ids` are the ids of the utterances, if the file has them and was
    read into memory. `written` is the name of the format that `writer` writes.
    """

    shown: str
    format: str
    written: str
    labelled: bool
    sha256: str
    pieces: Callable[[int], Iterator[tuple[bytes, int]]]
    writer: Callable[[BinaryIO], Writer]
    ids: pl.Series | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def rewritable(path: PathLike, format: str | None, columns: Columns) -> Iterator[Rewritable]:
    """Open a file; standard input and pipes can be read once, so they are first copied to disk."""
    named = Path(path)
    piped = os.path.exists(named) and not (named.is_file() or named.is_dir())
    if os.fspath(path) != STDIN and not piped:
        yield _open(named, shown_path(path), inner_name(path), format, columns)
        return
    shown = shown_path(path) if piped else "<stdin>"
    with temporary_folder() as folder:
        copy = folder / "stdin"
        with naming_temporary_folder(), copy.open("wb") as file, _pipe(named, piped) as pipe:
            _copy(pipe, file, shown)
        yield _open(copy, shown, "", format, columns)


def _pipe(path: Path, piped: bool) -> AbstractContextManager[BinaryIO]:
    """Return a pipe to read, or standard input, which stays open."""
    return path.open("rb") if piped else nullcontext(sys.stdin.buffer)


def _copy(pipe: BinaryIO, file: BinaryIO, shown: str) -> None:
    """Copy a pipe to a file; raise if it has more bytes than an input may have."""
    limit, size = chosen_limit(), 0
    while data := pipe.read(HEAD):
        size += file.write(data)
        if limit is not None and size > limit:
            raise too_large(shown, limit)


def _open(path: Path, shown: str, name: str, format: str | None, columns: Columns) -> Rewritable:
    """Detect the format from the head of the file and choose blocks of lines or memory."""
    try:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        open_source(path)  # raises the error for a missing file
        raise
    except OSError as error:
        raise unreadable(shown, error) from None
    with Stream(path, shown) as stream:
        head, whole = stream.head(), not stream.read(2 * HEAD)[HEAD:]
    if not head:
        open_source(path)  # raises the error for an empty file
    source = Source(shown, name, head if whole else head[: head.rfind(b"\n") + 1] or head)
    part = find_format(source, format)
    if not part.by_line:
        return _whole(Source(shown, name, open_source(path).data), part, columns, digest)
    _refuse_columns(part, columns, shown)
    if b"\r" in head and b"\n" not in head:
        raise InputError(
            "its lines end with CR alone, as on old Macs",
            where=shown,
            fix="convert it first: tr '\\r' '\\n' < FILE > NEW",
        )
    lines = LineFile(path, shown)
    return Rewritable(
        shown, part.name, part.name, part.starts_with_id, digest, lines.pieces, lines.writer,
        notes=notes_on_guess(part, name, shown, format),
    )  # fmt: skip


def _refuse_columns(part: Format, columns: Columns, shown: str) -> None:
    if columns.text is not None or columns.id is not None:
        raise OptionError(
            f"{shown} is read as {part.name}, which has no columns",
            fix="leave --text-column and --id-column out, or name the format with --input-format",
        )


class LineFile:
    """A file of lines.

    While it is read, `has_mark` is set if it begins with a byte-order mark, and `ends_in_newline`
    if its last line ends with a newline. The writer writes both as in the original.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.has_mark = self.ends_in_newline = False

    def pieces(self, rows: int) -> Iterator[tuple[bytes, int]]:
        """Yield the lines in blocks of `rows` rows."""
        import numpy as np

        rest, first = b"", True
        with Stream(self.path, self.shown) as stream:
            while block := stream.read():
                if first and block.startswith(BOM):
                    block, self.has_mark = block.removeprefix(BOM), True
                first = False
                rest += self._checked(block)
                while len(ends := np.flatnonzero(np.frombuffer(rest, np.uint8) == 10)) >= rows:
                    end = int(ends[rows - 1])
                    yield self._text(rest[:end]), rows
                    rest = rest[end + 1 :]
                    self.ends_in_newline = not rest
        if rest:
            self.ends_in_newline = rest.endswith(b"\n")
            rest = rest.removesuffix(b"\n")
            yield self._text(rest), rest.count(b"\n") + 1

    def _checked(self, block: bytes) -> bytes:
        if b"\0" in block:
            _ = Source(self.shown, "", open_source(self.path).data).text  # raises: names the line
        return block

    def _text(self, data: bytes) -> bytes:
        try:
            data.decode()
        except UnicodeDecodeError:
            _ = Source(self.shown, "", open_source(self.path).data).text  # raises: names the line
            raise
        return data.replace(b"\n", b"\0")

    def writer(self, file: BinaryIO) -> Writer:
        """Return a writer of lines to a file."""
        return LineWriter(self, file)


@dataclass
class LineWriter:
    """Writes each block of lines when it gets it."""

    lines: LineFile
    file: BinaryIO
    begun: bool = False

    def write(self, rows: bytes) -> None:
        """Write the next lines."""
        self.file.write(b"\n" if self.begun else BOM * self.lines.has_mark)
        self.file.write(rows.replace(b"\0", b"\n"))
        self.begun = True

    def finish(self) -> None:
        """Write the newline of the last line, if the original has one."""
        self.file.write(b"\n" * self.lines.ends_in_newline)


@dataclass
class WholeWriter:
    """Keeps all rows in memory and writes the file at the end."""

    rewrite: Callable[[list[str]], bytes]
    file: BinaryIO
    blocks: list[bytes] = field(default_factory=list)

    def write(self, rows: bytes) -> None:
        """Keep the next rows."""
        self.blocks.append(rows)

    def finish(self) -> None:
        """Write the file."""
        self.file.write(self.rewrite(b"\0".join(self.blocks).decode().split("\0")))


def _whole(source: Source, part: Format, columns: Columns, digest: str) -> Rewritable:
    """Return a file that is read into memory."""
    transcript = read_source(source, part, columns)
    frame = transcript.frame
    joined: str = frame["text"].str.join("\0").item()

    def pieces(rows: int) -> Iterator[tuple[bytes, int]]:
        return pieces_of(joined.encode(), frame.height, rows)

    def rewrite(texts: list[str]) -> bytes:
        return part.rewrite(source, columns, ids.to_list() if ids is not None else [], texts)

    def writer(file: BinaryIO) -> Writer:
        return WholeWriter(rewrite, file)

    ids = frame["utt"] if transcript.has_ids else None
    notes = transcript.notes
    if other := part.rewritten_as:
        notes = (*notes, f"{source.shown} is {part.name}: the noisy text is written as {other}")
    written = part.rewritten_as or part.name
    return Rewritable(source.shown, part.name, written, False, digest, pieces, writer, ids, notes)


def pieces_of(data: bytes, rows: int, most: int) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of at most `most` rows, which are joined by NUL, and their numbers of rows."""
    import numpy as np

    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
    edges = [-1, *ends[most - 1 :: most].tolist(), len(data)]
    for number, (low, high) in enumerate(pairwise(edges)):
        yield data[low + 1 : high], min(most, rows - number * most)
