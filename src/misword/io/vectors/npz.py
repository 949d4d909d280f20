"""Word vectors in NumPy archives."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.archives import ZIP_ERRORS, NpyHeader, check_header, read_npy_header
from misword.io.files.limits import expansion_limit, too_large
from misword.io.files.streams import BLOCK, Stream
from misword.io.vectors import VectorContents, VectorFormat
from misword.io.vectors.reading import Collector

ROWS = 4096


class Member(NamedTuple):
    """An array in the archive: its name, the bytes of its elements that are there, its header."""

    name: str
    size: int
    header: NpyHeader

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the header claims."""
        return self.header.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.header.dtype


@dataclass(frozen=True, slots=True)
class Npz(VectorFormat):
    """numpy `.npz`: one array of words and one of numbers, a row for each word, of any names.

    Arrays of Python objects are refused, because reading them would run code from the file.

    Example: `np.savez("vectors.npz", words=np.array(words), vectors=matrix)`
    """

    name: ClassVar[str] = "npz"
    title: ClassVar[str] = "NumPy archive"
    suffixes: ClassVar[tuple[str, ...]] = (".npz",)

    def looks_like(self, head: bytes) -> bool:
        """Whether it is a zip archive."""
        return head.startswith(b"PK\x03\x04")

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read both arrays in blocks of rows."""
        if stream.compression:
            raise InputError("a compressed archive", where=stream.shown, fix="decompress it first")
        try:
            with zipfile.ZipFile(stream.path) as archive:
                _check_expansion(archive, stream)
                members = [_member(archive, entry) for entry in archive.infolist()]
                words, numbers = _pair(members, stream.shown)
                collector = Collector(stream.shown, rows, numbers.shape[1], "word")
                _collect(archive, words, numbers, max_words, collector)
        except (*ZIP_ERRORS, ValueError) as error:
            raise InputError(
                f"the archive is cut off or damaged ({error})",
                where=stream.shown,
                fix="write it again with np.savez",
            ) from None
        stream.use_rest()
        return collector.finish()


def _check_expansion(archive: zipfile.ZipFile, stream: Stream) -> None:
    """Raise if the arrays of a small archive claim to be very large."""
    limit = expansion_limit(stream.size)
    if sum(entry.file_size for entry in archive.infolist()) > limit:
        raise too_large(stream.shown, limit, stream.size)


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Member:
    with archive.open(entry) as file:
        header = read_npy_header(cast(BinaryIO, file))
        return Member(entry.filename, entry.file_size - file.tell(), header)


def _collect(
    archive: zipfile.ZipFile,
    words: Member,
    numbers: Member,
    max_words: int | None,
    collector: Collector,
) -> None:
    """Pass words and numbers to the collector, in blocks of limited size."""
    widest = max(member.header.size // max(member.shape[0], 1) for member in (words, numbers))
    block = max(1, min(ROWS, BLOCK // max(widest, 1)))
    done = 0
    blocks = zip(_rows(archive, words, block), _rows(archive, numbers, block), strict=True)
    for names, values in blocks:
        wanted = None if max_words is None else max_words - done
        _add(names[:wanted], values[:wanted], done, collector)
        done += len(names)
        if wanted is not None and len(names) >= wanted:
            break


def _pair(members: list[Member], shown: str) -> tuple[Member, Member]:
    """Return the array of words and the array of numbers, recognised by shape and type."""
    words = [m for m in members if len(m.shape) == 1 and m.dtype.kind in "US"]
    numbers = [m for m in members if len(m.shape) == 2 and m.dtype.kind in "fiu"]
    if len(words) == len(numbers) == 1 and words[0].shape[0] == numbers[0].shape[0]:
        return words[0], numbers[0]
    seen = ", ".join(f"{m.name.removesuffix('.npy')} {m.dtype}{list(m.shape)}" for m in members)
    raise InputError(
        f"one array of words and one with a row of numbers for each are needed; found: {seen}",
        where=shown,
        fix="np.savez(file, words=np.array(words), vectors=matrix); lists of Python objects "
        "(dtype object) cannot be read",
    )


def _rows(archive: zipfile.ZipFile, member: Member, block: int) -> Iterator[NDArray[Any]]:
    """Yield the rows of an array in blocks."""
    check_header(member.header, member.size)
    dtype, height = member.dtype, member.shape[0]
    with archive.open(member.name) as file:
        read_npy_header(cast(BinaryIO, file))
        if member.header.columns_first and len(member.shape) > 1:  # rows are not contiguous
            whole = np.frombuffer(file.read(), dtype).reshape(member.shape, order="F")
            yield from (whole[lo : lo + block] for lo in range(0, height, block))
            return
        for lo in range(0, height, block):
            shape = (min(block, height - lo), *member.shape[1:])
            size = math.prod(shape) * dtype.itemsize
            yield np.frombuffer(file.read(size), dtype).reshape(shape)


def _add(names: NDArray[Any], values: NDArray[Any], done: int, collector: Collector) -> None:
    words = [
        w.encode("utf-8", "surrogatepass") if isinstance(w, str) else w for w in names.tolist()
    ]
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
    collector.add_words(words, singles, np.arange(done + 1, done + 1 + len(words)))
