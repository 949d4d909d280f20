"""Spans of classes: order, nesting, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from misword.asr.entities.spans import WordSpans, check_nesting, check_within
from misword.core.errors import InputError

IDS = pl.Series(["a", "b"])
TEXTS = pl.Series(["one two three four", "five six"])
LENGTHS = np.array([4, 2])


def test_spans_are_ordered_and_kept_once() -> None:
    spans = WordSpans.from_rows([(1, 0, 2, "Y"), (0, 1, 2, "X"), (1, 0, 2, "Y"), (0, 0, 2, "X")])
    columns = (spans.row, spans.start, spans.end)
    assert [tuple(row) for row in zip(*(c.tolist() for c in columns), strict=True)] == [
        (0, 0, 2), (0, 1, 2), (1, 0, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows", [[(0, 0, 4, "X"), (0, 1, 2, "Y"), (0, 1, 2, "X")], [(0, 0, 2, "X"), (0, 2, 4, "X")]]
)
def test_nested_and_adjacent_spans_are_allowed(rows: list[tuple[int, int, int, str]]) -> None:
    check_nesting(WordSpans.from_rows(rows), IDS, TEXTS)


def test_crossing_spans_are_refused_by_their_words() -> None:
    spans = WordSpans.from_rows([(0, 0, 2, "X"), (0, 1, 3, "<b>")])
    with pytest.raises(InputError, match=r"cross: X of words 1 to 2 \('one two'\) and <b>") as info:
        check_nesting(spans, IDS, TEXTS)
    assert "utterance 'a'" in str(info.value)


def test_spans_beyond_the_text_are_refused() -> None:
    with pytest.raises(InputError, match="X of words 2 to 3 is beyond the text, which has 2 words"):
        check_within(WordSpans.from_rows([(1, 1, 3, "X")]), LENGTHS, IDS)
