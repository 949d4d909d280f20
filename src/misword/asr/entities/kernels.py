"""Columns of entities read, and errors in spans counted, by compiled kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.types import Offsets
from misword.native.library import INTEGER, MISMATCH, OK, SMALL, array, kernel
from misword.text.texts import Texts

BYTES, NUMBERS, SMALL_NUMBERS = array(np.uint8), array(np.int64), array(np.int32)
_read_spans = kernel(
    "misword_read_spans", BYTES, BYTES, INTEGER, INTEGER, INTEGER, array(np.int32, out=True),
    array(np.int64, out=True), array(np.bool_, out=True), array(np.int64, out=True),
    array(np.int64, out=True),
)  # fmt: skip
_count_spans = kernel(
    "misword_count_spans", BYTES, NUMBERS, INTEGER, NUMBERS, NUMBERS, INTEGER, SMALL, NUMBERS,
    SMALL_NUMBERS, NUMBERS, INTEGER, array(np.int32, out=True), array(np.int64, out=True),
)  # fmt: skip
SPAN, COUNTS = 3, 7  # numbers of a span, and of the counts of a pair and class; see kernels.h


class RowSpans(NamedTuple):
    """Spans of words by row: row `r` has the spans `at[r]` to `at[r + 1] - 1`.

    A span is a row of `table`: its first word, the word after its last, and the number of its class
    in `classes`. Spans of one row and class are ordered by start, the longer one first.
    """

    table: NDArray[np.int32]
    at: Offsets
    classes: tuple[str, ...]


def read_spans(values: Texts, texts: Texts) -> tuple[RowSpans, NDArray[np.bool_]]:
    """Read a column of entities (see `tags.py`); also return which rows could not be read.

    These are rows with a mistake, rows that are written in an unusual way, and rows in which spans
    cross. Classes are in the order of their first spans in the column.
    """
    if values.rows != texts.rows:
        raise ValueError(f"there are {values.rows} values for {texts.rows} texts")
    column, rows = np.frombuffer(values.data, np.uint8), values.rows
    room = sum(int(np.count_nonzero(column == ord(sign))) for sign in "[-")
    spans, at = np.empty((room, SPAN), np.int32), np.zeros(rows + 1, np.int64)
    unread, names = np.zeros(rows, np.bool_), np.empty((room, 2), np.int64)
    classes = np.zeros(1, np.int64)
    sides = column, np.frombuffer(texts.data, np.uint8), len(texts.data)
    if _read_spans(*sides, rows, room, spans, at, unread, names, classes) != OK:
        raise InputError("a column of entities with more than a billion spans")
    named = names[: classes[0]].tolist()
    decoded = tuple(values.data[start : start + size].decode() for start, size in named)
    return RowSpans(spans[: at[-1]], at, decoded), unread


def count_spans(
    steps: tuple[NDArray[np.uint8], Offsets],
    blocks: tuple[Offsets, Offsets],
    other: int,
    rows: NDArray[np.int64],
    spans: RowSpans,
) -> tuple[NDArray[np.int32], Offsets]:
    """Count the errors in spans by pair and class: rows of `COUNTS` numbers, and offsets of pairs.

    `steps` are the operations of the pairs and their offsets, `blocks` the positions of forgiven
    blocks in them and their words. `other` is the operation of a word that only the other side has.
    """
    ops, op_at = steps
    sizes = np.diff(spans.at)
    known = not len(rows) or 0 <= rows.min() <= rows.max() < len(sizes)
    if len(op_at) != len(rows) + 1 or not known:
        raise ValueError("each pair needs operations and a row of spans")
    counts = np.empty((int(sizes[rows].sum()), COUNTS), np.int32)
    at = np.zeros(len(rows) + 1, np.int64)
    forgiven, words = (np.ascontiguousarray(column, np.int64) for column in blocks)
    if len(forgiven) != len(words):
        raise ValueError("each forgiven block needs its number of words")
    table = np.ascontiguousarray(spans.table, np.int32)
    status = _count_spans(
        ops, op_at, len(rows), forgiven, words, len(forgiven), other,
        np.ascontiguousarray(rows, np.int64), table, spans.at, len(spans.classes), counts, at,
    )  # fmt: skip
    if status == MISMATCH:
        raise ValueError("a span is not within the words of its pair")
    if status != OK:
        raise InputError("a text of more than two billion words")
    return counts[: at[-1]], at
