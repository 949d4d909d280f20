"""Word vectors in a folder of files that are memory-mapped, described by `entry.json`.

An entry is checked when it is opened for the first time: `entry.json` against its schema, the sizes
and checksums of all files, and that the arrays of the vocabulary fit together. The cache folder
then has a record of these files, so that the next `open_entry` maps them at once.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.checksums import HEX, VerificationRecord, check_files
from misword.io.files.checksums import read_index as read_json_index
from misword.io.files.strict_json import integer, list_of, optional, record, text
from misword.io.files.writing import read_steadily
from misword.io.vectors import CharacterNgrams
from misword.io.vectors.reading import well_formed
from misword.native.byte_ranges import hash_words

INDEX = "entry.json"
MARK = "misword-vectors"
VERSION = 1
MATRIX, TEXT, OFFSETS, HASHES, ORDER = FILES = (
    "matrix.f32",
    "words",
    "offsets.i64",
    "hashes.u64",
    "order.i32",
)
SINGLE = np.dtype("<f4")
LONGEST_NGRAM, MOST_BUCKETS = 1000, 1 << 31
PIECES = {
    "first": integer(0),
    "shortest": integer(0, LONGEST_NGRAM),
    "longest": integer(0, LONGEST_NGRAM),
    "buckets": integer(0, MOST_BUCKETS),
    "pruned": optional(list_of(integer(0, MOST_BUCKETS))),
}
SCHEMA = record(
    {
        "digest": text(HEX),
        "vectors": text(),
        "notes": list_of(text()),
        "shape": list_of(integer(1), 2),
        "pieces": optional(record(PIECES)),
        "start": optional(integer(0)),
        "source": integer(0),
        "sizes": record(dict.fromkeys(FILES, integer(0))),
    },
    {"checksums": record(dict.fromkeys(FILES, text(HEX)))},
)


@dataclass(frozen=True, slots=True, eq=False)
class VectorEntry:
    """Vectors that were read; `folder` is the folder in which they are stored, if any."""

    matrix: NDArray[np.float32]
    vocabulary: Vocabulary
    digest: str
    format: str
    notes: tuple[str, ...] = ()
    pieces: CharacterNgrams | None = None
    folder: Path | None = None


def open_entry(
    folder: Path, source: Path | None = None, *, needs_checksums: bool = False
) -> VectorEntry:
    """Map the files of an entry; the matrix may be in the `source` file.

    With `needs_checksums`, an entry without checksums, which an older version wrote, is refused.
    """
    index = read_index(folder)
    if needs_checksums and "checksums" not in index:
        raise InputError("an entry without checksums", where=str(folder))
    verification = _verification(folder)
    if verification is None:
        raise _damaged(folder, "a file is missing")
    if verification.is_known():
        return _mapped(folder, index, source)
    _check_files(folder, index)
    entry = _mapped(folder, index, source)
    _check_vocabulary(entry.vocabulary, folder)
    verification.remember()
    return entry


def open_folder(folder: Path) -> VectorEntry:
    """Open an entry outside the store, which another process may replace meanwhile."""
    return read_steadily(folder, INDEX, open_entry)


def foreign_entries(folder: Path) -> list[Path]:
    """Return the entries of a folder of vectors that are not files of these vectors."""
    entries = list(folder.iterdir())
    own = {INDEX, *read_index(folder)["sizes"]} if entries else set()
    return [entry for entry in entries if entry.name not in own]


def verify_entry(folder: Path) -> bool:
    """Check an entry, whether it was verified before or not; return whether it has checksums.

    The matrix of an entry in the cache may be in the file that was read, which is not checked.
    """
    index = read_index(folder)
    _check_files(folder, index)
    _check_vocabulary(_vocabulary(folder), folder)
    return "checksums" in index


def remember_entry(folder: Path) -> None:
    """Record that an entry is as it was written."""
    verification = _verification(folder)
    if verification is not None:
        verification.remember()


def read_index(folder: Path) -> dict[str, Any]:
    """Return the content of `entry.json` after checking it and the sizes of all files."""

    def wrong() -> InputError:
        return InputError(
            "this folder holds no word vectors",
            where=str(folder),
            fix="name a file of vectors, or a folder made by `misword vectors convert --out`",
        )

    index = read_json_index(folder / INDEX, MARK, VERSION, wrong, SCHEMA)
    sizes = index["sizes"]
    for name in FILES:
        file = folder / name
        if not file.is_file() or file.stat().st_size != sizes[name]:
            raise InputError("the file is damaged", where=str(file), fix="convert it again")
    rows, dimension = index["shape"]
    words = sizes[ORDER] // 4
    sound = (
        words > 0
        and sizes[TEXT] > 0
        and sizes[OFFSETS] == 8 * (words + 1)
        and sizes[HASHES] == 8 * words
        and sizes[ORDER] == 4 * words
        and sizes[MATRIX] == (0 if index["start"] is not None else _bytes_of(index["shape"]))
        and _ngrams_fit(index["pieces"], rows, words)
    )
    if not sound:
        raise _damaged(folder, f"the files do not fit {rows} x {dimension} numbers")
    return index


def _verification(folder: Path) -> VerificationRecord | None:
    return VerificationRecord.of([folder / INDEX, *(folder / name for name in FILES)])


def _check_files(folder: Path, index: dict[str, Any]) -> None:
    """Raise if a file has another checksum than `entry.json` says, if it says any."""
    if "checksums" in index:
        check_files(folder, {name: index["checksums"][name] for name in FILES})


def _ngrams_fit(pieces: dict[str, Any] | None, rows: int, words: int) -> bool:
    """Whether there are at least as many rows as words and n-grams need."""
    if pieces is None:
        return rows >= words
    pruned = pieces["pruned"]
    if pruned is not None and not all(bucket < pieces["buckets"] for bucket in pruned):
        return False
    ngrams = pieces["buckets"] if pruned is None else len(pruned)
    return bool(words <= pieces["first"] and pieces["first"] + ngrams <= rows)


def _mapped(folder: Path, index: dict[str, Any], source: Path | None) -> VectorEntry:
    shape = index["shape"][0], index["shape"][1]
    if index["start"] is None:
        matrix = map_rows(folder / MATRIX, shape, 0)
    else:
        # A compressed file of the same content has the same digest, but no matrix at this place.
        size = source.stat().st_size if source is not None else -1
        if source is None or size != index["source"] or size < index["start"] + _bytes_of(shape):
            raise InputError("the numbers are not in this folder", where=str(folder))
        matrix = map_rows(source, shape, index["start"])
    stored = index["pieces"]
    pieces = {name: stored[name] for name in PIECES} if stored else None  # no other names
    if pieces and pieces["pruned"] is not None:
        pieces["pruned"] = tuple(pieces["pruned"])
    return VectorEntry(
        matrix,
        _vocabulary(folder),
        index["digest"],
        index["vectors"],
        tuple(index["notes"]),
        CharacterNgrams(**pieces) if pieces else None,
        folder,
    )


def _vocabulary(folder: Path) -> Vocabulary:
    return Vocabulary(
        _map(folder / TEXT),
        np.frombuffer(_map(folder / OFFSETS), "<i8"),
        np.frombuffer(_map(folder / HASHES), "<u8"),
        np.frombuffer(_map(folder / ORDER), "<i4"),
    )


def _check_vocabulary(words: Vocabulary, folder: Path) -> None:
    """Raise unless offsets, hashes and order belong to the text of the words."""
    data, offsets, order = words.text[:], words.offsets, words.order
    lengths = np.diff(offsets)
    sound = (
        offsets[0] == 0
        and offsets[-1] == len(data)
        and bool((lengths >= 0).all())
        and bool(well_formed(np.frombuffer(data, np.uint8), lengths).all())
        and int(order.min()) >= 0
        and int(order.max()) < len(words)
        and bool((np.bincount(order, minlength=len(words)) == 1).all())
        and bool((words.hashes[1:] >= words.hashes[:-1]).all())
        and bool((hash_words(data, offsets)[order] == words.hashes).all())
    )
    if not sound:
        raise _damaged(folder, "its words are not what was written")


def _damaged(folder: Path, what: str) -> InputError:
    return InputError(
        f"the folder is damaged: {what}", where=str(folder), fix="convert the file again"
    )


def _bytes_of(shape: tuple[int, int] | list[int]) -> int:
    return shape[0] * shape[1] * SINGLE.itemsize


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def map_rows(path: Path, shape: tuple[int, int], start: int) -> NDArray[np.float32]:
    """Map a matrix that begins at the byte `start` of a file."""
    return np.frombuffer(_map(path), SINGLE, shape[0] * shape[1], start).reshape(shape)
