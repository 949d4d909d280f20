"""Streams of words of several speakers: which belong together, and alignment by words and times.

- `assign` gives each row of a matrix of costs a column, so that the sum is least.
- `count_timed` counts the errors of pairs of streams whose words may only be aligned if their times
  overlap (tcpWER).
- `assign_segments` gives segments to streams by moving one after the other to where it costs least
  (greedy ORC WER, and with the sides exchanged DI-cpWER).

References: T. von Neumann et al., MeetEval: A Toolkit for Computation of Word Error Rates for
Meeting Transcription Systems, CHiME 2023; G. Myers, A fast bit-vector algorithm for approximate
string matching based on dynamic programming, Journal of the ACM 46, 1999; H. Hyyrö, Bit-parallel
LCS-length computation revisited, 2004; H. Kuhn, The Hungarian method for the assignment problem,
1955.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.types import Tokens
from misword.native.library import INTEGER, array, kernel

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

IDS, OFFSETS, TIMES = array(np.int32), array(np.int64), array(np.float64)
_count_timed = kernel(
    "misword_count_timed", IDS, OFFSETS, TIMES, TIMES, IDS, OFFSETS, TIMES, TIMES, OFFSETS, INTEGER,
    INTEGER, array(np.int64, out=True),
)  # fmt: skip
_assign_segments = kernel(
    "misword_assign_segments", IDS, OFFSETS, INTEGER, IDS, OFFSETS, INTEGER, INTEGER, INTEGER,
    array(np.int64, out=True), array(np.int64, out=True),
)  # fmt: skip

# The search over segments ends earlier in practice, after a few passes.
PASSES = 49


def assign(costs: Numbers) -> Integers:
    """Return the column of each row of a square matrix, so that the sum of the costs is least.

    >>> assign(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])).tolist()
    [1, 0, 2]
    """
    size = len(costs)
    # The method of shortest augmenting paths: row 0 and column 0 stand for none.
    padded = np.zeros((size + 1, size + 1))
    padded[1:, 1:] = costs
    of_rows, of_columns = np.zeros(size + 1), np.zeros(size + 1)
    row_of = np.zeros(size + 1, np.int64)
    for row in range(1, size + 1):
        row_of[0], column = row, 0
        least, before = np.full(size + 1, np.inf), np.zeros(size + 1, np.int64)
        used = np.zeros(size + 1, np.bool_)
        while row_of[column]:
            used[column] = True
            at = row_of[column]
            slack = padded[at] - of_rows[at] - of_columns
            better = ~used & (slack < least)
            least[better], before[better] = slack[better], column
            following = int(np.where(used, np.inf, least)[1:].argmin()) + 1
            step = least[following]
            of_rows[row_of[used]] += step
            of_columns[used] -= step
            least[~used] -= step
            column = following
        while column:
            row_of[column] = row_of[before[column]]
            column = int(before[column])
    found = np.empty(size, np.int64)
    found[row_of[1:] - 1] = np.arange(size)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class TimedTokens:
    """Token sequences with the times at which each token begins and ends."""

    tokens: Tokens
    begin: Numbers
    end: Numbers

    def __post_init__(self) -> None:
        if not len(self.begin) == len(self.end) == len(self.tokens.ids):
            raise ValueError("each token needs a begin and an end")


def count_timed(references: TimedTokens, hypotheses: TimedTokens, pairs: Integers) -> Integers:
    """Return hits, substitutions, insertions and deletions of each pair, in the order of `Op`.

    `pairs` has the row of the reference and that of the hypothesis of each pair.
    """
    counts = np.zeros((len(pairs), 4), np.int64)
    sides = [
        part
        for side in (references, hypotheses)
        for part in (_ids(side.tokens), _at(side.tokens), _times(side.begin), _times(side.end))
    ]
    _count_timed(*sides, np.ascontiguousarray(pairs, np.int64), 0, len(pairs), counts)
    return counts


def assign_segments(segments: Tokens, streams: Tokens, initial: Integers) -> tuple[Integers, int]:
    """Return the stream of each segment and the sum of the edit distances, from initial streams."""
    if not len(streams):
        raise ValueError("there must be a stream")
    chosen = np.array(initial, np.int64)
    if len(chosen) != len(segments) or (chosen < 0).any() or (chosen >= len(streams)).any():
        raise ValueError("each segment needs the number of a stream")
    distance = np.zeros(1, np.int64)
    _assign_segments(
        _ids(segments), _at(segments), len(segments), _ids(streams), _at(streams), len(streams),
        len(segments.vocabulary), PASSES, chosen, distance,
    )  # fmt: skip
    return chosen, int(distance[0])


# Cells of the table of the exact search, times the words of the segments.
MOST_CELLS = 1 << 30


def exact_distance(segments: Tokens, streams: Tokens) -> int:
    """Return the least sum of edit distances over all ways to give segments to streams.

    The table has a cell for each place in each stream, so its size is the product of their lengths.
    """
    shape = tuple((streams.lengths + 1).tolist())
    cells = prod(shape)
    if cells * len(shape) * max(1, len(segments.ids)) > MOST_CELLS:
        sizes = ", ".join(f"{size - 1:,}" for size in shape)
        raise InputError(
            f"the exact search needs a table of {cells:,} cells for streams of {sizes} words",
            fix="use orcwer:search=greedy, or score shorter recordings",
        )
    table = np.zeros(shape, np.int32)
    for axis, size in enumerate(shape):
        steps = [1] * len(shape)
        steps[axis] = size
        table += np.arange(size, dtype=np.int32).reshape(steps)
    for segment in range(len(segments)):
        words = segments.ids[segments.offsets[segment] : segments.offsets[segment + 1]]
        tables = [
            _added(np.moveaxis(table, axis, -1), words, streams, axis) for axis in range(len(shape))
        ]
        table = np.minimum.reduce([np.moveaxis(each, -1, axis) for axis, each in enumerate(tables)])
    return int(table[(-1,) * len(shape)])


def _added(
    table: NDArray[np.int32], words: NDArray[np.integer[Any]], streams: Tokens, stream: int
) -> NDArray[np.int32]:
    """Return the table after some words on the stream of the last axis."""
    heard = streams.ids[streams.offsets[stream] : streams.offsets[stream + 1]]
    steps = np.arange(len(heard) + 1, dtype=np.int32)
    for word in words.tolist():
        below = table + 1
        below[..., 1:] = np.minimum(below[..., 1:], table[..., :-1] + (heard != word))
        table = np.minimum.accumulate(below - steps, axis=-1) + steps
    return table


def _ids(tokens: Tokens) -> NDArray[np.int32]:
    return np.ascontiguousarray(tokens.ids, np.int32)


def _at(tokens: Tokens) -> Integers:
    return np.ascontiguousarray(tokens.offsets, np.int64)


def _times(values: Numbers) -> Numbers:
    return np.ascontiguousarray(values, np.float64)
