"""The binary file format of word2vec."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

import numpy as np

from misword.core.errors import InputError
from misword.io.files.streams import Stream
from misword.io.vectors import VectorContents, VectorFormat
from misword.io.vectors.reading import Collector, Cursor

HEADER = re.compile(rb"(\d{1,18}) (\d{1,9})[ \r]*\n")
LONGEST_WORD = 1 << 16
LARGEST_DIMENSION = 1 << 20


@dataclass(frozen=True, slots=True)
class Word2vecBinary(VectorFormat):
    """word2vec binary: a line `count dimension`, then each word, a space and its float32 numbers.

    Words that are not UTF-8 or whose numbers are not finite are left out; a note lists them by
    their number in the file. If they are more than one in a hundred, the file is refused.

    Example: `misword vectors info GoogleNews-vectors-negative300.bin.gz`

    Reference: https://code.google.com/archive/p/word2vec
    """

    name: ClassVar[str] = "word2vec-binary"
    title: ClassVar[str] = "word2vec binary"
    suffixes: ClassVar[tuple[str, ...]] = (".bin",)

    def looks_like(self, head: bytes) -> bool:
        """Whether a line of two integers is followed by a word and by bytes that are not text."""
        header = HEADER.match(head)
        if header is None:
            return False
        word, _, rest = head[header.end() :].partition(b" ")
        numbers = rest[: 4 * int(header[2])]
        return 0 < len(word) < LONGEST_WORD and bool(numbers.translate(None, b"0123456789+-.eE \t"))

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read as many words as the header says, or `max_words`."""
        header = HEADER.match(stream.head())
        if header is None:
            raise InputError("it does not begin with a line `count dimension`", where=stream.shown)
        count, dimension = int(header[1]), int(header[2])
        if not count or not dimension:
            raise InputError("there is a header and no vectors", where=stream.shown)
        if dimension > LARGEST_DIMENSION:
            raise InputError(
                f"the header says {dimension} numbers a word, which no vectors have",
                where=stream.shown,
                fix="correct the header, or get the file again",
            )
        wanted = count if max_words is None else min(count, max_words)
        cursor = Cursor(stream)
        cursor.take(header.end())
        collector = Collector(stream.shown, rows, dimension, "word")
        done = 0
        while done < wanted:
            done += _read_some(cursor, wanted - done, dimension, done, collector)
        if wanted < count:
            cursor.close()
            return collector.finish()
        if cursor.rest().strip(b"\r\n"):
            raise InputError(
                f"the header says {count} words, but more follows them",
                where=stream.shown,
                fix="correct the header, or get the file again",
            )
        cursor.close_at_end()
        return collector.finish()


def _read_some(
    cursor: Cursor, wanted: int, dimension: int, before: int, collector: Collector
) -> int:
    """Read the words that are in the buffer; return their number."""
    width = 4 * dimension
    cursor.fill(width + LONGEST_WORD)
    data, at = cursor.data, cursor.at
    words: list[bytes] = []
    starts: list[int] = []
    while len(words) < wanted:
        space = data.find(b" ", at, at + LONGEST_WORD)
        if space < 0 or space + 1 + width > len(data):
            break
        words.append(data[at:space].lstrip(b"\r\n"))
        starts.append(space + 1)
        at = space + 1 + width
    if not words:
        raise cursor.cut_off(f"after {before} words of {before + wanted}")
    windows = np.ndarray((len(data) - width + 1, width), np.uint8, data, strides=(1, 1))
    values = windows[np.array(starts)].view("<f4")
    collector.add_words(words, values, np.arange(before + 1, before + 1 + len(words)))
    cursor.at = at
    return len(words)
