"""The relaxed CSLS loss of a lexicon, and its gradient.

    f(W) = 1/n sum over pairs (x, y) of  - 2 xW.y + mean over N(xW) of xW.t + mean over N(y) of sW.y

N(xW) are the targets t nearest to xW, N(y) the sources s whose images are nearest to y, by dot
product. The neighbours are found anew for each W; the gradient takes them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.methods import Matrix, Pairs
from misword.bli.methods.linear import cross
from misword.bli.search.threads import one_blas_thread
from misword.embed.vectors.neighbors import blocks, nearest

Square = NDArray[np.float64]
Rows = NDArray[np.int64]
BLOCK = 1024  # rows at a time whose neighbours are gathered


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The loss at a matrix, and its gradient there."""

    value: float
    gradient: Square


class RelaxedCSLS:
    """The loss over some pairs, with the first so many words of both sides as neighbours.

    A word that has several translations is looked up once.
    """

    def __init__(
        self,
        source: Matrix,
        target: Matrix,
        pairs: Pairs,
        neighbors: int,
        negatives: int,
        workers: int | None = None,
    ) -> None:
        self.neighbors, self.workers, self.pairs = neighbors, workers, pairs
        self.near_source, self.near_target = _real(source[:negatives]), _real(target[:negatives])
        (sources, first), (targets, second) = (
            np.unique(column, return_inverse=True) for column in pairs.T
        )
        self.which = first, second
        self.sources, self.targets = source[sources], target[targets]
        with one_blas_thread():
            self.product = cross(source, target, pairs)  # X^T Y: no W in it

    def look(self, matrix: Square) -> Look:
        """What the loss and its gradient are at a matrix."""
        with one_blas_thread():
            narrow = matrix.astype(np.float32)
            images = self.sources @ narrow
            forward = nearest(images, blocks(self.near_target), self.neighbors, self.workers)
            moved = self._moved(narrow)
            backward = nearest(self.targets, moved, self.neighbors, self.workers)
            targets = _means(self.near_target, forward[0])
            sources = _means(self.near_source, backward[0])
            weights = [np.bincount(which)[:, None] for which in self.which]
            near = (weights[0] * self.sources).T @ targets
            near += sources.T @ (weights[1] * self.targets)
        off = sum(
            float(scores.mean(axis=1, dtype=np.float64) @ weight[:, 0])
            for (_, scores), weight in zip((forward, backward), weights, strict=True)
        )
        right = float(np.vdot(matrix, self.product))  # sum of xW.y over the pairs
        gradient = (near - 2 * self.product) / len(self.pairs)
        return Look((off - 2 * right) / len(self.pairs), gradient)

    def _moved(self, matrix: Matrix) -> Iterator[Matrix]:
        """The images of the sources that may be neighbours, never all of them at once."""
        for block in blocks(self.near_source):
            yield block @ matrix


def clipped(matrix: Square) -> Square:
    """The nearest matrix whose singular values are at most 1."""
    u, singular, vt = np.linalg.svd(matrix)
    bounded: Square = (u * np.minimum(singular, 1)) @ vt
    return bounded


def _real(rows: Matrix) -> Matrix:
    """Rows that are vectors: zeros are nobody's neighbours."""
    some = rows.any(axis=1)
    return rows if some.all() else rows[some]


def _means(rows: Matrix, ids: Rows) -> Square:
    """The mean of the rows that each row of `ids` names."""
    means = np.empty((len(ids), rows.shape[1]))
    for lo in range(0, len(ids), BLOCK):
        means[lo : lo + BLOCK] = rows[ids[lo : lo + BLOCK]].mean(axis=1, dtype=np.float64)
    return means
