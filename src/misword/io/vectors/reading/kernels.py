"""Parsing of lines with a word and its numbers by compiled kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.workers import run
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
