"""Sentences as weighted means of the vectors of their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from misword.embed.vectors.words import Case, WordVectors

Weigh = Callable[[str], float]

BLOCK = 4096  # texts whose words' vectors are in memory at once


def averages(
    texts: Sequence[str], vectors: WordVectors, case: Case, weigh: Weigh
) -> NDArray[np.float64]:
    """For each text the weighted vectors of its words, added up, over the number of words.

    Words are cut at white space; those without a vector are left out, from the number too.
    """
    ids, sizes, words = words_of(texts)
    rows, known = vectors.raw(words, case)
    wide = rows * np.array([weigh(word) for word in words]).reshape(-1, 1)
    owner = np.repeat(np.arange(len(texts)), sizes)[known[ids]]
    ids = ids[known[ids]]
    found = np.zeros((len(texts), vectors.dimension))
    for lo in range(0, len(texts), BLOCK):
        first, last = np.searchsorted(owner, (lo, lo + BLOCK))
        whose, starts = np.unique(owner[first:last], return_index=True)
        if len(whose):
            found[whose] = np.add.reduceat(wide[ids[first:last]], starts)
    return found / np.maximum(np.bincount(owner, minlength=len(texts)), 1)[:, None]


def incomplete(texts: Sequence[str], vectors: WordVectors, case: Case) -> NDArray[np.bool_]:
    """Which texts have a word without a vector."""
    ids, sizes, words = words_of(texts)
    _, known = vectors.raw(words, case)
    owner = np.repeat(np.arange(len(texts)), sizes)
    return np.bincount(owner[~known[ids]], minlength=len(texts)) > 0


def words_of(texts: Sequence[str]) -> tuple[NDArray[np.int64], list[int], list[str]]:
    """The words of all texts as numbers, how many each text has, and the distinct words."""
    cut = [text.split() for text in texts]
    known: dict[str, int] = {}
    ids = [known.setdefault(word, len(known)) for words in cut for word in words]
    return np.array(ids, np.int64), [len(words) for words in cut], list(known)
