"""Helpers of the readers of vector files: contents, collector, binary cursor, lines of numbers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.io.files.sources import listed_places, place
from misword.io.files.streams import BLOCK, Stream
from misword.io.vectors import VectorContents
from misword.native.byte_ranges import gather

# A collector of the words of a file of vectors, which also counts the faulty lines.

BAD_SHARE = 0.01
EARLY_STOP = 10_000  # faults after which a file with more faults than words is refused


class Fault(StrEnum):
    """Reasons why a line, or an entry, cannot be used."""

    WIDTH = "wrong width"
    NUMBER = "not a finite number"
    WORD = "no word"
    UTF8 = "not UTF-8"


class Collector:
    """Collects the words of a file and writes their numbers to `rows` at once.

    `unit` is what places in the file count: `line`, or `word` in binary files. Faulty lines are
    counted; `finish` refuses the file if they are more than one in a hundred.
    """

    def __init__(self, shown: str, rows: BinaryIO, dimension: int, unit: str) -> None:
        self._good = self._bad = 0
        self._shown, self._rows, self._dimension, self._unit = shown, rows, dimension, unit
        self._texts: list[bytes] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._places: list[NDArray[np.int64]] = []
        self._faults: dict[Fault, list[int]] = {}

    @property
    def seen(self) -> int:
        """Number of lines, or entries, so far, including faulty ones."""
        return self._good + self._bad

    def add(
        self,
        text: NDArray[np.uint8],
        lengths: NDArray[np.int64],
        values: NDArray[np.float32],
        places: NDArray[np.int64],
    ) -> None:
        """Add words, whose bytes are joined in `text`, with their numbers and places."""
        decodable = well_formed(text, lengths)
        with np.errstate(invalid="ignore"):  # infinities of both signs
            finite = np.isfinite(values.sum(axis=1, dtype=np.float64))
        usable = decodable & finite & (lengths > 0)
        if not usable.all():
            self._add_faults(Fault.WORD, places[lengths == 0])
            self._add_faults(Fault.UTF8, places[~decodable])
            self._add_faults(Fault.NUMBER, places[decodable & ~finite & (lengths > 0)])
            starts = np.cumsum(lengths) - lengths
            text = gather(text, starts[usable], lengths[usable])
            lengths, values, places = lengths[usable], values[usable], places[usable]
        self._good += len(places)
        self._rows.write(np.ascontiguousarray(values, "<f4").data)
        self._texts.append(text.tobytes())
        self._lengths.append(lengths)
        self._places.append(places)
        if self._bad > max(EARLY_STOP, self._good):
            self._raise_if_too_faulty()

    def add_words(
        self, words: Sequence[bytes], values: NDArray[np.float32], places: NDArray[np.int64]
    ) -> None:
        """Add a list of words with their numbers and places."""
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.add(np.frombuffer(b"".join(words), np.uint8), lengths, values, places)

    def add_fault(self, fault: Fault, at: int) -> None:
        """Count a fault at this place of the file."""
        places = self._faults.setdefault(fault, [])
        places.append(at)
        self._bad += 1

    def _add_faults(self, fault: Fault, places: NDArray[np.int64]) -> None:
        for at in places.tolist():
            self.add_fault(fault, at)

    def finish(self) -> VectorContents:
        """Return the contents, or raise if too many lines are faulty or there are no words."""
        self._raise_if_too_faulty()
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        places = np.concatenate([np.zeros(0, np.int64), *self._places])
        if not len(places):
            raise InputError("there are no words", where=self._shown, fix="get or make it again")
        return VectorContents(
            dimension=self._dimension,
            rows=len(places),
            text=b"".join(self._texts),
            offsets=np.cumsum(lengths),
            places=places,
            unit=self._unit,
            notes=tuple(
                f"{counted(len(at), self._unit)} left out, {fault} "
                f"({listed_places(at, self._unit)})"
                for fault in Fault
                if (at := self._faults.get(fault))
            ),
        )

    def _raise_if_too_faulty(self) -> None:
        if self._bad <= BAD_SHARE * self.seen:
            return
        first, fault = min((min(places), fault) for fault, places in self._faults.items())
        raise InputError(
            f"{fault}, and {self._bad} of {self.seen} {self._unit}s like this cannot be used",
            where=place(self._shown, first, self._unit),
            fix="check that these are word vectors and what their format is, or get the file again",
        )


def well_formed(text: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each word whether it is valid UTF-8.

    If the joined words are valid and none begins inside a character, all words are valid.
    Otherwise each word is decoded by itself.
    """
    starts = np.cumsum(lengths) - lengths
    filled = lengths > 0
    valid = np.ones(len(lengths), np.bool_)
    try:
        text.tobytes().decode()
        if not ((text[starts[filled]] & 0xC0) == 0x80).any():
            return valid
    except UnicodeDecodeError:
        pass
    data = text.tobytes()
    for i, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        try:
            data[start : start + length].decode()
        except UnicodeDecodeError:
            valid[i] = False
    return valid


# A position in a binary stream, with a buffer of the bytes after it.


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
