"""Decompression of gzip, Zstandard, bzip2 and xz.

The compression is recognised by the first bytes of the data, because the suffix of a file's name
may be wrong or missing. Compressed data may consist of several streams, one after the other; tools
that compress in parallel and `cat` make such files. The modules `bz2` and `lzma` end at the first
stream that they cannot read and ignore the rest, so that a damaged file looks like a short one.
Here everything after a stream must be another stream, or padding where the format has any.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from misword.core.errors import InputError, MissingExtraError

# Bytes that are decompressed at once. Zstandard can expand data 32,000 times, so that a part of the
# content has up to a quarter of a gigabyte.
CHUNK = 1 << 13
XZ_MEMORY = 1 << 30  # the dictionary of `xz -9` needs a sixteenth of it
# The beginnings of Zstandard frames without content; `pzstd` writes such a frame first.
SKIPPABLE = tuple(bytes((0x50 + kind, 0x2A, 0x4D, 0x18)) for kind in range(16))
GZIP = 31  # zlib's setting for the largest window, with the header and the checksum of gzip


@dataclass(frozen=True, slots=True)
class Compression:
    """A compressed format: its name and suffix, its possible first bytes, how it is read.

    `begin` returns an object that decompresses one stream. Zeros may follow a stream if their
    number is a multiple of `padding`; 0 means that none may follow.
    """

    name: str
    suffix: str
    magic: tuple[bytes, ...]
    begin: Callable[[], Any]
    padding: int = 0


def compression_of(head: bytes, shown: str) -> str:
    """Return the name of the compression of data that begins with `head`; empty for none.

    If the data is so short that it may be the first bytes of a compression's mark, the suffix of
    the path `shown` decides: the one byte that is left of a compressed file is no text.
    """
    for one in COMPRESSIONS.values():
        cut_off = head and any(magic.startswith(head) for magic in one.magic)
        if head.startswith(one.magic) or (cut_off and shown.lower().endswith(one.suffix)):
            return one.name
    return ""


def decompressed_parts(file: BinaryIO, name: str, shown: str) -> Iterator[bytes]:
    """Yield the content of compressed data in parts; raise an `InputError` if it is damaged.

    `name` is that of the compression, and `shown` the path of the data in errors.
    """
    compression = COMPRESSIONS[name]
    stream, data, zeros, first = None, b"", 0, True
    try:
        while data := data or file.read(CHUNK):
            if stream is None:
                filled = data.lstrip(b"\0") if compression.padding and not first else data
                zeros += len(data) - len(filled)
                data = filled
                if not data:
                    continue
                _check_padding(zeros, compression)
                stream, zeros, first = compression.begin(), 0, False
            if part := stream.decompress(data):
                yield part
            data = b""
            if stream.eof:
                data, stream = stream.unused_data, None
        _check_padding(zeros, compression)
        if stream is not None:
            raise EOFError("it ends inside a stream")
    except _errors(name) as error:
        raise _damaged(name, shown, error) from None


def decompressed_data(data: bytes, name: str, shown: str) -> Iterator[bytes]:
    """Yield the content of compressed data in memory in parts."""
    return decompressed_parts(io.BytesIO(data), name, shown)


def import_zstandard() -> Any:
    """Return the module `zstandard`, or raise an error that says how to install it."""
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Zstandard files need the package 'zstandard'",
            fix="pip install zstandard, or decompress the file first",
        ) from None
    return zstandard


COMPRESSIONS = {
    one.name: one
    for one in (
        Compression("gzip", ".gz", (b"\x1f\x8b",), lambda: zlib.decompressobj(GZIP), padding=1),
        Compression(
            "Zstandard",
            ".zst",
            (b"\x28\xb5\x2f\xfd", *SKIPPABLE),
            lambda: import_zstandard().ZstdDecompressor().decompressobj(),
        ),
        Compression("bzip2", ".bz2", (b"BZh",), bz2.BZ2Decompressor),
        Compression(
            "xz",
            ".xz",
            (b"\xfd7zXZ\x00",),
            lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY),
            padding=4,
        ),
    )
}
SUFFIXES = tuple(one.suffix for one in COMPRESSIONS.values())


def _check_padding(zeros: int, compression: Compression) -> None:
    """Raise if zeros between or after streams are not padding, which has a multiple of bytes."""
    if zeros and zeros % compression.padding:
        raise ValueError(f"{zeros} zero bytes after a stream")


def _errors(name: str) -> tuple[type[Exception], ...]:
    """Return the exceptions of a decompressor."""
    usual = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
    return (*usual, import_zstandard().ZstdError) if name == "Zstandard" else usual


def _damaged(name: str, shown: str, error: Exception) -> InputError:
    """Return the error for compressed data that cannot be decompressed."""
    return InputError(
        f"the {name} data is cut off or damaged ({error})",
        where=shown,
        fix="copy or compress the file again",
    )
