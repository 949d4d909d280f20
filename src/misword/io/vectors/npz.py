"""Word vectors in NumPy archives."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.streams import Stream
from misword.io.vectors import VectorContents, VectorFormat
from misword.io.vectors.reading.collector import Collector

ROWS = 4096


class Member(NamedTuple):
    """Name, shape and type of an array in the archive."""

    name: str
    shape: tuple[int, ...]
    columns_first: bool
    dtype: np.dtype[Any]


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
                members = [_member(archive, name) for name in archive.namelist()]
                words, numbers = _pair(members, stream.shown)
                collector = Collector(stream.shown, rows, numbers.shape[1], "word")
                done = 0
                blocks = zip(_rows(archive, words), _rows(archive, numbers), strict=True)
                for names, values in blocks:
                    wanted = None if max_words is None else max_words - done
                    _add(names[:wanted], values[:wanted], done, collector)
                    done += len(names)
                    if wanted is not None and len(names) >= wanted:
                        break
        except (zipfile.BadZipFile, ValueError, EOFError, zlib.error, NotImplementedError) as error:
            raise InputError(
                f"the archive is cut off or damaged ({error})",
                where=stream.shown,
                fix="write it again with np.savez",
            ) from None
        stream.use_rest()
        return collector.finish()


def _member(archive: zipfile.ZipFile, name: str) -> Member:
    with archive.open(name) as file:
        return Member(name, *_header(file))


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    return read(file)


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


def _rows(archive: zipfile.ZipFile, member: Member) -> Iterator[NDArray[Any]]:
    """Yield the rows of an array in blocks."""
    with archive.open(member.name) as file:
        _header(file)
        if member.columns_first and len(member.shape) > 1:  # rows are not contiguous: read all
            whole = np.frombuffer(file.read(), member.dtype).reshape(member.shape, order="F")
            yield from (whole[lo : lo + ROWS] for lo in range(0, len(whole), ROWS))
            return
        for lo in range(0, member.shape[0], ROWS):
            shape = (min(ROWS, member.shape[0] - lo), *member.shape[1:])
            size = int(np.prod(shape)) * member.dtype.itemsize
            yield np.frombuffer(file.read(size), member.dtype).reshape(shape)


def _add(names: NDArray[Any], values: NDArray[Any], done: int, collector: Collector) -> None:
    words = [
        w.encode("utf-8", "surrogatepass") if isinstance(w, str) else w for w in names.tolist()
    ]
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
    collector.add_words(words, singles, np.arange(done + 1, done + 1 + len(words)))
