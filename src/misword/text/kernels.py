"""Splitting of UTF-8 text into ids of words or characters by compiled kernels.

Rows are separated by NUL. For words, `PADDING` NUL bytes follow the last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from misword.core.errors import InputError
from misword.core.types import Ids, Offsets
from misword.native.library import FULL, INTEGER, OK, SMALL, array, kernel, procedure

PADDING = 16
SLOT = 3  # numbers in a slot of the hash table, see kernels.h
FIRST_BITS = 13  # the hash table starts with 2 ** 13 slots and is at most half full
MOST_BITS = 31  # ids are int32

_split_words = kernel(
    "misword_split_words", array(np.uint8), INTEGER, INTEGER, array(np.int64, out=True),
    array(np.int32, out=True), array(np.int64, out=True), array(np.int64, out=True),
    array(np.int32, out=True), INTEGER, array(np.uint64, out=True), INTEGER,
)  # fmt: skip
_rehash_words = procedure(
    "misword_rehash_words", array(np.uint64), INTEGER, array(np.uint64, out=True), INTEGER
)
_join_words = procedure(
    "misword_join_words", array(np.int32), array(np.int64), INTEGER, array(np.uint8),
    array(np.int64), array(np.int32), array(np.uint8, out=True),
)  # fmt: skip
_split_characters = kernel(
    "misword_split_characters", array(np.uint8), INTEGER, INTEGER, SMALL, SMALL,
    array(np.int64, out=True), array(np.uint8, np.int32, out=True), array(np.int64, out=True),
    array(np.int32, out=True), array(np.int32, out=True), INTEGER,
)  # fmt: skip


def split_words(text: bytes, rows: int) -> tuple[Ids, Offsets, Offsets, Ids]:
    """Return the ids of all words, row offsets, and start and length of each vocabulary word."""
    single = np.frombuffer(text, np.uint8)
    ids, offsets = np.empty(len(text) // 2, np.int32), np.zeros(rows + 1, np.int64)
    bits = FIRST_BITS
    starts, lengths = np.zeros(1 << bits - 1, np.int64), np.zeros(1 << bits - 1, np.int32)
    table = np.zeros(SLOT << bits, np.uint64)
    state = np.zeros(4, np.int64)
    status = OK if not rows else FULL
    while status == FULL:
        status = _split_words(
            single, len(text), rows, state, ids, offsets, starts, lengths, len(starts), table, bits
        )
        if status == FULL:
            larger = min(bits + 2, MOST_BITS)
            if larger == bits:
                break
            starts, lengths = (
                np.resize(starts, 1 << larger - 1),
                np.resize(lengths, 1 << larger - 1),
            )
            smaller, table = table, np.zeros(SLOT << larger, np.uint64)
            _rehash_words(smaller, bits, table, larger)
            bits = larger
    if status != OK:
        raise InputError(
            "the text has a word of 2 GB or more than a billion distinct words",
            fix="check that this is a transcript with spaces between words",
        )
    tokens, words = int(state[2]), int(state[3])
    return ids[:tokens], offsets, starts[:words], lengths[:words]


def join_words(ids: Ids, offsets: Offsets, text: bytes, starts: Offsets, lengths: Ids) -> bytes:
    """Return the words of all rows as text; `starts` and `lengths` are those of `split_words`."""
    rows, words = len(offsets) - 1, np.diff(offsets)
    size = int(lengths[ids].sum() + np.maximum(words - 1, 0).sum()) + max(rows - 1, 0)
    joined = np.empty(size + PADDING, np.uint8)
    single = np.frombuffer(text, np.uint8)
    _join_words(ids, offsets, rows, single, starts, lengths, joined)
    return joined[:size].tobytes()


def split_characters(
    columns: Sequence[tuple[bytes, int]], spaces: bool
) -> tuple[list[tuple[Ids, Offsets]], Ids]:
    """Return the ids of all code points and the offsets of each column, and the code points.

    A column is its text and its number of rows. White space between words counts as one space. Ids
    are bytes, which need less memory, unless there are too many distinct characters.
    """
    sides, points = _characters(columns, spaces, np.uint8, 1 << 8)
    if len(sides) < len(columns):
        sides, points = _characters(columns, spaces, np.int32, 0x110000)
    return sides, points


def _characters(
    columns: Sequence[tuple[bytes, int]], spaces: bool, kind: type[np.generic], most: int
) -> tuple[list[tuple[Ids, Offsets]], Ids]:
    """Split the columns with ids of type `kind`; stop at a column that needs more than `most`."""
    id_of, points = np.full(0x110000, -1, np.int32), np.arange(most, dtype=np.int32)
    state = np.array([0x80, 0], np.int64)
    sides: list[tuple[Ids, Offsets]] = []
    for text, rows in columns:
        ids: Any = np.empty(len(text) + 8, kind)
        offsets = np.zeros(rows + 1, np.int64)
        status = _split_characters(
            np.frombuffer(text, np.uint8), len(text), rows, spaces, ids.itemsize, state, ids,
            offsets, id_of, points, most,
        )  # fmt: skip
        if status == FULL:
            break
        if status != OK:
            raise ValueError(f"the text has more than {rows} rows")
        sides.append((ids[: state[1]], offsets))
    return sides, points[: state[0]]
