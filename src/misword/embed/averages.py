"""Weighted means of the word vectors of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.embed.vectors.words import Case, WordVectors

WordWeight = Callable[[str], float]

BLOCK = 4096  # texts whose word vectors are in memory at once


def weighted_means(
    texts: Sequence[str], vectors: WordVectors, case: Case, weight: WordWeight
) -> NDArray[np.float64]:
    """Return for each text the sum of its weighted word vectors, divided by the number of words.

    Words are separated by white space. Words without a vector are left out of sum and number.
    """
    known = index_known_words(texts, vectors, case)
    ids, text_of_word = known.ids, known.text_of_word
    weighted = known.rows * np.array([weight(word) for word in known.vocabulary]).reshape(-1, 1)
    sums = np.zeros((len(texts), vectors.dimension))
    for lo in range(0, len(texts), BLOCK):
        first, last = np.searchsorted(text_of_word, (lo, lo + BLOCK))
        numbers, starts = np.unique(text_of_word[first:last], return_index=True)
        if len(numbers):
            sums[numbers] = np.add.reduceat(weighted[ids[first:last]], starts)
    return sums / np.maximum(np.bincount(text_of_word, minlength=len(texts)), 1)[:, None]


def largest_component(
    words: Iterable[str], vectors: WordVectors, case: Case, weight: WordWeight
) -> float:
    """Return the largest component, without its sign, of the weighted vectors of words."""
    largest, listed = 0.0, list(words)
    for lo in range(0, len(listed), BLOCK):
        some = listed[lo : lo + BLOCK]
        rows, _ = vectors.raw(some, case)
        weights = np.array([weight(word) for word in some])
        largest = max(largest, float((np.abs(rows).max(axis=1, initial=0) * weights).max()))
    return largest


def has_unknown_word(texts: Sequence[str], vectors: WordVectors, case: Case) -> NDArray[np.bool_]:
    """Return which texts contain a word without a vector."""
    ids, sizes, words = index_words(texts)
    _, known = vectors.raw(words, case)
    text_of_word = np.repeat(np.arange(len(texts)), sizes)
    return np.bincount(text_of_word[~known[ids]], minlength=len(texts)) > 0


class KnownWords(NamedTuple):
    """The words of texts that have a vector.

    Word `w` has the vector `rows[ids[w]]`, is `vocabulary[ids[w]]`, and belongs to the text with
    the number `text_of_word[w]`. The words are in the order of the texts.
    """

    ids: NDArray[np.int64]
    text_of_word: NDArray[np.int64]
    vocabulary: list[str]
    rows: NDArray[np.float32]


def index_known_words(texts: Sequence[str], vectors: WordVectors, case: Case) -> KnownWords:
    """Return the words of all texts, without the words that have no vector."""
    ids, sizes, words = index_words(texts)
    rows, known = vectors.raw(words, case)
    text_of_word = np.repeat(np.arange(len(texts)), sizes)
    return KnownWords(ids[known[ids]], text_of_word[known[ids]], words, rows)


def index_words(texts: Sequence[str]) -> tuple[NDArray[np.int64], list[int], list[str]]:
    """Return the word ids of all texts, the number of words of each text, and the vocabulary.

    >>> index_words(["a b a", "b"])
    (array([0, 1, 0, 1]), [3, 1], ['a', 'b'])
    """
    texts_words = [text.split() for text in texts]
    vocabulary: dict[str, int] = {}
    ids = [vocabulary.setdefault(word, len(vocabulary)) for words in texts_words for word in words]
    return np.array(ids, np.int64), [len(words) for words in texts_words], list(vocabulary)
