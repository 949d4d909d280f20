"""Exact hubness terms of some rows, with most cosines ruled out by an upper bound.

Word vectors have most of their length in few principal directions. The cosine of two vectors is
their product in these directions plus the product of the remainders, which is at most the product
of the lengths of the remainders (Cauchy-Schwarz). The bound is one matrix product of vectors with
about a third of the dimensions. The cosine itself is computed only where its bound exceeds the
greatest cosines found so far.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from misword.bli.arrays import Float32Array
from misword.bli.search.hubness import hubness_terms, row_means
from misword.bli.search.kernels import add_bounded
from misword.bli.search.tiles import COLUMNS
from misword.core.workers import one_blas_thread, pieces

ENERGY = 0.88  # share of the squared lengths that the principal directions must have
WORTH = 0.6  # share of all dimensions above which the bounds cost about as much as the cosines
SAMPLE = 20_000  # rows of each side from which the principal directions are computed
ROWS = 256  # rows processed at a time
SLACK = np.float32(1e-5)  # by which rounding may move a product


class PrunedHubness:
    """Computes hubness terms of rows against `others`, with pruning.

    The principal directions of both sides, and `others` in these directions, are computed once.
    """

    def __init__(self, rows: Float32Array, others: Float32Array) -> None:
        self.others = others
        with one_blas_thread():  # the products are small: more threads mostly wait for each other
            self._basis = _principal_directions(rows, others)
            self._useful = self._basis.shape[1] <= WORTH * others.shape[1]
            self._projected = self._project(others) if self._useful else others

    def terms(
        self, rows: Float32Array, least: Float32Array, k: int, workers: int | None = None
    ) -> Float32Array:
        """Compute the mean of the `k` greatest products of each row with the others.

        `least` has a lower bound of the k-th greatest product of each row. All products are
        computed if `ENERGY` needs so many directions that bounds would not be cheaper.
        """
        if not self._useful:
            return hubness_terms(rows, self.others, k, workers)
        rows = np.ascontiguousarray(rows)
        greatest, least = np.full((len(rows), k), -np.inf, np.float32), least - SLACK

        def start() -> Callable[[int], None]:
            def piece(number: int) -> None:
                cut = slice(number * ROWS, (number + 1) * ROWS)
                projected = self._project(rows[cut])
                for lo in range(0, len(self.others), COLUMNS):
                    columns = slice(lo, lo + COLUMNS)
                    bounds = projected @ self._projected[columns].T
                    add_bounded(bounds, rows[cut], self.others[columns], greatest[cut], least[cut])

            return piece

        pieces(start, -(-len(rows) // ROWS), workers, "hubness")
        return row_means(greatest[:, max(0, k - len(self.others)) :])

    def _project(self, rows: Float32Array) -> Float32Array:
        """Return rows in the principal directions, and the length of the remainder as a column.

        The length is rounded up, so that the product of two projected rows is an upper bound.
        """
        projected = rows @ self._basis
        square = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", projected, projected)
        remainder = np.sqrt(np.maximum(square, 0) + np.float32(1e-6))
        return np.column_stack([projected, remainder])


def _principal_directions(rows: Float32Array, others: Float32Array) -> Float32Array:
    """Return the first principal directions of both sides, as many as have `ENERGY`."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for side in (rows, others):
        sample = side[:: -(-len(side) // SAMPLE)]
        total += sample.T @ sample / len(sample)
    eigenvalues, directions = np.linalg.eigh(total)
    energies = np.cumsum(eigenvalues[::-1])
    count = 1 + int(np.searchsorted(energies, ENERGY * eigenvalues.sum()))
    return np.ascontiguousarray(directions[:, ::-1][:, :count], np.float32)
