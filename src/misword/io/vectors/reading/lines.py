"""Parsing of lines with a word and its numbers.

A compiled kernel parses the usual lines; `parse_line` parses all others and finds out what is wrong
with faulty lines. Both give the same numbers, `np.float32(float(text))`.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from misword.io.vectors.reading.collector import Collector, Fault
from misword.io.vectors.reading.kernels import find_newlines, read_vector_lines
from misword.native.byte_ranges import gather

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
