"""Decompression of gzip, Zstandard, bzip2 and xz.

The compression is recognised by the first bytes of the data, because the suffix of a file's name
may be wrong or missing.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import Any

from misword.core.errors import InputError, MissingExtraError

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def decompress(data: bytes, shown: str) -> bytes:
    """Return the decompressed data, or the data itself if it is not compressed."""
    known = next((value for magic, value in COMPRESSIONS.items() if data.startswith(magic)), None)
    if known is None:
        return data
    name, decompressor = known
    try:
        return decompressor(data)
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


def _decompress_zstandard(data: bytes) -> bytes:
    zstandard = import_zstandard()
    contents = []
    while data:
        # One object per frame: unlike the stream reader, it shows whether the frame was complete.
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            contents.append(frame.decompress(data))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if not frame.eof:
            raise EOFError("it ends inside a frame")
        data = frame.unused_data
    return b"".join(contents)


# The name and the decompressor of each compression by its first bytes.
COMPRESSIONS: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _decompress_zstandard),
    b"BZh": ("bzip2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
}
