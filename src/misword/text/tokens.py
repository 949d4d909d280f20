"""Words and characters of text columns as dense ids over one shared vocabulary.

A word is what stands between white space, white space being what `str.split` says it is (so a
no-break space separates words, and a zero-width space does not). The characters of an utterance are
its code points with every run of white space counted as one space, none at the ends.

Small inputs take the plain Python way, which needs no compiled code; large ones go to the kernel in
`text/kernels.py`. Both give the same tokens: the tests hold them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import overload

import numpy as np

from misword.core import kernel_thresholds
from misword.core.types import Ids, Offsets, Tokens
from misword.text.texts import Texts


class Slices(Sequence[str]):
    """A vocabulary that stays in the bytes it was found in until a word is asked for."""

    def __init__(self, text: bytes, starts: Offsets, lengths: Ids) -> None:
        self._text, self._starts, self._lengths = text, starts, lengths

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            starts, lengths = self._starts[index], self._lengths[index]
            ends = (starts + lengths).tolist()
            text = self._text
            return [text[lo:hi].decode() for lo, hi in zip(starts.tolist(), ends, strict=True)]
        start = self._starts[index]
        return self._text[start : start + self._lengths[index]].decode()


def encode_words(columns: Sequence[Texts], *, compiled: bool = False) -> list[Tokens]:
    """Split each column into words; all columns share one vocabulary.

    `compiled`: whatever the size, for whoever has loaded the compiled code anyway.
    """
    if not compiled and _size(columns) < kernel_thresholds.TOKENIZATION:
        return _cut(encode_lists([row.split() for row in _rows(columns)]), columns)
    from misword.text.kernels import split_words

    text, rows = _bytes(columns)
    ids, offsets, starts, lengths = split_words(text, rows)
    return _cut(Tokens(ids, offsets, Slices(text, starts, lengths)), columns)


def encode_characters(columns: Sequence[Texts], *, spaces: bool = True) -> list[Tokens]:
    """Split each column into characters; all columns share one vocabulary."""
    if _size(columns) < kernel_thresholds.TOKENIZATION:
        glue = " " if spaces else ""
        return _cut(encode_lists([glue.join(row.split()) for row in _rows(columns)]), columns)
    from misword.text.kernels import split_characters

    sides, points = split_characters([(c.data, c.rows) for c in columns], spaces)
    vocabulary = [chr(point) for point in points]
    return [Tokens(ids, offsets, vocabulary) for ids, offsets in sides]


def encode_lists(rows: Sequence[Sequence[str]]) -> Tokens:
    """Token sequences that are cut already.

    >>> encode_lists([["a", "b"], [], ["b"]]).ids
    array([0, 1, 1], dtype=int32)
    """
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return encode_flat(chain.from_iterable(rows), offsets)


def encode_flat(flat: Iterable[str], offsets: Offsets) -> Tokens:
    """Tokens one after the other: each distinct one gets the next free id."""
    known: dict[str, int] = {}
    ids = np.fromiter((known.setdefault(token, len(known)) for token in flat), np.int32)
    return Tokens(ids, offsets, list(known))


def _size(columns: Sequence[Texts]) -> int:
    return sum(len(column.data) for column in columns)


def _rows(columns: Sequence[Texts]) -> Iterator[str]:
    return chain.from_iterable(column.split() for column in columns)


def _bytes(columns: Sequence[Texts]) -> tuple[bytes, int]:
    """All rows of all columns as one padded buffer, and how many they are."""
    from misword.text.kernels import PADDING

    filled = [column for column in columns if column.rows]
    text = b"\0".join([*(column.data for column in filled), bytes(PADDING - 1)])
    return text if filled else bytes(PADDING), sum(column.rows for column in filled)


def _cut(tokens: Tokens, columns: Sequence[Texts]) -> list[Tokens]:
    """Give each column its rows of the common token sequence."""
    edges = np.cumsum([0, *(column.rows for column in columns)])
    parts = []
    for lo, hi in pairwise(edges.tolist()):
        offsets = tokens.offsets[lo : hi + 1]
        ids = tokens.ids[offsets[0] : offsets[-1]]
        parts.append(Tokens(ids, offsets - offsets[0], tokens.vocabulary))
    return parts
