"""How close to everything a word is: the mean of its greatest cosines with the other language.

Conneau et al. (2018) take these terms off a similarity (CSLS), so that a word which is near to
everything, a hub, is not the translation of everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.embed.neighbors import blocks, nearest

Matrix = NDArray[np.float32]


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

    Where the other side has fewer than `k` vectors, the mean is over all of them.

    >>> rows = np.eye(3, dtype=np.float32)
    >>> hubness(rows, rows, 2).source.tolist()
    [0.5, 0.5, 0.5]
    """
    forward = _mean_and_best(source, target, k, workers)
    backward = _mean_and_best(target, source, k, workers)
    return Hubness(forward[0], backward[0], forward[1], backward[1])


def terms(rows: Matrix, others: Matrix, k: int, workers: int | None = None) -> Matrix:
    """The mean of the `k` greatest cosines of each of these rows with all the others."""
    return _mean_and_best(rows, others, k, workers)[0]


def _mean_and_best(
    rows: Matrix, others: Matrix, k: int, workers: int | None
) -> tuple[Matrix, Matrix]:
    mean, best = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    some = rows.any(axis=1)
    scores = nearest(rows[some], blocks(others[others.any(axis=1)]), k, workers)[1]
    if scores.shape[1]:
        mean[some] = scores.mean(axis=1, dtype=np.float64)
        best[some] = scores[:, 0]
    return mean, best
