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
from misword.bli.search.tiles import ProductTiles, with_vectors
from misword.core import kernel_thresholds
from misword.embed.vectors.neighbors import blocks, nearest


@dataclass(frozen=True, slots=True, eq=False)
class Hubness:
    """For each row of both sides its hubness term, and its greatest cosine.

    A row of zeros (a word without a vector) has 0 for both, and is no neighbour of any word.
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
    source_rows, target_rows = with_vectors(source), with_vectors(target)
    terms = hubness_of_tiles(ProductTiles(source[source_rows], target[target_rows]), k, workers)
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


def hubness_of_tiles(products: ProductTiles, k: int, workers: int | None = None) -> Hubness:
    """Compute the terms of both sides from their products; neither side has a row of zeros.

    A thread has all tiles of a block of rows, but only some tiles of a column. So each row has one
    list of its `k` greatest cosines; each column has one in each thread, and they are merged.
    """
    size = len(products.source), len(products.target)
    row_lists = np.full((size[0], k), -np.inf, np.float32)
    column_lists: list[Float32Array] = []
    large = size[0] * size[1] >= kernel_thresholds.HUBNESS
    update = _compiled_update() if large else _update

    def start() -> Callable[[int], None]:
        own_columns = np.full((size[1], k), -np.inf, np.float32)
        column_least = np.full(size[1], -np.inf, np.float32)
        column_lists.append(own_columns)

        def piece(block: int) -> None:
            own_rows = row_lists[products.rows(block)]
            row_least = own_rows[:, 0].copy()
            for columns, tile in products.tiles(block):
                update(tile, own_rows, row_least, own_columns[columns], column_least[columns])

        return piece

    products.process(start, workers)
    rows = _greatest([row_lists], min(k, size[1]))
    columns = _greatest(column_lists, min(k, size[0]))
    return Hubness(
        row_means(rows), row_means(columns), row_means(rows[:, :1]), row_means(columns[:, :1])
    )


def _update(
    tile: Float32Array,
    row_lists: Float32Array,
    row_least: Float32Array,
    column_lists: Float32Array,
    column_least: Float32Array,
) -> None:
    """Add a tile's products to the lists of the greatest of its rows and columns."""
    for lists, least, products in (
        (row_lists, row_least, tile),
        (column_lists, column_least, tile.T),
    ):
        k = lists.shape[1]
        lists[:] = np.partition(np.concatenate([lists, products], axis=1), -k, axis=1)[:, -k:]
        least[:] = lists[:, 0]


def _compiled_update() -> Callable[..., None]:
    from misword.bli.search.hubness_kernels import update

    return update


def _greatest(lists: list[Float32Array], count: int) -> Float32Array:
    """Return the `count` greatest numbers of each row over several lists, greatest first."""
    return np.sort(np.concatenate(lists, axis=1), axis=1)[:, ::-1][:, :count]


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
