"""How close to everything a word is: the mean of its greatest cosines with the other language.

Conneau et al. (2018) take these terms off a similarity (CSLS), so that a word which is near to
everything, a hub, is not the translation of everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.search.tiles import Matrix, Products, with_vectors
from misword.embed.vectors.neighbors import blocks, nearest

KERNEL_FROM = 1 << 20  # products from which compiled code is worth loading


@dataclass(frozen=True, slots=True, eq=False)
class Hubness:
    """For each row of both sides the mean of its greatest cosines, and the greatest one.

    A row of zeros (a word without a vector) has 0 for both, and is nobody's neighbour.
    """

    source: Matrix
    target: Matrix
    best_source: Matrix
    best_target: Matrix


def hubness(source: Matrix, target: Matrix, k: int, workers: int | None = None) -> Hubness:
    """The terms of all rows of both sides: the mean of the `k` greatest cosines.

    Where the other side has fewer than `k` vectors, the mean is over all of them. Each product is
    computed once, for both sides, and looked at while it is in the cache.

    >>> rows = np.eye(3, dtype=np.float32)
    >>> hubness(rows, rows, 2).source.tolist()
    [0.5, 0.5, 0.5]
    """
    real = with_vectors(source), with_vectors(target)
    found = of_products(Products(source[real[0]], target[real[1]]), k, workers)
    return Hubness(
        _spread(found.source, real[0], len(source)),
        _spread(found.target, real[1], len(target)),
        _spread(found.best_source, real[0], len(source)),
        _spread(found.best_target, real[1], len(target)),
    )


def terms(rows: Matrix, others: Matrix, k: int, workers: int | None = None) -> Matrix:
    """The mean of the `k` greatest cosines of each of these rows with all the others."""
    real = with_vectors(rows)
    targets = blocks(others[with_vectors(others)])
    scores = nearest(rows[real], targets, k, workers)[1]
    return _spread(mean(scores), real, len(rows))


def of_products(products: Products, k: int, workers: int | None = None) -> Hubness:
    """The terms of all rows of both sides of a product without rows of zeros."""
    size = len(products.source), len(products.target)
    tops = np.full((size[0], k), -np.inf, np.float32)
    lists: list[Matrix] = []
    update = _update if size[0] * size[1] < KERNEL_FROM else _compiled()

    def start() -> Callable[[int], None]:
        below = np.full((size[1], k), -np.inf, np.float32)
        bars = np.full(size[1], -np.inf, np.float32)
        lists.append(below)

        def piece(block: int) -> None:
            own = tops[products.rows(block)]
            own_bars = own[:, 0].copy()
            for columns, tile in products.tiles(block):
                update(tile, own, own_bars, below[columns], bars[columns])

        return piece

    products.each(start, workers)
    rows = _falling([tops], min(k, size[1]))
    columns = _falling(lists, min(k, size[0]))
    return Hubness(mean(rows), mean(columns), mean(rows[:, :1]), mean(columns[:, :1]))


def _update(
    tile: Matrix, row_tops: Matrix, row_bars: Matrix, column_tops: Matrix, column_bars: Matrix
) -> None:
    """Bring a tile's products into the lists of its rows and columns."""
    for tops, bars, products in ((row_tops, row_bars, tile), (column_tops, column_bars, tile.T)):
        k = tops.shape[1]
        tops[:] = np.partition(np.concatenate([tops, products], axis=1), -k, axis=1)[:, -k:]
        bars[:] = tops[:, 0]


def _compiled() -> Callable[..., None]:
    from misword.bli.search.hubness_kernels import update

    return update


def _falling(lists: list[Matrix], most: int) -> Matrix:
    """So many of each row's lists, the greatest first."""
    return np.sort(np.concatenate(lists, axis=1), axis=1)[:, ::-1][:, :most]


def mean(scores: Matrix) -> Matrix:
    """The mean of each row; 0 where there is nothing."""
    if not scores.shape[1]:
        return np.zeros(len(scores), np.float32)
    means: Matrix = np.ascontiguousarray(scores).mean(axis=1, dtype=np.float64).astype(np.float32)
    return means


def _spread(values: Matrix, rows: NDArray[np.int64], size: int) -> Matrix:
    """Values at their rows, 0 elsewhere."""
    spread = np.zeros(size, np.float32)
    spread[rows] = values
    return spread
