"""Text formats of vectors: a word and its numbers on each line, with or without a header line.

A compiled kernel parses the usual lines; `parse_line` parses all others and finds out what is wrong
with faulty lines. Both give the same numbers, `np.float32(float(text))`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.core.workers import run
from misword.io.files.sources import PathLike
from misword.io.files.streams import BLOCK, BOM, HEAD, Stream
from misword.io.vectors import VectorContents, VectorFormat, find_vector_format
from misword.io.vectors.reading import Collector, Fault
from misword.native.byte_ranges import gather
from misword.native.library import FULL, INTEGER, array, kernel, procedure

Integers = NDArray[np.int64]

_find_newlines = kernel(
    "misword_find_newlines", array(np.uint8), INTEGER, INTEGER, array(np.int64, out=True),
    array(np.int64, out=True),
)  # fmt: skip
_read_vector_lines = procedure(
    "misword_read_vector_lines", array(np.uint8), INTEGER, array(np.int64), array(np.int64),
    INTEGER, INTEGER, INTEGER, array(np.float32, out=True), array(np.int64, out=True),
    array(np.uint8, out=True),
)  # fmt: skip


def find_newlines(text: NDArray[np.uint8], expected: int) -> Integers:
    """Return the places of all newlines; `expected` is a guess of their number."""
    places, count = np.empty(expected, np.int64), np.zeros(1, np.int64)
    while _find_newlines(text, len(text), len(places), places, count) == FULL:
        places = np.empty(2 * len(places) + 1, np.int64)
    return places[: count[0]]


def read_vector_lines(
    text: NDArray[np.uint8], starts: Integers, ends: Integers, dimension: int
) -> tuple[Integers, NDArray[np.float32], NDArray[np.bool_]]:
    """Return the end of the word of each line, its numbers, and whether the line is usual.

    A usual line has a word without spaces and `dimension` numbers that are surely read correctly.
    The other two results are undefined for lines that are not usual.
    """
    if len(starts) != len(ends):
        raise ValueError(f"there are {len(starts)} starts and {len(ends)} ends of lines")
    if len(starts) and (starts.min() < 0 or ends.max() > len(text) or (starts > ends).any()):
        raise ValueError(f"lines must be within the {len(text)} bytes")
    word_ends, usual = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.uint8)
    rows = np.empty((len(starts), dimension), np.float32)

    def work(lo: int, hi: int) -> None:
        _read_vector_lines(text, len(text), starts, ends, lo, hi, dimension, rows, word_ends, usual)

    run(work, ends - starts)
    return word_ends, rows, usual.view(np.bool_)


BLANK = b" \t\r"
NUMBER = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
FIELD = re.compile(rb"[^ \t]+")

ParsedLine = tuple[int, int, list[float]]


def parse_line(line: bytes, dimension: int) -> ParsedLine | Fault | None:
    """Return start and end of the word in a line, and its numbers; None for a blank line.

    The last `dimension` fields are the numbers, so a word may contain spaces. If all fields after
    the first are numbers, however, the line has too many numbers.
    """
    spans = [field.span() for field in FIELD.finditer(line.rstrip(BLANK))]
    fields = [line[start:end] for start, end in spans]
    surplus = fields[1:-dimension]
    if not fields:
        return None
    if len(fields) == dimension and line[:1] in (b" ", b"\t"):
        return Fault.WORD
    if len(fields) <= dimension or (surplus and all(map(NUMBER.fullmatch, surplus))):
        return Fault.WIDTH
    numbers = fields[-dimension:]
    if not all(map(NUMBER.fullmatch, numbers)):
        return Fault.NUMBER
    return spans[0][0], spans[-dimension - 1][1], list(map(float, numbers))


def parse_lines(block: bytes, dimension: int, first: int, collector: Collector) -> int:
    """Parse lines, of which the first has the number `first`; return the number of lines."""
    text = np.frombuffer(block, np.uint8)
    ends = find_newlines(text, len(block) // (2 * dimension + 1) + 1)
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    # Lines too short for all numbers get no row, to save memory: there may be millions of them.
    short = ends - starts <= 2 * dimension
    for i in np.flatnonzero(short).tolist():
        parsed = parse_line(block[starts[i] : ends[i]], dimension)
        if isinstance(parsed, Fault):
            collector.add_fault(parsed, first + i)
    places = np.flatnonzero(~short)
    starts, ends = starts[places], ends[places]
    word_ends, rows, usable = read_vector_lines(text, starts, ends, dimension)
    for i in np.flatnonzero(~usable).tolist():
        parsed = parse_line(block[starts[i] : ends[i]], dimension)
        if isinstance(parsed, tuple):
            starts[i], word_ends[i] = starts[i] + parsed[0], starts[i] + parsed[1]
            rows[i] = single(parsed[2])
            usable[i] = True
        elif parsed is not None:
            collector.add_fault(parsed, first + int(places[i]))
    if not usable.all():
        starts, word_ends = starts[usable], word_ends[usable]
        rows, places = rows[usable], places[usable]
    lengths = word_ends - starts
    collector.add(gather(text, starts, lengths), lengths, rows, places + first)
    return len(short)


def single(values: list[float]) -> NDArray[np.float32]:
    """Return float32; too large numbers become infinite, which the collector refuses."""
    with np.errstate(over="ignore"):
        return np.array(values).astype(np.float32)


# The formats.

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
                fix="correct the header, or get the file again",
            )
        return read_contents(stream, rows, max_words, dimension, count)


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
        return read_contents(stream, rows, max_words, dimension, None)


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


def read_contents(
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
            fix=GET_AGAIN if collector.seen < count else "correct the header",
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


def listed_words(path: PathLike, words: Iterable[str]) -> set[str] | None:
    """Return those of the words that begin a line of the file; None if it is not a text file.

    No numbers are parsed. The file is read from its beginning until all words are found. Words
    beyond the limit `max_words` of the vectors in memory are found as well.
    """
    missing = {word.encode("utf-8", "surrogatepass") for word in words}
    present: set[bytes] = set()
    size = Path(path).stat().st_size
    with (
        progress(f"looking into {Path(path).name}", size) as step,
        Stream(Path(path), str(path), step) as stream,
    ):
        if not find_vector_format(stream).is_text:
            return None
        rest = b""
        while missing and (data := stream.read()):
            *lines, rest = (rest + data).removeprefix(BOM).split(b"\n")
            hits = missing.intersection(line.partition(b" ")[0] for line in lines)
            present |= hits
            missing -= hits
        present |= missing & {rest.partition(b" ")[0]}
    return {word.decode("utf-8", "surrogatepass") for word in present}
