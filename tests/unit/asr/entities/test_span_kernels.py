"""Compiled reading and counting of spans, compared with slow and obvious versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from misword.asr.entities.counts import FIELDS, count_errors
from misword.asr.entities.spans import RowSpans, WordSpans, check_nesting, count_spans, read_spans
from misword.asr.entities.tags import spans_of_characters, spans_of_column, spans_of_tags
from misword.asr.forgiving.blocks import Blocks
from misword.core.errors import InputError
from misword.core.types import Alignment, Op
from misword.text.texts import Texts

TEXTS = st.text("ab é日\u00a0\u2003\t\x1c😀", max_size=12)
TAGS = st.lists(st.sampled_from(["O", "B-X", "I-X", "I-é", "E-X", "S-Y", "L-é", "U-X", "Q-X", "B"]))
LISTED = st.lists(
    st.tuples(st.integers(-1, 13), st.integers(0, 13), st.sampled_from(["X", "é <b>", '"', ""]))
)
VALUES = st.one_of(
    st.none(),
    TAGS.map(" ".join),
    LISTED.map(json.dumps),
    LISTED.map(lambda spans: json.dumps(spans, ensure_ascii=False, indent=1)),
    st.text('[]0123,"X \\\n-O\u00a0', max_size=14),
)


def read_row_by_row(texts: list[str], values: list[str | None]) -> WordSpans:
    """Read a column as its definition says, one row after the other."""
    spans: list[tuple[int, int, int, str]] = []
    for row, (text, value) in enumerate(zip(texts, values, strict=True)):
        where = f"utterance '{row}'"
        if value is None or value == "":
            continue
        if not value.lstrip().startswith("["):
            found = spans_of_tags(value.split(), len(text.split()), where)
        else:
            found = spans_of_characters(value, text, where)
        spans += ((row, *span) for span in found)
    if not spans:
        raise InputError("no reference has a tag")
    made = WordSpans.from_rows(spans)
    check_nesting(made, pl.Series(list(map(str, range(len(texts))))), pl.Series(texts))
    return made


def listed(spans: WordSpans) -> list[tuple[int, int, int, str]]:
    columns = (column.tolist() for column in (spans.row, spans.start, spans.end, spans.class_of))
    return [
        (row, start, end, spans.classes[kind])
        for row, start, end, kind in zip(*columns, strict=True)
    ]


@given(st.lists(st.tuples(TEXTS, VALUES), min_size=1, max_size=5))
@example([("a b", '[[0, 1, "X"]]'), ("a", '[[0, 1, "\\u0058"]]'), ("b", '[[0, 1, "Y"]]')])
@example([("a b", " "), ("a", "S-X")])
@example([(" ", " "), ("a", "\u00a0S-X ")])
@example([("a", '[[00, 1, "X"]]')])
@example([("a", '[[0, 1234567890, "X"]]')])
@example([("a\0b", '[[0, 1, "X"]]')])
@example([("ab cd", '[[3, 5, "X"], [0, 1, "X"]] ')])
@example([("a b c", '[[0, 3, "X"], [2, 5, "Y"]]')])
@example([("a b c", '[[2, 3, "Y"], [0, 5, "X"], [4, 5, "X"], [2, 3, "Y"]]')])
@example([("aaa aaaa  aaaaaaaaa a", '[[7, 10, "X"]]'), ("a a a a a a a é a a", '[[17, 19, "X"]]')])
def test_a_column_is_read_as_row_by_row(rows: list[tuple[str, str | None]]) -> None:
    """Spans, the order of classes and the messages about mistakes are the same."""
    texts, values = [text for text, _ in rows], [value for _, value in rows]
    columns: list[Any] = [list(map(str, range(len(rows)))), texts, values]
    series = [pl.Series(column, dtype=pl.String) for column in columns]
    expected, error = _outcome(lambda: read_row_by_row(texts, values))
    found, own_error = _outcome(lambda: spans_of_column(*series))
    assert own_error.startswith(error)
    assert bool(own_error) == bool(error)
    assert found == expected


def _outcome(read: Callable[[], WordSpans]) -> tuple[Any, str]:
    """Return the spans and their classes, or the message of the error."""
    try:
        spans = read()
    except InputError as error:
        return None, str(error)
    return (listed(spans), spans.classes), ""


def test_the_usual_rows_are_read_by_the_kernel() -> None:
    values = ['[[0, 4, "PERSON"], [5, 9, "DATE"]]', "O B-PERSON", "", "[]", '[[3, 5, "été"]]']
    texts = ["Anna 2020", "so Bob", "a", "b", "ça va"]
    spans, unread = read_spans(Texts.of(values), Texts.of(texts))
    assert not unread.any()
    assert spans.classes == ("PERSON", "DATE", "été")
    assert spans.table.tolist() == [[0, 1, 0], [1, 2, 1], [1, 2, 0], [1, 2, 2]]
    assert spans.at.tolist() == [0, 2, 3, 3, 3, 4]


STEPS = st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=4)


@st.composite
def aligned_spans(draw: st.DrawFn) -> tuple[Alignment, Blocks, int, WordSpans]:
    """Draw operations with forgiven blocks, and spans that do not cross within a class."""
    steps, side = draw(STEPS), draw(st.integers(0, 1))
    other = Op.DELETION if side else Op.INSERTION
    ops = np.array([op for pair in steps for op in pair], np.uint8)
    offsets = np.cumsum([0, *map(len, steps)])
    forgiven = [k for k, op in enumerate(ops.tolist()) if op == Op.HIT and draw(st.booleans())]
    sizes = [draw(st.integers(0, 3)) for _ in forgiven]
    zeros = np.zeros(len(forgiven), np.int64)
    ends = np.array(sizes, np.int64)
    columns = [zeros, zeros, ends] if side == 0 else [zeros, zeros, zeros, zeros, ends]
    blocks = Blocks(*columns, *[zeros] * (6 - len(columns)))
    spans: list[tuple[int, int, int, str]] = []
    for pair, (lo, hi) in enumerate(pairwise(offsets.tolist())):
        size_of = dict(zip(forgiven, sizes, strict=True))
        words = sum(size_of.get(k, int(ops[k] != other)) for k in range(lo, hi))
        for kind in "XY":
            edges = sorted(draw(st.sets(st.integers(0, words), max_size=6)))
            spans += [(pair, a, b, kind) for a, b in pairwise(edges) if draw(st.booleans())]
            if len(edges) > 2 and draw(st.booleans()):
                spans.append((pair, edges[0], edges[-1], kind))
    alignment = Alignment(
        np.zeros((len(steps), 4), np.int64), np.zeros(len(steps)), ops, offsets,
        np.array(forgiven, np.int64),
    )  # fmt: skip
    return alignment, blocks, side, WordSpans.from_rows(spans)


def count_step_by_step(
    alignment: Alignment, sizes: list[int], side: int, spans: WordSpans
) -> dict[tuple[int, str], list[int]]:
    """Count the words, the errors and the spans of each pair and class as they are defined."""
    own, other = (Op.INSERTION, Op.DELETION) if side else (Op.DELETION, Op.INSERTION)
    size_of = dict(zip(alignment.forgiven.tolist(), sizes, strict=True))
    counts: dict[tuple[int, str], list[int]] = {}
    counted: set[tuple[int, str, int]] = set()
    for pair, start, end, kind in listed(spans):
        steps = range(int(alignment.all_offsets[pair]), int(alignment.all_offsets[pair + 1]))
        ops = alignment.all_operations
        words = [k for k in steps for _ in range(size_of.get(k, int(ops[k] != other)))]
        inside = range(words[start], words[end - 1] + 1)
        added = sum(k not in size_of and ops[k] == other for k in inside)
        errors = [int(ops[k]) for k in words[start:end]]
        new = [at for at in range(start, end) if (pair, kind, at) not in counted]
        counted |= {(pair, kind, at) for at in new}
        own_errors = [int(ops[words[at]]) for at in new]
        row = counts.setdefault((pair, kind), [0] * 6)
        row[0] += len(new)
        row[1] += own_errors.count(Op.SUBSTITUTION)
        row[2] += own_errors.count(own)
        row[3] += added if start in new else 0
        row[4] += 1
        row[5] += not added and errors.count(Op.HIT) == len(errors)
    return counts


@given(aligned_spans())
def test_errors_are_counted_as_step_by_step(case: tuple[Alignment, Blocks, int, WordSpans]) -> None:
    alignment, blocks, side, spans = case
    starts, ends = blocks.side(side)
    expected = count_step_by_step(alignment, (ends - starts).tolist(), side, spans)
    pairs = len(alignment)
    found = count_errors(alignment, blocks, side, spans.by_row(pairs), np.arange(pairs))
    rows = found.table.tolist()
    keys = [
        (pair, spans.classes[row[0]]) for pair, row in zip(found.pair.tolist(), rows, strict=True)
    ]
    order = {kind: number for number, kind in enumerate(spans.classes)}
    assert keys == sorted(expected, key=lambda key: (key[0], order[key[1]]))
    assert [row[1:] for row in rows] == [expected[key] for key in keys]
    assert len(FIELDS) == found.table.shape[1]


def test_spans_that_do_not_fit_are_refused() -> None:
    ops, at, nothing = np.zeros(2, np.uint8), np.array([0, 2]), np.zeros(0, np.int64)
    table = np.array([[1, 3, 0]], np.int32)
    spans = RowSpans(table, np.array([0, 1]), ("X",))
    with pytest.raises(ValueError, match="not within the words"):
        count_spans((ops, at), (nothing, nothing), Op.INSERTION, np.array([0]), spans)
    with pytest.raises(ValueError, match="a row of spans"):
        count_spans((ops, at), (nothing, nothing), Op.INSERTION, np.array([1]), spans)
    with pytest.raises(ValueError, match="1 values for 2 texts"):
        read_spans(Texts.of(["O"]), Texts.of(["a", "b"]))
