"""Spans of words, each with a class: where the entities of a text are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.asr.entities.kernels import SPAN, RowSpans
from misword.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans of words in the rows of a text.

    Span `k` has the words `start[k]` to `end[k] - 1` of row `row[k]`, and the class
    `classes[class_of[k]]`. Spans are ordered by row, class, start, and the longer one first. Spans
    may be nested: a year within a date. A span that is there twice with one class is kept once.
    """

    row: Numbers
    start: Numbers
    end: Numbers
    class_of: Numbers
    classes: tuple[str, ...]

    @classmethod
    def of(cls, columns: Sequence[Numbers], classes: Sequence[str]) -> Spans:
        """Order the spans of the columns row, start, end and class; each is kept once."""
        row, start, end, class_of = columns
        width = int(end.max(initial=0)) + 1
        upper, lower = row * len(classes) + class_of, start * width + (width - 1 - end)
        order = np.lexsort((lower, upper))
        new = np.ones(len(order), np.bool_)
        upper, lower = upper[order], lower[order]
        new[1:] = (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1])
        kept = order[new]
        return cls(row[kept], start[kept], end[kept], class_of[kept], tuple(classes))

    @classmethod
    def from_rows(cls, spans: Iterable[tuple[int, int, int, str]]) -> Spans:
        """Return the spans of (row, start, end, class)."""
        listed = list(spans)
        numbers: dict[str, int] = {}
        class_of = [numbers.setdefault(span[3], len(numbers)) for span in listed]
        columns = np.array([span[:3] for span in listed], np.int64).reshape(-1, 3).T
        return cls.of([*columns, np.array(class_of, np.int64)], list(numbers))

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: NDArray[np.bool_]) -> Spans:
        """Return some of the spans."""
        row, start, end = self.row[chosen], self.start[chosen], self.end[chosen]
        return Spans(row, start, end, self.class_of[chosen], self.classes)

    def by_row(self, rows: int) -> RowSpans:
        """Return the spans of `rows` rows."""
        counts = np.bincount(self.row, minlength=rows)
        at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        table = np.empty((len(self), SPAN), np.int32)
        for number, column in enumerate((self.start, self.end, self.class_of)):
            table[:, number] = column
        return RowSpans(table, at, self.classes)


def check_within(spans: Spans, lengths: Numbers, ids: pl.Series) -> None:
    """Raise if a span is not within its row; `lengths` are the numbers of words of the rows."""
    outside = np.flatnonzero((spans.start < 0) | (spans.end > lengths[spans.row]))
    if len(outside):
        span = int(outside[0])
        row = int(spans.row[span])
        raise InputError(
            f"{_named(spans, span)} is beyond the text, which has {lengths[row]} words",
            where=f"utterance {ids[row]!r}",
            fix="tags belong to the words of the reference as it is written",
        )


def check_nesting(spans: Spans, ids: pl.Series, texts: pl.Series) -> None:
    """Raise if two spans of a row cross; `ids` and `texts` of the rows are for the message."""
    order = np.lexsort((-spans.end, spans.start, spans.row))
    row, start, end = spans.row[order], spans.start[order], spans.end[order]
    overlapping = (row[1:] == row[:-1]) & (start[1:] < end[:-1])
    # A span can only cross another in a row in which a span begins within the one before it.
    in_question = np.flatnonzero(np.isin(row, row[1:][overlapping]))
    own, ends = -1, end.tolist()
    around: list[int] = []  # places in `order` of the spans that the current one is within
    for at in in_question.tolist():
        if row[at] != own:
            own, around = int(row[at]), []
        while around and ends[around[-1]] <= start[at]:
            around.pop()
        if around and ends[around[-1]] < ends[at]:
            raise _crossing(spans, (int(order[around[-1]]), int(order[at])), ids[own], texts[own])
        around.append(at)


def _crossing(spans: Spans, both: tuple[int, int], utt: str, text: str) -> InputError:
    """Return the error for two spans that cross."""
    words = text.split()
    first, second = (
        f"{_named(spans, at)} ({' '.join(words[spans.start[at] : spans.end[at]])!r})" for at in both
    )
    return InputError(
        f"two spans cross: {first} and {second}",
        where=f"utterance {utt!r}",
        fix="spans may be nested, or have no word in common",
    )


def _named(spans: Spans, span: int) -> str:
    """Return a span in words, with its class."""
    start, end = int(spans.start[span]) + 1, int(spans.end[span])
    words = f"word {start}" if start == end else f"words {start} to {end}"
    return f"{spans.classes[spans.class_of[span]]} of {words}"
