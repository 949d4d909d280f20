"""gzip, Zstandard, bzip2 and xz, told by their first bytes: a name may lie, or be missing."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable

from misword.core.errors import InputError, MissingExtraError

SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def decompress(data: bytes, shown: str) -> bytes:
    """The bytes inside, or the bytes themselves where they are not compressed."""
    found = next((known for magic, known in OPENERS.items() if data.startswith(magic)), None)
    if found is None:
        return data
    name, opener = found
    try:
        return opener(data)
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"the {name} data is cut off or damaged ({error})",
            where=shown,
            fix="copy or compress the file again",
        ) from None


def _unzstd(data: bytes) -> bytes:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Zstandard files need the package 'zstandard'",
            fix="pip install zstandard, or decompress the file first",
        ) from None
    found = []
    while data:
        # One object per frame: unlike the stream reader, it tells whether the frame was whole.
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            found.append(frame.decompress(data))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if not frame.eof:
            raise EOFError("it ends inside a frame")
        data = frame.unused_data
    return b"".join(found)


OPENERS: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _unzstd),
    b"BZh": ("bzip2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
}
