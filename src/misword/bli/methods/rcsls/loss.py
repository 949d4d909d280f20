"""The relaxed CSLS loss of Joulin et al. 2018, and its gradient.

    f(W) = 1/n sum over pairs (x, y) of  - 2 xW.y + mean over N(xW) of xW.t + mean over N(y) of sW.y

N(xW) are the targets t nearest to xW, N(y) are the sources s whose images sW are nearest to y, both
by dot product. The neighbours are searched again for each W; the gradient takes them as constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowNumbers, RowPairs
from misword.bli.methods.linear import cross_product
from misword.bli.search.tiles import with_vectors
from misword.core.workers import one_blas_thread
from misword.embed.vectors.neighbors import blocks, nearest

BLOCK = 1024  # rows at a time whose neighbours are averaged


@dataclass(frozen=True, slots=True, eq=False)
class LossAndGradient:
    """The loss at a matrix, and its gradient there."""

    value: float
    gradient: Float64Array


class RelaxedCSLS:
    """The loss over some pairs, with the first `negatives` words of both sides as neighbours.

    The neighbours of a word with several translations are searched once.
    """

    def __init__(
        self,
        source: Float32Array,
        target: Float32Array,
        pairs: RowPairs,
        neighbors: int,
        negatives: int,
        workers: int | None = None,
    ) -> None:
        self.neighbors, self.workers, self.pairs = neighbors, workers, pairs
        self.near_source = _rows_with_vectors(source[:negatives])
        self.near_target = _rows_with_vectors(target[:negatives])
        (sources, source_of_pair), (targets, target_of_pair) = (
            np.unique(column, return_inverse=True) for column in pairs.T
        )
        self.sources, self.targets = source[sources], target[targets]
        # The number of pairs of each source word and of each target word, as columns.
        self.pair_counts = [np.bincount(of)[:, None] for of in (source_of_pair, target_of_pair)]
        with one_blas_thread():
            self.product = cross_product(source, target, pairs)  # X^T Y, which W does not change

    def at(self, matrix: Float64Array) -> LossAndGradient:
        """Compute the loss and its gradient at a matrix."""
        source_counts, target_counts = self.pair_counts
        with one_blas_thread():
            single = matrix.astype(np.float32)
            images = self.sources @ single
            target_ids, target_products = nearest(
                images, blocks(self.near_target), self.neighbors, self.workers
            )
            source_ids, source_products = nearest(
                self.targets, self._source_images(single), self.neighbors, self.workers
            )
            target_means = _neighbor_means(self.near_target, target_ids)
            source_means = _neighbor_means(self.near_source, source_ids)
            near = (source_counts * self.sources).T @ target_means
            near += source_means.T @ (target_counts * self.targets)
        hubness = sum(
            float(products.mean(axis=1, dtype=np.float64) @ counts[:, 0])
            for products, counts in (
                (target_products, source_counts),
                (source_products, target_counts),
            )
        )
        similarity = float(np.vdot(matrix, self.product))  # sum of xW.y over the pairs
        gradient = (near - 2 * self.product) / len(self.pairs)
        return LossAndGradient((hubness - 2 * similarity) / len(self.pairs), gradient)

    def _source_images(self, matrix: Float32Array) -> Iterator[Float32Array]:
        """Yield the images of the sources that may be neighbours, in blocks to save memory."""
        for block in blocks(self.near_source):
            yield block @ matrix


def clip_singular_values(matrix: Float64Array) -> Float64Array:
    """Return the nearest matrix whose singular values are at most 1."""
    u, singular, vt = np.linalg.svd(matrix)
    clipped: Float64Array = (u * np.minimum(singular, 1)) @ vt
    return clipped


def _rows_with_vectors(rows: Float32Array) -> Float32Array:
    """Return the rows of words that have a vector; they are not copied if all words have one."""
    present = with_vectors(rows)
    return rows if len(present) == len(rows) else rows[present]


def _neighbor_means(rows: Float32Array, ids: RowNumbers) -> Float64Array:
    """Return the mean of the vectors whose numbers are in each row of `ids`."""
    means = np.empty((len(ids), rows.shape[1]))
    for lo in range(0, len(ids), BLOCK):
        means[lo : lo + BLOCK] = rows[ids[lo : lo + BLOCK]].mean(axis=1, dtype=np.float64)
    return means
