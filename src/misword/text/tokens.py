"""Words and characters of text columns as ids of one shared vocabulary.

Words are separated by white space as `str.split` defines it: a no-break space separates words, a
zero-width space does not. The characters of an utterance are its code points; a run of white space
counts as one space, and white space at the ends is ignored.

The texts are split by the compiled functions of `text/kernels.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import overload

import numpy as np

from misword.core.types import Ids, Offsets, Tokens
from misword.text.kernels import PADDING, join_words, split_characters, split_words
from misword.text.texts import Texts


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
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return encode_flat(chain.from_iterable(rows), offsets)


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
    edges = np.cumsum([0, *(column.rows for column in columns)])
    parts = []
    for lo, hi in pairwise(edges.tolist()):
        offsets = tokens.offsets[lo : hi + 1]
        ids = tokens.ids[offsets[0] : offsets[-1]]
        parts.append(Tokens(ids, offsets - offsets[0], tokens.vocabulary))
    return parts
