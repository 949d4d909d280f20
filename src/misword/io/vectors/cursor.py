"""A place in a binary stream, with what follows it at hand."""

from __future__ import annotations

import struct
from typing import Any

from misword.core.errors import InputError
from misword.io.vectors.streams import BLOCK, Stream


class Cursor:
    """`data[at:]` is what comes next and was already read; `fill` reads more."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.data, self.at = stream, b"", 0
        self._before = 0

    @property
    def position(self) -> int:
        """The number of bytes before the place."""
        return self._before + self.at

    def fill(self, size: int) -> None:
        """Have at least so many bytes at hand, unless the file ends."""
        if len(self.data) - self.at >= size:
            return
        self.stream.use(self.data[: self.at])
        self._before += self.at
        self.data, self.at = self.data[self.at :] + self.stream.read(max(size, BLOCK)), 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        self.fill(size)
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise self.cut_off(f"at byte {self.position + len(taken)}")
        self.at += size
        return taken

    def unpack(self, layout: str) -> tuple[Any, ...]:
        """The next numbers, little-endian and packed."""
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")))

    def rest(self, size: int = 1 << 10) -> bytes:
        """Some of what follows, to look at."""
        self.fill(size)
        return self.data[self.at : self.at + size]

    def close(self) -> None:
        """Count what was passed as content, and nothing more."""
        self.stream.use(self.data[: self.at])

    def close_at_end(self) -> None:
        """Count all of the file as content."""
        self.stream.use(self.data)
        self.stream.use_rest()

    def cut_off(self, where: str) -> InputError:
        """The file ends too early."""
        return InputError(
            f"the file ends {where}: it was cut off, or is of another format",
            where=self.stream.shown,
            fix="get or make it again",
        )
