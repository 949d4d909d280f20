"""Hubness terms of CSLS: the mean cosine of a word with its nearest words of the other language.

A hub is a word that is near to very many words of the other language. CSLS subtracts the hubness
terms of both words from their cosine, so that hubs are not the best translation of every word. In
Conneau et al. 2018, section 2.3, the terms are r_T (of a source word) and r_S (of a target word).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.product_scan import scan
from misword.bli.search.tiles import only_vectors, with_vectors
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
