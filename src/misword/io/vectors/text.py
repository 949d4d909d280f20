"""Text formats of vectors: a word and its numbers on each line, with or without a header line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

import numpy as np

from misword.core.errors import InputError
from misword.io.files.streams import BLOCK, BOM, HEAD, Stream
from misword.io.vectors import VectorContents, VectorFormat
from misword.io.vectors.reading.collector import Collector
from misword.io.vectors.reading.lines import BLANK, FIELD, NUMBER, parse_line, parse_lines

LONGEST_LINE = 1 << 26
SAMPLE = 20
HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")


@dataclass(frozen=True, slots=True)
class Word2vec(VectorFormat):
    """word2vec text and fastText `.vec`: a line `count dimension`, then a line for each word.

    Faulty lines (wrong number of fields, a number that is not finite, no word, not UTF-8) are left
    out and listed in a note; if they are more than one in a hundred, the file is refused. A word
    may contain spaces. Blank lines are skipped.

    Example: `misword vectors info cc.fr.300.vec.gz`

    Reference: https://fasttext.cc/docs/en/english-vectors.html
    """

    name: ClassVar[str] = "word2vec"
    title: ClassVar[str] = "word2vec text"
    is_text: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".vec",)

    def looks_like(self, head: bytes) -> bool:
        """Whether the first line is two integers, and lines that end in a number follow."""
        first, *rest = lines_of(head)
        rest = [line for line in rest[:SAMPLE] if line.strip(BLANK)]
        return bool(HEADER.fullmatch(first)) and (not rest or any(map(ends_in_number, rest)))

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read the lines and compare them with the header."""
        head = lines_of(stream.head())
        header = HEADER.fullmatch(head[0])
        if header is None:
            raise InputError(
                "the first line is not `count dimension`",
                where=f"{stream.shown}:1",
                fix="files without such a line have the format 'glove'",
            )
        count, dimension = int(header[1]), int(header[2])
        if not dimension:
            raise InputError(
                "the header says 0 numbers a word", where=f"{stream.shown}:1", fix=GET_AGAIN
            )
        if not any(line.strip(BLANK) for line in head[1:]):
            raise InputError("there is a header and no words", where=stream.shown, fix=GET_AGAIN)
        if not any(isinstance(parse_line(line, dimension), tuple) for line in head[1:]):
            width = len(head[1].split()) - 1
            raise InputError(
                f"the header says {dimension} numbers a word, this line has {width}",
                where=f"{stream.shown}:2",
                fix="mend the header, or get the file again",
            )
        return read_vector_lines(stream, rows, max_words, dimension, count)


@dataclass(frozen=True, slots=True)
class Glove(VectorFormat):
    """GloVe text: a word and its numbers on each line, no header.

    The dimension is that of most of the first lines; faulty lines are treated as in `word2vec`.

    Example: `misword vectors info glove.6B.300d.txt`

    Reference: https://nlp.stanford.edu/projects/glove
    """

    name: ClassVar[str] = "glove"
    title: ClassVar[str] = "GloVe"
    is_text: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)

    def looks_like(self, head: bytes) -> bool:
        """Whether most of the first lines have the same number of fields and end in numbers."""
        lines = lines_of(head)
        return not HEADER.fullmatch(lines[0]) and dimension_of(lines) > 0

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read the lines; the dimension comes from the first lines."""
        dimension = dimension_of(lines_of(stream.head()))
        if not dimension:
            raise InputError(
                "the first lines are not a word and its numbers each",
                where=stream.shown,
                fix="name another format, or get the file again",
            )
        return read_vector_lines(stream, rows, max_words, dimension, None)


GET_AGAIN = "the file was cut off: get or make it again"


def lines_of(head: bytes) -> list[bytes]:
    """Return the lines of the head of a file, without a last line that may be incomplete."""
    lines = head.removeprefix(BOM).split(b"\n")
    return lines[:-1] if len(lines) > 1 and (len(head) >= HEAD or not lines[-1]) else lines


def ends_in_number(line: bytes) -> bool:
    """Whether the last of at least two fields is a number."""
    fields = FIELD.findall(line.rstrip(BLANK))
    return len(fields) > 1 and bool(NUMBER.fullmatch(fields[-1]))


def dimension_of(lines: list[bytes]) -> int:
    """Return the dimension of most of the first lines; 0 if most are not a word and numbers."""
    lines = [line for line in lines if line.strip(BLANK)][:SAMPLE]
    widths = Counter(len(FIELD.findall(line.rstrip(BLANK))) - 1 for line in lines)
    width = max(widths, key=widths.__getitem__, default=0)
    valid = sum(isinstance(parse_line(line, width), tuple) for line in lines) if width else 0
    return width if 2 * valid > len(lines) else 0


def read_vector_lines(
    stream: Stream, rows: BinaryIO, max_words: int | None, dimension: int, count: int | None
) -> VectorContents:
    """Read all lines; `count` is the number of words in the header, None without a header."""
    collector = Collector(stream.shown, rows, dimension, "line")
    number, last = 1, b""
    for block in blocks(stream, max_words, header=count is not None):
        if number == 1:
            block = block.removeprefix(BOM)
            if count is not None:
                block = block.partition(b"\n")[2]
                number = 2
        number += parse_lines(block, dimension, number, collector) if block else 0
        last = last if block.isspace() else block
    width = len(FIELD.findall(last.rstrip(BLANK + b"\n").rpartition(b"\n")[2])) - 1
    if count is None and width < dimension:
        what = f"the last line has {width} numbers, not {dimension}"
        raise InputError(what, where=stream.shown, fix=GET_AGAIN)
    ended = max_words is None or number - 2 < max_words  # blank lines are lines, not words
    if count is not None and ended and collector.seen != count:
        raise InputError(
            f"the header says {count} words, {collector.seen} lines follow it",
            where=stream.shown,
            fix=GET_AGAIN if collector.seen < count else "mend the header",
        )
    return collector.finish()


def blocks(stream: Stream, max_words: int | None, *, header: bool) -> Iterator[bytes]:
    """Yield blocks of whole lines, up to `max_words` lines; the last line may lack its newline."""
    left, rest = None if max_words is None else max_words + header, b""
    while left is None or left > 0:
        data = stream.read(BLOCK)
        cut = data.rfind(b"\n") + 1
        if cut or not data:
            block, rest = b"".join([rest, memoryview(data)[:cut]]), data[cut:]
        else:
            block, rest = b"", rest + data
        if len(rest) > LONGEST_LINE:
            what = f"a line of more than {LONGEST_LINE >> 20} MB"
            raise InputError(what, where=stream.shown, fix="these are not word vectors as text")
        if not data and not block:
            return
        if left is not None:
            block = first_lines(block, left)
            left -= block.count(b"\n")
        stream.use(block)
        if block:
            yield block


def first_lines(block: bytes, count: int) -> bytes:
    """Return at most `count` lines of a block."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    return block[: int(ends[count - 1]) + 1] if len(ends) > count else block
