"""Words and characters of text columns as ids of one shared vocabulary, split by compiled kernels.

Words are separated by white space as `str.split` defines it: a no-break space separates words, a
zero-width space does not. The characters of an utterance are its code points; a run of white space
counts as one space, and white space at the ends is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, overload

import numpy as np

from misword.core.errors import InputError
from misword.core.types import Ids, Offsets, Tokens, offsets_of
from misword.native.library import FULL, INTEGER, OK, SMALL, array, kernel, procedure
from misword.text.texts import Texts

# The kernels read UTF-8 with a NUL between two rows. For words, `PADDING` NUL bytes follow the last
# row.

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


class ByteVocabulary(Sequence[str]):
    """A vocabulary that keeps the text as bytes and decodes a word when it is read."""

    def __init__(self, text: bytes, starts: Offsets, lengths: Ids) -> None:
        self._text, self._starts, self._lengths = text, starts, lengths
        self._words: list[str] | None = None

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            if index == slice(None):
                return self._all_words()
            starts, lengths = self._starts[index], self._lengths[index]
            ends = (starts + lengths).tolist()
            text = self._text
            return [text[lo:hi].decode() for lo, hi in zip(starts.tolist(), ends, strict=True)]
        start = self._starts[index]
        return self._text[start : start + self._lengths[index]].decode()

    def _all_words(self) -> list[str]:
        """Return all words; they are decoded once, and the caller must not change the list."""
        if self._words is None:
            self._words = self[0 : len(self)]
        return self._words

    def join(self, ids: Ids, offsets: Offsets) -> bytes:
        """Return rows of words as text, with a space between two words, NUL between two rows."""
        return join_words(ids, offsets, self._text, self._starts, self._lengths)


def encode_words(columns: Sequence[Texts]) -> list[Tokens]:
    """Return the words of each column; all columns share one vocabulary."""
    text, rows = _bytes(columns)
    ids, offsets, starts, lengths = split_words(text, rows)
    return _split_by_column(Tokens(ids, offsets, ByteVocabulary(text, starts, lengths)), columns)


def decode_words(tokens: Tokens) -> Texts:
    """Return the texts of words that `encode_words` encoded, with one space between two words.

    >>> decode_words(encode_words([Texts.of([" a  b", "", "c"])])[0]).split()
    ['a b', '', 'c']
    """
    if not isinstance(tokens.vocabulary, ByteVocabulary):
        raise TypeError("the tokens are not those of encode_words")
    return Texts(tokens.vocabulary.join(tokens.ids, tokens.offsets), len(tokens))


def encode_characters(columns: Sequence[Texts], *, spaces: bool = True) -> list[Tokens]:
    """Return the characters of each column; all columns share one vocabulary."""
    sides, points = split_characters([(c.data, c.rows) for c in columns], spaces)
    vocabulary = [chr(point) for point in points]
    return [Tokens(ids, offsets, vocabulary) for ids, offsets in sides]


def encode_lists(rows: Sequence[Sequence[str]]) -> Tokens:
    """Return `Tokens` of sequences that are already split.

    >>> encode_lists([["a", "b"], [], ["b"]]).ids
    array([0, 1, 1], dtype=int32)
    """
    return encode_flat(chain.from_iterable(rows), offsets_of(list(map(len, rows))))


def encode_flat(flat: Iterable[str], offsets: Offsets) -> Tokens:
    """Return `Tokens` of the tokens of all utterances; ids are in order of first occurrence."""
    id_of: dict[str, int] = {}
    ids = np.fromiter((id_of.setdefault(token, len(id_of)) for token in flat), np.int32)
    return Tokens(ids, offsets, list(id_of))


def _bytes(columns: Sequence[Texts]) -> tuple[bytes, int]:
    """Return all rows of all columns as one padded buffer, and the number of rows."""
    filled = [column for column in columns if column.rows]
    text = b"\0".join([*(column.data for column in filled), bytes(PADDING - 1)])
    return text if filled else bytes(PADDING), sum(column.rows for column in filled)


def _split_by_column(tokens: Tokens, columns: Sequence[Texts]) -> list[Tokens]:
    """Return the part of the common token sequence that belongs to each column."""
    edges = offsets_of([column.rows for column in columns])
    parts = []
    for lo, hi in pairwise(edges.tolist()):
        offsets = tokens.offsets[lo : hi + 1]
        ids = tokens.ids[offsets[0] : offsets[-1]]
        parts.append(Tokens(ids, offsets - offsets[0], tokens.vocabulary))
    return parts
