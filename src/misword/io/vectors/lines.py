"""Read lines of a word and its numbers.

Small files take the plain Python way, which needs no compiled code; large ones go to the kernel in
`text_kernels.py`, which hands back the lines that are out of the ordinary. Both give the same
numbers, those of `np.float32(float(text))`: the tests hold them together.
"""

from __future__ import annotations

import re
from array import array

import numpy as np
from numpy.typing import NDArray

from misword.core.workers import run
from misword.io.vectors.collecting import Collector, Fault, gather

BLANK = b" \t\r"
NUMERIC = b"0123456789+-.eE \t"
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
FIELD = re.compile(rb"[^ \t]+")
NEWLINE = 10

Taken = tuple[int, int, list[float]]


def take(line: bytes, dimension: int) -> Taken | Fault | None:
    """Where the word starts and ends in a line, and its numbers; None for a blank line.

    The last fields are the numbers, so a word may have spaces; but not if what follows its first
    part are numbers too: then the line is too long.
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


def parse_plain(block: bytes, dimension: int, first: int, found: Collector) -> int:
    """Read lines, the first of which has this number; returns how many they are."""
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
            except ValueError:  # take() says what is wrong
                del values[len(words) * dimension :]
            else:
                words.append(word)
                places.append(number)
                continue
        taken = take(line, dimension)
        if isinstance(taken, tuple):
            words.append(line[taken[0] : taken[1]])
            places.append(number)
            values.extend(taken[2])
        elif taken is not None:
            found.refuse(taken, number)
    text = np.frombuffer(b"".join(words), np.uint8)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    found.add(text, lengths, single(values, dimension), np.array(places, np.int64))
    return len(lines)


def single(values: array[float], dimension: int) -> NDArray[np.float32]:
    """Rows of single precision; what is too large for it becomes infinite, and is refused later."""
    with np.errstate(over="ignore"):
        return np.frombuffer(values).reshape(-1, dimension).astype(np.float32)


def parse_compiled(block: bytes, dimension: int, first: int, found: Collector) -> int:
    """The same with the kernel."""
    if not block.endswith(b"\n"):
        block += b"\n"
    text = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text == NEWLINE)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    # A line that is too short to be whole must not cost a row: there may be millions.
    short = ends - starts <= 2 * dimension
    for i in np.flatnonzero(short).tolist():
        taken = take(block[starts[i] : ends[i]], dimension)
        if isinstance(taken, Fault):
            found.refuse(taken, first + i)
    places = np.flatnonzero(~short)
    starts, ends = starts[places], ends[places]
    word_ends, rows, keep = _run_kernel(text, starts, ends, dimension)
    for i in np.flatnonzero(~keep).tolist():
        taken = take(block[starts[i] : ends[i]], dimension)
        if isinstance(taken, tuple):
            starts[i], word_ends[i] = starts[i] + taken[0], starts[i] + taken[1]
            rows[i] = single(array("d", taken[2]), dimension)
            keep[i] = True
        elif taken is not None:
            found.refuse(taken, first + int(places[i]))
    if not keep.all():
        starts, word_ends, rows, places = starts[keep], word_ends[keep], rows[keep], places[keep]
    lengths = word_ends - starts
    found.add(gather(text, starts, lengths), lengths, rows, places + first)
    return len(short)


def _run_kernel(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], dimension: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.bool_]]:
    """Where the word of each line ends, its numbers, and whether the line was as usual."""
    from misword.io.vectors.text_kernels import POWERS, read_lines

    word_ends, plain = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.bool_)
    rows = np.empty((len(starts), dimension), np.float32)

    def work(lo: int, hi: int) -> None:
        cut = slice(lo, hi)
        read_lines(text, starts[cut], ends[cut], rows[cut], word_ends[cut], plain[cut], POWERS)

    run(work, ends - starts)
    return word_ends, rows, plain
