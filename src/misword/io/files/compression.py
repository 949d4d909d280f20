"""Decompression of gzip, Zstandard, bzip2 and xz.

The compression is recognised by the first bytes of the data, because the suffix of a file's name
may be wrong or missing.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from misword.core.errors import InputError, MissingExtraError

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


# The first bytes of compressed data, and the name of the compression.
MAGIC_BYTES = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}


def compression_of(head: bytes) -> str:
    """Return the name of the compression of data that begins with `head`; empty for none."""
    names = (name for magic, name in MAGIC_BYTES.items() if head.startswith(magic))
    return next(names, "")


def decompress(data: bytes, shown: str) -> bytes:
    """Return the decompressed data, or the data itself if it is not compressed."""
    name = compression_of(data)
    decompressors: dict[str, Callable[[bytes], bytes]] = {
        "": lambda data: data,
        "Zstandard": lambda data: ZstandardReader(io.BytesIO(data)).readall(),
        "gzip": gzip.decompress,
        "bzip2": bz2.decompress,
        "xz": lzma.decompress,
    }
    try:
        return decompressors[name](data)
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise damaged(name, shown, error) from None


def damaged(name: str, shown: str, error: Exception) -> InputError:
    """Return the error for compressed data that cannot be decompressed."""
    return InputError(
        f"the {name} data is cut off or damaged ({error})",
        where=shown,
        fix="copy or compress the file again",
    )


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


class ZstandardReader(io.RawIOBase):
    """Decompresses Zstandard data; unlike the package's reader, it detects an incomplete frame."""

    def __init__(self, file: BinaryIO) -> None:
        zstandard = import_zstandard()
        self._file, self._new, self._error = file, zstandard.ZstdDecompressor, zstandard.ZstdError
        self._frame: Any = None
        self._left = memoryview(b"")

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; return their number."""
        while not self._left:
            data = (self._frame.unused_data if self._frame and self._frame.eof else b"") or (
                self._file.read(1 << 17)
            )
            if not data:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("it ends inside a frame")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._new().decompressobj()
            try:
                self._left = memoryview(self._frame.decompress(data))
            except self._error as error:
                raise ValueError(str(error)) from None
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size
