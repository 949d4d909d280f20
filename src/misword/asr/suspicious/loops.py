"""Loops: a phrase that is repeated in succession, in all rows of a token sequence at once.

A phrase of p words is repeated where each word equals the word p places before it. The words of a
loop after the first occurrence of its phrase are its repeated words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Tokens

LONGEST = 12  # words of a phrase
TIMES_OF_WORD = 6  # people say a word several times: `no no no no`
TIMES_OF_PHRASE = 3

Counts = NDArray[np.int64]


def repeated_words(
    tokens: Tokens, *, of_word: int = TIMES_OF_WORD, of_phrase: int = TIMES_OF_PHRASE
) -> Counts:
    """Count the repeated words of each row, in loops of at least so many times.

    `of_word` is the least number of times of a single word, `of_phrase` that of two words or more.

    >>> from misword.text.tokens import encode_lists
    >>> rows = ["a b a b a b".split(), "a b a b".split(), "a a a a a a".split()]
    >>> repeated_words(encode_lists(rows)).tolist()
    [4, 0, 5]
    """
    ids, row = tokens.ids, np.repeat(np.arange(len(tokens)), tokens.lengths)
    repeated = np.zeros(len(ids), np.bool_)
    for size in range(1, LONGEST + 1):
        same = (ids[size:] == ids[:-size]) & (row[size:] == row[:-size])
        fewest = size * ((of_word if size == 1 else of_phrase) - 1)
        for start, stop in _runs(same, fewest):
            repeated[start + size : stop + size] = True
    return np.bincount(row, repeated, len(tokens)).astype(np.int64)


def _runs(flags: NDArray[np.bool_], fewest: int) -> list[tuple[int, int]]:
    """Return the start and the end of each run of at least `fewest` set flags."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    long = stops - starts >= fewest
    return list(zip(starts[long].tolist(), stops[long].tolist(), strict=True))


def looped_words(reference: Tokens, hypothesis: Tokens) -> Counts:
    """Count the repeated words of each hypothesis that its reference does not have.

    Row `i` of both sides belongs together. In the reference, everything that is said twice in
    succession counts as repeated.

    >>> from misword.text.tokens import encode_lists
    >>> tokens = encode_lists([["no", "no", "no"], ["no"] * 8])
    >>> looped_words(tokens.take(np.array([0])), tokens.take(np.array([1]))).tolist()
    [5]
    """
    heard = repeated_words(hypothesis)
    beyond = np.zeros(len(heard), np.int64)
    if len(rows := np.flatnonzero(heard)):
        said = repeated_words(reference.take(rows), of_word=2, of_phrase=2)
        beyond[rows] = np.maximum(0, heard[rows] - said)
    return beyond
