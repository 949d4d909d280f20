"""The store of word vectors in the user's cache folder, and the reading of files into it.

Vectors that were read once are stored by the digest of their content and memory-mapped later. An
entry is written in a temporary folder and renamed when it is complete, so that no reader sees a
partial entry. An index from a file's path, size and times to its entry saves the next process from
hashing the file.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from glob import escape
from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.leftovers import release, remove, sibling
from misword.core.progress import progress
from misword.embed.vectors.stored_entry import (
    HASHES,
    INDEX,
    MARK,
    MATRIX,
    OFFSETS,
    ORDER,
    SINGLE,
    TEXT,
    VERSION,
    VectorEntry,
    foreign_entries,
    map_rows,
    open_entry,
    read_index,
    remember_entry,
)
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.checksums import KEY, file_checksum, json_checksum
from misword.io.files.replacements import replace_folder, sweep
from misword.io.files.sources import PathLike, listed_places, unreadable
from misword.io.files.streams import Stream
from misword.io.files.writing import apart, cache_folder, fresh_folder, refuse_foreign, write_whole
from misword.io.vectors import CharacterNgrams, find_vector_format

# Files, read into memory or into the files of an entry.

COPY = 1 << 22  # bytes that are moved at once


@dataclass(frozen=True, slots=True)
class Request:
    """A file of vectors and how to read it; `shown` is its path as the user wrote it."""

    path: Path
    shown: str
    format: str | None = None
    max_words: int | None = None

    @classmethod
    def of(cls, path: PathLike, format: str | None, max_words: int | None) -> Self:
        """Make a request after checking that the file exists and `max_words` is positive."""
        if max_words is not None and max_words < 1:
            raise OptionError(f"max_words is {max_words}", fix="use a number from 1 on, or none")
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            fix = _similar_name(Path(path))
            raise InputError("no such file", where=os.fspath(path), fix=fix) from None
        except (OSError, ValueError) as error:
            raise unreadable(os.fspath(path), error) from None
        if not stat.S_ISREG(found.st_mode):
            what = "this is no file that can be read more than once"
            raise InputError(what, where=os.fspath(path), fix="name a file of vectors")
        return cls(Path(path), os.fspath(path), format, max_words)

    @property
    def digest_settings(self) -> tuple[str, ...]:
        """The settings that are part of the digest, beside the content of the file."""
        return () if self.max_words is None else (f"max_words={self.max_words}",)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedFile:
    """The content of a file of vectors, without the matrix.

    `start` is the place of the matrix in the source file, if it can be mapped from there; None
    means that it was written elsewhere.
    """

    vocabulary: Vocabulary
    digest: str
    format: str
    notes: tuple[str, ...]
    shape: tuple[int, int]
    pieces: CharacterNgrams | None
    start: int | None


def parse(request: Request, rows: BinaryIO, *, in_place: bool) -> ParsedFile:
    """Read a file and write its matrix to `rows`.

    With `in_place` the matrix may be left in the file, if it can be mapped from there.
    """
    size = request.path.stat().st_size
    with (
        progress(f"reading {request.path.name}", size) as step,
        Stream(request.path, request.shown, step) as stream,
    ):
        part = find_vector_format(stream, request.format)
        content = part.read(stream, rows, request.max_words, in_place)
        digest = stream.digest(*request.digest_settings)
    vocabulary, repeated = Vocabulary.of(content.text, content.offsets)
    notes = content.notes
    if len(repeated):
        if content.rows != len(content.places) or content.start is not None:
            raise InputError("duplicate words in the dictionary", where=request.shown)
        _remove_rows(rows, repeated, content.rows, content.dimension)
        lines = listed_places(content.places[repeated].tolist(), content.unit)
        notes += (f"{counted(len(repeated), 'duplicate word')}: the first counts ({lines})",)
    shape = (content.rows - len(repeated), content.dimension)
    return ParsedFile(vocabulary, digest, part.name, notes, shape, content.ngrams, content.start)


def read_in_memory(request: Request) -> VectorEntry:
    """Read a file without storing anything on disk."""
    rows = BytesIO()
    parsed = parse(request, rows, in_place=True)
    if parsed.start is None:
        matrix = np.frombuffer(rows.getbuffer(), SINGLE).reshape(parsed.shape)
        matrix.flags.writeable = False
    else:
        matrix = map_rows(request.path, parsed.shape, parsed.start)
    return VectorEntry(
        matrix, parsed.vocabulary, parsed.digest, parsed.format, parsed.notes, parsed.pieces
    )


def write_entry(folder: Path, request: Request, *, in_place: bool) -> ParsedFile:
    """Read a file into a folder and flush all files of the folder to the disk."""
    with (folder / MATRIX).open("w+b") as rows:
        parsed = parse(request, rows, in_place=in_place)
        _sync(rows)
    words = parsed.vocabulary
    _write(folder / TEXT, [words.text])
    _write(folder / OFFSETS, [words.offsets.astype("<i8")])
    _write(folder / HASHES, [words.hashes.astype("<u8")])
    _write(folder / ORDER, [words.order.astype("<i4")])
    files = sorted(folder.iterdir())
    index: dict[str, Any] = {
        "format": MARK,
        "version": VERSION,
        "digest": parsed.digest,
        "vectors": parsed.format,
        "notes": parsed.notes,
        "shape": parsed.shape,
        "pieces": asdict(parsed.pieces) if parsed.pieces else None,
        "start": parsed.start,
        "source": request.path.stat().st_size,
        "sizes": {file.name: file.stat().st_size for file in files},
        "checksums": {file.name: file_checksum(file, "hashing") for file in files},
    }
    index |= {KEY: json_checksum(index)}
    text = json.dumps(index, ensure_ascii=False, indent=1) + "\n"
    _write(folder / INDEX, [text.encode()])
    return parsed


def _remove_rows(rows: BinaryIO, removed: NDArray[np.int64], count: int, dimension: int) -> None:
    """Remove some of `count` rows from a file of rows and move up the rows after them."""
    width = SINGLE.itemsize * dimension
    edges = [*removed.tolist(), count]
    target = edges[0] * width
    for lo, hi in pairwise(edges):
        at, end = (lo + 1) * width, hi * width
        while at < end:
            rows.seek(at)
            data = rows.read(min(COPY, end - at))
            rows.seek(target)
            rows.write(data)
            at, target = at + len(data), target + len(data)
    rows.truncate(target)


def _write(path: Path, parts: Iterable[Any]) -> None:
    with path.open("wb") as file:
        for part in parts:
            file.write(part)
        _sync(file)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _similar_name(path: Path) -> str:
    """Return a hint that names an existing file of a similar name."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"there is no folder {path.parent}"
    similar = get_close_matches(path.name, names, 1)
    return f"did you mean {path.with_name(similar[0])}?" if similar else "check the path"


