"""How alike two encoded sentences are: the cosine, unless an encoder says otherwise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Similarities = NDArray[np.float64]

BLOCK = 4096  # pairs whose rows are in memory in double precision


class ByCosine:
    """For encoders whose rows are vectors."""

    __slots__ = ()

    def similarity(self, left: Rows, right: Rows) -> Similarities:
        """The cosine of each row with the one in the same place; 0 where either is zero."""
        return cosines(left, right)


def cosines(left: Rows, right: Rows) -> Similarities:
    """Cosines of pairs of rows, in double precision; 0 where either row is zero.

    >>> cosines(np.array([[3, 4]], np.float32), np.array([[0, 2]], np.float32)).tolist()
    [0.8]
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    product, left_square, right_square = (
        np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (a, a), (b, b))
    )
    norms = np.sqrt(left_square * right_square)
    return np.asarray(product / np.where(norms == 0, 1, norms))


def of_pairs(
    similarity: Callable[[Rows, Rows], Similarities],
    rows: Rows,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> Similarities:
    """The similarities of pairs of rows that are named by their numbers, a block at a time."""
    found = np.empty(len(left))
    for lo in range(0, len(left), BLOCK):
        cut = slice(lo, lo + BLOCK)
        found[cut] = similarity(rows[left[cut]], rows[right[cut]])
    return found
