"""Vectors in a folder, ready to be mapped: the numbers, the words, and `entry.json` about them."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.folders import read_index as read_marked
from misword.io.files.sources import counted
from misword.io.files.streams import Stream
from misword.io.vectors import find_format
from misword.io.vectors.reading.collector import listed
from misword.io.vectors.reading.contents import CharacterNgrams, VectorContents

INDEX = "entry.json"
MARK = "misword-vectors"
VERSION = 1
MATRIX, TEXT, OFFSETS, HASHES, ORDER = (
    "matrix.f32",
    "words",
    "offsets.i64",
    "hashes.u64",
    "order.i32",
)
SINGLE = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Request:
    """A file to be read, and how; `shown` is its path as the user gave it."""

    path: Path
    shown: str
    format: str | None = None
    max_words: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """Vectors that were read; `folder` is where they are kept, if they are."""

    matrix: NDArray[np.float32]
    vocabulary: Vocabulary
    digest: str
    format: str
    notes: tuple[str, ...] = ()
    pieces: CharacterNgrams | None = None
    folder: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """All of an entry but its numbers: they are elsewhere, or at `start` in the file itself."""

    vocabulary: Vocabulary
    digest: str
    format: str
    notes: tuple[str, ...]
    shape: tuple[int, int]
    pieces: CharacterNgrams | None
    start: int | None


def parse(request: Request, rows: BinaryIO, *, in_place: bool) -> Parsed:
    """Read a file, writing its numbers to `rows`."""
    size = request.path.stat().st_size
    with (
        progress(f"reading {request.path.name}", size) as step,
        Stream(request.path, request.shown, step) as stream,
    ):
        part = find_format(stream, request.format)
        found = part.read(stream, rows, request.max_words, in_place)
        digest = stream.digest(*settings(request))
    vocabulary, doubled = Vocabulary.of(found.text, found.offsets)
    notes = found.notes
    if len(doubled):
        if found.rows != len(found.places) or found.start is not None:
            raise InputError("the same word twice in the dictionary", where=request.shown)
        _drop(rows, doubled, found)
        lines = listed(found.places[doubled].tolist(), found.unit)
        notes += (f"{counted(len(doubled), 'doubled word')}: the first counts ({lines})",)
    shape = (found.rows - len(doubled), found.dimension)
    return Parsed(vocabulary, digest, part.name, notes, shape, found.ngrams, found.start)


def settings(request: Request) -> tuple[str, ...]:
    """What belongs to the digest besides the content."""
    return () if request.max_words is None else (f"max_words={request.max_words}",)


def read_in_memory(request: Request) -> Entry:
    """Read a file without keeping anything on disk."""
    rows = BytesIO()
    parsed = parse(request, rows, in_place=True)
    if parsed.start is None:
        matrix = np.frombuffer(rows.getbuffer(), SINGLE).reshape(parsed.shape)
        matrix.flags.writeable = False
    else:
        matrix = _map_rows(request.path, parsed.shape, parsed.start)
    return Entry(
        matrix, parsed.vocabulary, parsed.digest, parsed.format, parsed.notes, parsed.pieces
    )


def write_entry(folder: Path, request: Request, *, in_place: bool) -> Parsed:
    """Read a file into a folder; everything is on the disk when this returns."""
    with (folder / MATRIX).open("w+b") as rows:
        parsed = parse(request, rows, in_place=in_place)
        _sync(rows)
    words = parsed.vocabulary
    _write(folder / TEXT, [words.text])
    _write(folder / OFFSETS, [words.offsets.astype("<i8")])
    _write(folder / HASHES, [words.hashes.astype("<u8")])
    _write(folder / ORDER, [words.order.astype("<i4")])
    sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    index = {
        "format": MARK,
        "version": VERSION,
        "digest": parsed.digest,
        "vectors": parsed.format,
        "notes": parsed.notes,
        "shape": parsed.shape,
        "pieces": asdict(parsed.pieces) if parsed.pieces else None,
        "start": parsed.start,
        "source": request.path.stat().st_size,
        "sizes": sizes,
    }
    text = json.dumps(index, ensure_ascii=False, indent=1) + "\n"
    _write(folder / INDEX, [text.encode()])
    return parsed


def open_entry(folder: Path, source: Path | None = None) -> Entry:
    """Map what `write_entry` wrote; the numbers may still be in the `source` file."""
    index = read_index(folder)
    rows, dimension = index["shape"]
    if index["start"] is None:
        matrix = _map_rows(folder / MATRIX, (rows, dimension), 0)
    else:
        # The same content compressed has the same digest, but not the numbers at this place.
        if source is None or source.stat().st_size != index["source"]:
            raise InputError("the numbers are not in this folder", where=str(folder))
        matrix = _map_rows(source, (rows, dimension), index["start"])
    words = Vocabulary(
        _map(folder / TEXT),
        np.frombuffer(_map(folder / OFFSETS), "<i8"),
        np.frombuffer(_map(folder / HASHES), "<u8"),
        np.frombuffer(_map(folder / ORDER), "<i4"),
    )
    pieces = dict(index["pieces"]) if index["pieces"] else None
    if pieces and pieces["pruned"] is not None:
        pieces["pruned"] = tuple(pieces["pruned"])
    return Entry(
        matrix,
        words,
        index["digest"],
        index["vectors"],
        tuple(index["notes"]),
        CharacterNgrams(**pieces) if pieces else None,
        folder,
    )


def open_folder(folder: Path) -> Entry:
    """Open an entry that is not in the store, where it may have been tampered with."""
    try:
        entry = open_entry(folder)
        words = entry.vocabulary
        sound = (
            isinstance(entry.digest, str)
            and entry.matrix.nbytes == (folder / MATRIX).stat().st_size
            and (entry.pieces is not None or len(entry.matrix) == len(words))
            and bool((np.diff(words.offsets) >= 0).all())
            and words.offsets[-1] == len(words.text)
            and bool((np.sort(words.order) == np.arange(len(words))).all())
        )
    except (AttributeError, IndexError, KeyError, OSError, TypeError, ValueError):
        sound = False
    if not sound:
        raise InputError("the folder is damaged", where=str(folder), fix="convert the file again")
    return entry


def read_index(folder: Path) -> dict[str, Any]:
    """What `entry.json` says, after a check that all is there."""
    wrong = InputError(
        "this folder holds no word vectors",
        where=str(folder),
        fix="name a file of vectors, or a folder made by `misword vectors convert --out`",
    )
    index = read_marked(folder / INDEX, MARK, VERSION, wrong)
    for name, size in index["sizes"].items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size:
            raise InputError("the file is damaged", where=str(file), fix="convert it again")
    return index


def _drop(rows: BinaryIO, doubled: NDArray[np.int64], found: VectorContents) -> None:
    """Take rows out of a file of rows, moving up what follows."""
    width = SINGLE.itemsize * found.dimension
    edges = [*doubled.tolist(), found.rows]
    to = edges[0] * width
    for lo, hi in pairwise(edges):
        at, end = (lo + 1) * width, hi * width
        while at < end:
            rows.seek(at)
            data = rows.read(min(1 << 22, end - at))
            rows.seek(to)
            rows.write(data)
            at, to = at + len(data), to + len(data)
    rows.truncate(to)


def _write(path: Path, parts: Iterable[Any]) -> None:
    with path.open("wb") as file:
        for part in parts:
            file.write(part)
        _sync(file)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _map_rows(path: Path, shape: tuple[int, int], start: int) -> NDArray[np.float32]:
    matrix = np.frombuffer(_map(path), SINGLE, shape[0] * shape[1], start).reshape(shape)
    return matrix
