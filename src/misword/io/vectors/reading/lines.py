"""Parsing of lines with a word and its numbers.

Small files are parsed in plain Python, large files by the compiled functions in `line_kernels.py`,
which leave unusual lines to Python. Both give the same numbers, `np.float32(float(text))`, which
the tests check.
"""

from __future__ import annotations

import re
from array import array

import numpy as np
from numpy.typing import NDArray

from misword.core.workers import run
from misword.io.vectors.reading.collector import Collector, Fault, gather

BLANK = b" \t\r"
NUMERIC = b"0123456789+-.eE \t"
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
FIELD = re.compile(rb"[^ \t]+")
NEWLINE = 10

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


def parse_plain(block: bytes, dimension: int, first: int, collector: Collector) -> int:
    """Parse lines, of which the first has the number `first`; return the number of lines."""
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    words: list[bytes] = []
    places: list[int] = []
    values = array("d")
    for number, line in enumerate(lines, first):
        word, _, rest = line.rstrip(BLANK).partition(b" ")
        fields = rest.split(b" ")
        usual = word and b"\t" not in word and len(fields) == dimension
        if usual and not rest.translate(None, NUMERIC):
            try:
                values.extend(map(float, fields))
            except ValueError:  # parse_line() finds out what is wrong
                del values[len(words) * dimension :]
            else:
                words.append(word)
                places.append(number)
                continue
        parsed = parse_line(line, dimension)
        if isinstance(parsed, tuple):
            words.append(line[parsed[0] : parsed[1]])
            places.append(number)
            values.extend(parsed[2])
        elif parsed is not None:
            collector.add_fault(parsed, number)
    collector.add_words(words, single(values, dimension), np.array(places, np.int64))
    return len(lines)


def single(values: array[float], dimension: int) -> NDArray[np.float32]:
    """Return rows of float32; too large numbers become infinite, which the collector refuses."""
    with np.errstate(over="ignore"):
        return np.frombuffer(values).reshape(-1, dimension).astype(np.float32)


def parse_compiled(block: bytes, dimension: int, first: int, collector: Collector) -> int:
    """Do the same as `parse_plain` with compiled code."""
    if not block.endswith(b"\n"):
        block += b"\n"
    text = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text == NEWLINE)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    # Lines too short for all numbers get no row, to save memory: there may be millions of them.
    short = ends - starts <= 2 * dimension
    for i in np.flatnonzero(short).tolist():
        parsed = parse_line(block[starts[i] : ends[i]], dimension)
        if isinstance(parsed, Fault):
            collector.add_fault(parsed, first + i)
    places = np.flatnonzero(~short)
    starts, ends = starts[places], ends[places]
    word_ends, rows, usable = _run_kernel(text, starts, ends, dimension)
    for i in np.flatnonzero(~usable).tolist():
        parsed = parse_line(block[starts[i] : ends[i]], dimension)
        if isinstance(parsed, tuple):
            starts[i], word_ends[i] = starts[i] + parsed[0], starts[i] + parsed[1]
            rows[i] = single(array("d", parsed[2]), dimension)
            usable[i] = True
        elif parsed is not None:
            collector.add_fault(parsed, first + int(places[i]))
    if not usable.all():
        starts, word_ends = starts[usable], word_ends[usable]
        rows, places = rows[usable], places[usable]
    lengths = word_ends - starts
    collector.add(gather(text, starts, lengths), lengths, rows, places + first)
    return len(short)


def _run_kernel(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], dimension: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.bool_]]:
    """Return the end of the word of each line, its numbers, and whether the line was usual."""
    from misword.io.vectors.reading.line_kernels import POWERS, read_lines

    word_ends, plain = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.bool_)
    rows = np.empty((len(starts), dimension), np.float32)

    def work(lo: int, hi: int) -> None:
        cut = slice(lo, hi)
        read_lines(text, starts[cut], ends[cut], rows[cut], word_ends[cut], plain[cut], POWERS)

    run(work, ends - starts)
    return word_ends, rows, plain
