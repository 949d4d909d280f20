"""Spans of words, each with a class: entities and keywords of a text (compiled kernels)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.phrases import find_longest
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.types import Offsets, Tokens
from misword.io.files.sources import Source, open_source
from misword.native.library import INTEGER, MISMATCH, OK, SMALL, array, kernel
from misword.text.texts import Texts

# Columns of entities read, and errors in spans counted, by compiled kernels.

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
    """Read a column of entities (format: `entities.tags`); also return which rows were not read.

    The kernel does not read rows with a mistake, rows in an unusual notation, and rows in which
    spans cross. Classes are in the order of their first spans in the column.
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


# Spans of words, each with a class: where the entities of a text are.

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class WordSpans:
    """Spans of words in the rows of a text.

    Span `k` has the words `start[k]` to `end[k] - 1` of row `row[k]`, and the class
    `classes[class_of[k]]`. Spans are ordered by row, class, start, and the longer one first. Spans
    may be nested: a year within a date. Of duplicate spans with one class, one is kept.
    """

    row: Numbers
    start: Numbers
    end: Numbers
    class_of: Numbers
    classes: tuple[str, ...]

    @classmethod
    def of(cls, columns: Sequence[Numbers], classes: Sequence[str]) -> WordSpans:
        """Sort the spans of the columns row, start, end and class, and remove duplicates."""
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
    def from_rows(cls, spans: Iterable[tuple[int, int, int, str]]) -> WordSpans:
        """Return the spans of (row, start, end, class)."""
        listed = list(spans)
        numbers: dict[str, int] = {}
        class_of = [numbers.setdefault(span[3], len(numbers)) for span in listed]
        columns = np.array([span[:3] for span in listed], np.int64).reshape(-1, 3).T
        return cls.of([*columns, np.array(class_of, np.int64)], list(numbers))

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: NDArray[np.bool_]) -> WordSpans:
        """Return some of the spans."""
        row, start, end = self.row[chosen], self.start[chosen], self.end[chosen]
        return WordSpans(row, start, end, self.class_of[chosen], self.classes)

    def by_row(self, rows: int) -> RowSpans:
        """Return the spans of `rows` rows."""
        counts = np.bincount(self.row, minlength=rows)
        at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        table = np.empty((len(self), SPAN), np.int32)
        for number, column in enumerate((self.start, self.end, self.class_of)):
            table[:, number] = column
        return RowSpans(table, at, self.classes)


def check_within(spans: WordSpans, lengths: Numbers, ids: pl.Series) -> None:
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


def check_nesting(spans: WordSpans, ids: pl.Series, texts: pl.Series) -> None:
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


def _crossing(spans: WordSpans, both: tuple[int, int], utt: str, text: str) -> InputError:
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


def _named(spans: WordSpans, span: int) -> str:
    """Return a span in words, with its class."""
    start, end = int(spans.start[span]) + 1, int(spans.end[span])
    words = f"word {start}" if start == end else f"words {start} to {end}"
    return f"{spans.classes[spans.class_of[span]]} of {words}"


# Keywords: terms of one or more words, each with a class, and their occurrences in texts.

# Terms, a mapping from terms to classes, a file of terms, or a function that returns a mapping.
KeywordList = (
    str | PathLike[str] | Mapping[str, str] | Iterable[str] | Callable[[], Mapping[str, str]]
)
CLASS = "keyword"  # the class of terms that are listed without one
HEADER = (("term", "class"), ("keyword", "class"))
FIX = "each line is a term, or a term, a tab (in .csv files a comma) and its class"


def read_keywords(path: str | PathLike[str]) -> dict[str, str]:
    """Read a list of terms: the class of each term, `keyword` if the file gives none.

    Each line is a term, or a term, a tab and its class; in .csv files the separator is a comma.
    The first line may be a header, `term` and `class`. `# ` starts a comment.
    """
    source = open_source(path)
    terms: dict[str, str] = {}
    for line, fields in _lines(source):
        where = source.at(line)
        if len(fields) > 2:
            raise InputError(f"{len(fields)} fields", where=where, fix=FIX)
        term, kind = " ".join(fields[0].split()), " ".join(fields[1].split())
        if not term or not kind:
            raise InputError("no term" if not term else "no class", where=where, fix=FIX)
        if terms.setdefault(term, kind) != kind:
            raise InputError(
                f"{term!r} has the classes {terms[term]!r} and {kind!r}",
                where=where,
                fix="a term has one class",
            )
    if not terms:
        raise InputError("no keywords in it", where=source.at(), fix=FIX)
    return terms


def _lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line with a term, and its fields: term and class."""
    from misword.io.transcripts.formats.tables import read_rows, split_lines

    comma = source.name.lower().endswith(".csv")
    rows, numbers = read_rows(source, ",") if comma else split_lines(source)
    for line, fields in zip(numbers, rows, strict=True):
        first = fields[0].strip() if fields else ""
        if not any(field.strip() for field in fields) or first == "#" or first.startswith("# "):
            continue
        if line == 1 and tuple(field.strip().lower() for field in fields) in HEADER:
            continue
        yield line, fields if len(fields) > 1 else [*fields, CLASS]


def terms_of(keywords: KeywordList) -> dict[str, str]:
    """Return the class of each term of a list of keywords in any form."""
    if isinstance(keywords, str | PathLike):
        return read_keywords(keywords)
    listed: Any = keywords() if callable(keywords) else keywords
    terms = dict(listed) if isinstance(listed, Mapping) else dict.fromkeys(listed, CLASS)
    for term, kind in terms.items():
        if not isinstance(term, str) or not isinstance(kind, str) or not term.split() or not kind:
            raise OptionError(f"keywords: {term!r} of class {kind!r}", fix="give texts with words")
    if not terms:
        raise OptionError("the list of keywords is empty", fix="give at least one term")
    return terms


def find_terms(
    tokens: Tokens, terms: Tokens, class_of: Sequence[int], classes: tuple[str, ...]
) -> RowSpans:
    """Return the terms in texts as spans; term `t` has the class `classes[class_of[t]]`.

    The terms of a row do not overlap: the leftmost is taken, and of those that begin at one word
    the longest.
    """
    return RowSpans(*find_longest(tokens, terms, np.array(class_of, np.int32)), classes)
