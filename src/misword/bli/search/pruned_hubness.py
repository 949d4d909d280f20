"""Exact hubness of some rows, where few dimensions say which products can matter.

Word vectors have most of their length in few directions. What two vectors have in these is a
product of few numbers; what they have beside them is at most the product of the lengths that are
left (Cauchy-Schwarz). The sum of both is an upper bound of the cosine: one matrix product of
vectors with a third of the dimensions. Only where it exceeds what is known to be reached, the
cosine itself is computed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from misword.bli.search import hubness
from misword.bli.search.tiles import COLUMNS, Matrix
from misword.core.workers import one_blas_thread, pieces

ENERGY = 0.88  # share of the squared lengths that the first directions must have
WORTH = 0.6  # of all dimensions: with more, bounds cost about what the products do
SAMPLE = 20_000
ROWS = 256
SLACK = np.float32(1e-5)  # by which rounding may move a product


class Shadow:
    """The others, and what they are in the first directions of both sides."""

    def __init__(self, rows: Matrix, others: Matrix) -> None:
        self.others = others
        with one_blas_thread():  # more of them wait for each other longer than this takes
            self._basis = _directions(rows, others)
            self._useful = self._basis.shape[1] <= WORTH * others.shape[1]
            self._flat = self._flattened(others) if self._useful else others

    def terms(self, rows: Matrix, bars: Matrix, k: int, workers: int | None = None) -> Matrix:
        """The mean of the `k` greatest products of each row with the others.

        `bars` are what the k-th greatest is at least. Where the vectors have no directions that
        matter more than others, all products are computed.
        """
        if not self._useful:
            return hubness.terms(rows, self.others, k, workers)
        from misword.bli.search.pruned_hubness_kernels import refine

        tops, bars = np.full((len(rows), k), -np.inf, np.float32), bars - SLACK

        def start() -> Callable[[int], None]:
            def piece(number: int) -> None:
                cut = slice(number * ROWS, (number + 1) * ROWS)
                flat = self._flattened(rows[cut])
                for lo in range(0, len(self.others), COLUMNS):
                    columns = slice(lo, lo + COLUMNS)
                    bounds = flat @ self._flat[columns].T
                    refine(bounds, rows[cut], self.others[columns], tops[cut], bars[cut])

            return piece

        pieces(start, -(-len(rows) // ROWS), workers, "hubness")
        return hubness.mean(tops[:, max(0, k - len(self.others)) :])

    def _flattened(self, rows: Matrix) -> Matrix:
        """Rows in the first directions, and the length that is left, never too short."""
        flat = rows @ self._basis
        square = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", flat, flat)
        left = np.sqrt(np.maximum(square, 0) + np.float32(1e-6))
        return np.column_stack([flat, left])


def _directions(rows: Matrix, others: Matrix) -> Matrix:
    """The first principal directions of both sides, as many as have `ENERGY`."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for side in (rows, others):
        sample = side[:: -(-len(side) // SAMPLE)]
        total += sample.T @ sample / len(sample)
    lengths, directions = np.linalg.eigh(total)
    count = 1 + int(np.searchsorted(np.cumsum(lengths[::-1]), ENERGY * lengths.sum()))
    return np.ascontiguousarray(directions[:, ::-1][:, :count], np.float32)
