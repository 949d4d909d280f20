"""Cosine similarity of sentence vectors, and similarities of many pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

SentenceVectors = NDArray[np.float32]
Similarities = NDArray[np.float64]

BLOCK = 4096  # pairs whose vectors are in memory in double precision at once


def cosines(left: SentenceVectors, right: SentenceVectors) -> Similarities:
    """Return the cosines of pairs of rows, in double precision; 0 where either row is zero.

    >>> cosines(np.array([[3, 4]], np.float32), np.array([[0, 2]], np.float32)).tolist()
    [0.8]
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    product, left_square, right_square = (
        np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (a, a), (b, b))
    )
    norms = np.sqrt(left_square * right_square)
    return np.asarray(product / np.where(norms == 0, 1, norms))


def pair_similarities(
    similarity: Callable[[SentenceVectors, SentenceVectors], Similarities],
    vectors: SentenceVectors,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> Similarities:
    """Return the similarity of vector `left[i]` with vector `right[i]` for each i, in blocks."""
    similarities = np.empty(len(left))
    for lo in range(0, len(left), BLOCK):
        block = slice(lo, lo + BLOCK)
        similarities[block] = similarity(vectors[left[block]], vectors[right[block]])
    return similarities
