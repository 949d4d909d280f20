"""Phrases and compounds in the words of texts, found by compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.kernels import Sides
from misword.core.types import Offsets, Tokens, offsets_of
from misword.native.library import FULL, INTEGER, array, kernel, procedure

IDS, NUMBERS = array(np.int32), array(np.int64)
FOUND = (array(np.int64, out=True), INTEGER, array(np.int64, out=True))
_find_phrases = kernel(
    "misword_find_phrases", IDS, NUMBERS, INTEGER, IDS, NUMBERS, NUMBERS, NUMBERS, *FOUND
)
_find_compounds = kernel(
    "misword_find_compounds", IDS, NUMBERS, INTEGER, array(np.uint8), NUMBERS, INTEGER, INTEGER,
    *FOUND,
)  # fmt: skip
_find_terms = procedure(
    "misword_find_terms", IDS, NUMBERS, INTEGER, IDS, NUMBERS, IDS, NUMBERS, NUMBERS,
    array(np.int32, out=True), array(np.int64, out=True),
)  # fmt: skip


class Occurrences(NamedTuple):
    """Words `start` to `end - 1` of `row`, and the `number` of what they are.

    Occurrences are ordered by row, then by start.
    """

    row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    number: NDArray[np.int64]


def find_phrases(tokens: Tokens, phrases: Tokens) -> Occurrences:
    """Find all occurrences of phrases in texts; `number` is the number of the phrase.

    Both have the same vocabulary. A phrase without words occurs nowhere.

    >>> words = ["a", "b"]
    >>> tokens = Tokens(np.array([0, 1, 0, 1, 1], np.int32), np.array([0, 3, 5]), words)
    >>> phrases = Tokens(np.array([1, 0, 1], np.int32), np.array([0, 1, 3]), words)
    >>> for numbers in zip(*find_phrases(tokens, phrases)): print(*numbers)
    0 0 2 1
    0 1 2 0
    1 0 1 0
    1 1 2 0
    """
    ids, phrase_ids = _word_ids(tokens, phrases)
    filled = np.flatnonzero(phrases.lengths)
    first = phrase_ids[phrases.offsets[filled]]
    listed = filled[np.argsort(first, kind="stable")]
    listed_at = offsets_of(np.bincount(first, minlength=len(tokens.vocabulary)))
    texts = ids, tokens.offsets, len(tokens), phrase_ids, phrases.offsets, listed, listed_at
    return _all_found(lambda *found: _find_phrases(*texts, *found), len(ids) // 8)


def find_longest(
    tokens: Tokens, phrases: Tokens, numbers: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Offsets]:
    """Find phrases that do not overlap: the leftmost, and of those at one word the longest.

    Returns a row (start, end, number) for each, where phrase `p` has the number `numbers[p]`, and
    the offsets of the rows of `tokens` in it. Of equal phrases the first is found.

    >>> words = ["a", "b"]
    >>> tokens = Tokens(np.array([0, 1, 0, 1, 1], np.int32), np.array([0, 3, 5]), words)
    >>> phrases = Tokens(np.array([1, 1, 0], np.int32), np.array([0, 1, 3]), words)
    >>> found, offsets = find_longest(tokens, phrases, np.array([7, 8], np.int32))
    >>> found.tolist(), offsets.tolist()
    ([[1, 3, 8], [0, 1, 7], [1, 2, 7]], [0, 1, 3])
    """
    ids, phrase_ids = _word_ids(tokens, phrases)
    if len(numbers) != len(phrases):
        raise ValueError("`numbers` needs a number for each phrase")
    filled = np.flatnonzero(phrases.lengths)
    first = phrase_ids[phrases.offsets[filled]]
    listed = filled[np.lexsort((-phrases.lengths[filled], first))]
    listed_at = offsets_of(np.bincount(first, minlength=len(tokens.vocabulary)))
    found = np.empty((len(ids), 3), np.int32)
    offsets = np.zeros(len(tokens) + 1, np.int64)
    _find_terms(
        ids, tokens.offsets, len(tokens), phrase_ids, phrases.offsets, numbers, listed, listed_at,
        found, offsets,
    )  # fmt: skip
    return found[: offsets[-1]], offsets


def find_compounds(tokens: Tokens, letters: Sequence[str], most: int | None = 4) -> Occurrences:
    """Find all sequences of words of which the letters are those of one word of the vocabulary.

    `letters[i]` are the letters of word `i` that count, for example the word in lower case without
    hyphens, or the word itself. A word without letters is part of no sequence. A sequence has two
    to `most` words, or any number of words if `most` is None. Its `number` is the first word of the
    vocabulary that has its letters.

    >>> words = ["e", "mail", "e-mail", "Email"]
    >>> tokens = Tokens(np.array([3, 0, 1], np.int32), np.array([0, 3]), words)
    >>> found = find_compounds(tokens, ["e", "mail", "email", "email"])
    >>> for numbers in zip(*found): print(*numbers)
    0 1 3 2
    """
    size = len(tokens.vocabulary)
    joined = np.frombuffer("".join(f"{word}\0" for word in letters).encode(), np.uint8)
    ends = np.flatnonzero(joined == 0)
    if len(letters) != size or len(ends) != size:
        raise ValueError("`letters` needs a string without NUL for each word")
    at = np.concatenate([[0], ends - np.arange(size)]).astype(np.int64)
    ids, _ = _word_ids(tokens, tokens)
    longest = len(joined) if most is None else most
    texts = ids, tokens.offsets, len(tokens), joined[joined != 0], at, size, longest
    return _all_found(lambda *found: _find_compounds(*texts, *found), len(ids) // 16)


def _word_ids(left: Tokens, right: Tokens) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the ids of two texts as the kernels take them, after checks of their ranges."""
    if len(left.vocabulary) != len(right.vocabulary):
        raise ValueError("the texts must share a vocabulary")
    sides = Sides.of(left, right)
    return np.asarray(sides.reference, np.int32), np.asarray(sides.hypothesis, np.int32)


def _all_found(
    find: Callable[[NDArray[np.int64], int, NDArray[np.int64]], int], room: int
) -> Occurrences:
    """Call a kernel, and call it again with more room if it had too little."""
    count = np.zeros(1, np.int64)
    found = np.empty((room + 64, len(Occurrences._fields)), np.int64)
    if find(found, len(found), count) == FULL:
        found = np.empty((int(count[0]), len(Occurrences._fields)), np.int64)
        find(found, len(found), count)
    return Occurrences(*np.ascontiguousarray(found[: count[0]].T))