# The store.

ENTRY_NAME = re.compile(r"[\w.-]+")


def load(request: Request, *, keep: bool = True) -> VectorEntry:
    """Return the vectors of a file from the store; with `keep` new ones are stored, if possible."""
    if not keep:
        return read_in_memory(request)
    root = cache_folder() / "vectors"
    try:
        return Store(root).load_entry(request)
    except OSError as error:
        entry = read_in_memory(request)
        reason = error.strerror or error
        note = f"not kept for the next time: {root} cannot be written ({reason})"
        return replace(entry, notes=(*entry.notes, note))


def export(request: Request, target: Path) -> None:
    """Write vectors to a folder that can be opened on any machine; replace an older entry."""
    refuse_foreign(target, read_index, "it exists and holds no vectors of misword")
    with fresh_folder(target, foreign_entries) as fresh:
        write_entry(fresh, request, in_place=False)
    remember_entry(target)


class Store:
    """The stored entries of one cache folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_entry(self, request: Request) -> VectorEntry | None:
        """Return the entry of a file that was read before and has not changed since."""
        record = self._record(request)
        try:
            name = record.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):  # there is none, or it is damaged
            return None
        return self._open(name, request)

    def load_entry(self, request: Request) -> VectorEntry:
        """Return the entry of a file, written if it is new; `OSError` if it cannot be written."""
        entry = self.find_entry(request)
        if entry is not None:
            return entry
        record = self._record(request)
        record.parent.mkdir(parents=True, exist_ok=True)
        name = self._same_content(request, record) or self._write(request)
        entry = self._open(name, request)
        if entry is None:
            raise OSError(f"the entry {name} was damaged while it was made")
        if record == self._record(request):  # otherwise the file was changed meanwhile
            with suppress(OptionError), apart():  # the entry is also found by its content
                write_whole(name.encode(), record)
        return entry

    def _record(self, request: Request) -> Path:
        """Return the index file that contains the name of the entry.

        Its name starts with the size of the vector file, so that files of equal size can be found.
        """
        path = request.path.resolve()
        companions = sorted(path.parent.glob(escape(path.name) + ".*.npy"))
        facts: list[object] = [VERSION, request.format, request.max_words]
        for file in (path, *companions):
            stat = file.stat()
            facts += [str(file), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        key = sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / "index" / f"{path.stat().st_size}-{key[:32]}"

    def _open(self, name: str, request: Request) -> VectorEntry | None:
        """Return the entry of this name; None if it is missing, damaged or without checksums."""
        if not ENTRY_NAME.fullmatch(name):
            return None
        try:
            return open_entry(self.root / name, request.path, needs_checksums=True)
        except (InputError, OSError):
            return None

    def _same_content(self, request: Request, record: Path) -> str | None:
        """Return the entry's name of another file with the same content.

        Hashing a file takes less time than parsing it.
        """
        size = record.name.partition("-")[0]
        if request.max_words is not None or not any(record.parent.glob(f"{size}-*")):
            return None
        with (
            progress(f"hashing {request.path.name}", int(size)) as step,
            Stream(request.path, request.shown, step) as stream,
        ):
            part = find_vector_format(stream, request.format)
            stream.use_rest()
            name = entry_name(stream.digest(*request.digest_settings), part.name)
        return name if self._open(name, request) else None

    def _write(self, request: Request) -> str:
        """Write the entry of a file and return its name."""
        sweep(self.root / "entry")
        fresh = sibling(self.root / "entry", "new")
        try:
            fresh.mkdir()
            parsed = write_entry(fresh, request, in_place=True)
            name = entry_name(parsed.digest, parsed.format)
            if self._open(name, request) is None:  # otherwise another process wrote it meanwhile
                replace_folder(fresh, self.root / name)
                remember_entry(self.root / name)
            return name
        finally:
            with suppress(OSError):
                remove(fresh)
            release(fresh)


def entry_name(digest: str, format: str) -> str:
    """Return the name of an entry's folder."""
    return f"{digest}.{format}.{VERSION}"
