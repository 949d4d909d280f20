"""A position in a binary stream, with a buffer of the bytes after it."""

from __future__ import annotations

import struct
from typing import Any

from misword.core.errors import InputError
from misword.io.files.streams import BLOCK, Stream


class Cursor:
    """A reader of binary data: `data[at:]` are the next bytes in the buffer; `fill` reads more."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.data, self.at = stream, b"", 0
        self._before = 0

    @property
    def position(self) -> int:
        """Number of bytes of the file before the current position."""
        return self._before + self.at

    def fill(self, size: int) -> None:
        """Fill the buffer to at least `size` bytes, or to the end of the file."""
        if len(self.data) - self.at >= size:
            return
        self.stream.use(self.data[: self.at])
        self._before += self.at
        self.data, self.at = self.data[self.at :] + self.stream.read(max(size, BLOCK)), 0

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes and move past them; raise if the file ends before."""
        self.fill(size)
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise self.cut_off(f"at byte {self.position + len(taken)}")
        self.at += size
        return taken

    def unpack(self, layout: str) -> tuple[Any, ...]:
        """Return the next numbers, little-endian without padding; `layout` is as in `struct`."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")))

    def rest(self, size: int = 1 << 10) -> bytes:
        """Return the next bytes without moving, fewer if the file ends."""
        self.fill(size)
        return self.data[self.at : self.at + size]

    def close(self) -> None:
        """Add the bytes before the current position to the digest of the content."""
        self.stream.use(self.data[: self.at])

    def close_at_end(self) -> None:
        """Add all bytes of the file to the digest of the content."""
        self.stream.use(self.data)
        self.stream.use_rest()

    def cut_off(self, where: str) -> InputError:
        """Return the error for a file that ends too early."""
        return InputError(
            f"the file ends {where}: it was cut off, or is of another format",
            where=self.stream.shown,
            fix="get or make it again",
        )
