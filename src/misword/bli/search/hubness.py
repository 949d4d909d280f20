"""Hubness terms of CSLS: the mean cosine of a word with its nearest words of the other language.

A hub is a word that is near to very many words of the other language. CSLS subtracts the hubness
terms of both words from their cosine, so that hubs are not the best translation of every word. In
Conneau et al. 2018, section 2.3, the terms are r_T (of a source word) and r_S (of a target word).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.kernels import add_bounded
from misword.bli.search.products import COLUMNS, only_vectors, scan, with_vectors
from misword.core.workers import one_blas_thread, pieces
from misword.embed.vectors.neighbors import blocks, nearest


@dataclass(frozen=True, slots=True, eq=False)
class Hubness:
    """For each row of both sides its hubness term, and its greatest cosine.

    A row of zeros (a word without a vector) has 0 for both, and is not a neighbour of any word.
    """

    source: Float32Array
    target: Float32Array
    best_source: Float32Array
    best_target: Float32Array


def hubness(
    source: Float32Array, target: Float32Array, k: int, workers: int | None = None
) -> Hubness:
    """Compute the terms of all rows of both sides: the mean of the `k` greatest cosines.

    Where the other side has fewer than `k` vectors, the mean is over all of them. Each cosine is
    computed once, for the terms of both sides.

    >>> rows = np.eye(3, dtype=np.float32)
    >>> hubness(rows, rows, 2).source.tolist()
    [0.5, 0.5, 0.5]
    """
    (x, source_rows), (z, target_rows) = only_vectors(source), only_vectors(target)
    terms = hubness_of_vectors(x, z, k, workers)
    return Hubness(
        _scatter(terms.source, source_rows, len(source)),
        _scatter(terms.target, target_rows, len(target)),
        _scatter(terms.best_source, source_rows, len(source)),
        _scatter(terms.best_target, target_rows, len(target)),
    )


def hubness_terms(
    rows: Float32Array, others: Float32Array, k: int, workers: int | None = None
) -> Float32Array:
    """Compute the terms of one side: the mean of the `k` greatest cosines of each row."""
    real = with_vectors(rows)
    targets = blocks(others[with_vectors(others)])
    cosines = nearest(rows[real], targets, k, workers)[1]
    return _scatter(row_means(cosines), real, len(rows))


def hubness_of_vectors(
    source: Float32Array, target: Float32Array, k: int, workers: int | None = None
) -> Hubness:
    """Compute the terms of both sides; neither side has a row of zeros."""
    return hubness_of_lists(*(side.lists for side in scan(source, target, k, workers=workers)))


def hubness_of_lists(source: Float32Array, target: Float32Array) -> Hubness:
    """Compute the terms of both sides from the greatest products of their words, ascending."""
    rows = source[:, ::-1][:, : len(target)]
    columns = target[:, ::-1][:, : len(source)]
    return Hubness(
        row_means(rows), row_means(columns), row_means(rows[:, :1]), row_means(columns[:, :1])
    )


def row_means(values: Float32Array) -> Float32Array:
    """Return the mean of each row; 0 where rows are empty."""
    if not values.shape[1]:
        return np.zeros(len(values), np.float32)
    means = np.ascontiguousarray(values).mean(axis=1, dtype=np.float64)
    return np.asarray(means, np.float32)


def _scatter(values: Float32Array, rows: RowNumbers, size: int) -> Float32Array:
    """Return an array of `size` with these values at these rows, 0 elsewhere."""
    scattered = np.zeros(size, np.float32)
    scattered[rows] = values
    return scattered


# Lower bounds of hubness terms, from a part of the other vocabulary.

PROBES = 4  # clusters searched for each word
VISITS = 4096  # words that search one cluster at a time


def lower_bounds(
    rows: Float32Array, others: Float32Array, k: int, workers: int | None = None
) -> tuple[Float32Array, Float32Array]:
    """Return lower bounds of each row's hubness term, and of its k-th greatest cosine.

    The mean of the `k` greatest cosines over a subset of the other words is a lower bound of the
    mean over all of them. The subset of a row is the `PROBES` clusters with the nearest centres.
    The centres are every sqrt(n)-th row of `others`, which are in the order of their frequency.
    The cluster of a centre has the rows that are nearer to it than to other centres. Both bounds
    are minus infinity where the clusters have fewer than `k` rows.
    """
    centres = others[:: max(1, int(np.sqrt(len(others))))]
    probes = min(PROBES, len(centres))
    cluster_of = nearest(others, [centres], 1, workers)[0][:, 0]
    members = np.split(np.argsort(cluster_of, kind="stable"), _ends(cluster_of, len(centres)))
    probed = nearest(rows, [centres], probes, workers)[0].ravel()
    # Entry v of a cluster's visits: row v // probes searches this cluster.
    visits = np.split(np.argsort(probed, kind="stable"), _ends(probed, len(centres)))
    greatest = np.full((len(rows) * probes, k), -np.inf, np.float32)

    def start() -> Callable[[int], None]:
        def piece(cluster: int) -> None:
            near, visit = others[members[cluster]], visits[cluster]
            size = min(k, len(near))
            for lo in range(0, len(visit), VISITS):
                block = visit[lo : lo + VISITS]
                products = rows[block // probes] @ near.T
                products.partition(len(near) - size, axis=1)
                greatest[block, :size] = products[:, len(near) - size :]

        return piece

    pieces(start, len(centres), workers, "bounds of hubness")
    greatest = greatest.reshape(len(rows), probes * k)
    greatest.partition(greatest.shape[1] - k, axis=1)
    bounds: Float32Array = greatest[:, -k:].mean(axis=1, dtype=np.float64).astype(np.float32)
    return bounds, greatest[:, -k].copy()


def _ends(numbers: RowNumbers, count: int) -> RowNumbers:
    """Return where the runs of 0, 1, ..., `count` - 2 end once the numbers are sorted."""
    return np.cumsum(np.bincount(numbers, minlength=count))[:-1]


# Exact hubness terms of some rows, with most cosines ruled out by an upper bound.
#
# Word vectors have most of their length in few principal directions. The cosine of two vectors is
# their product in these directions plus the product of the remainders, which is at most the
# product of the lengths of the remainders (Cauchy-Schwarz). The bound is one matrix product of
# vectors with about a third of the dimensions. The cosine itself is computed only where its bound
# exceeds the greatest cosines found so far.

ENERGY = 0.88  # share of the squared lengths that the principal directions must have
MOST_DIRECTIONS = 0.6  # share of all dimensions: with more, bounds cost as much as the cosines
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
            self._useful = self._basis.shape[1] <= MOST_DIRECTIONS * others.shape[1]
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
