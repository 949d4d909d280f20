"""The nearest rows of a large matrix: blocked products with a running list of the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Best = tuple[NDArray[np.int64], Matrix]

ROWS = 8192  # of targets at a time
QUERIES = 1024


def blocks(matrix: Matrix, rows: int = ROWS) -> Iterator[Matrix]:
    """A matrix in runs of rows."""
    for lo in range(0, len(matrix), rows):
        yield matrix[lo : lo + rows]


def nearest(queries: Matrix, targets: Iterable[Matrix], k: int, workers: int | None = None) -> Best:
    """The `k` rows with the greatest dot product with each query, best first.

    `targets` come in runs of rows (see `blocks`) and may be larger than memory. Returns the row
    numbers and the products; equal products are in the order of the rows. Where there are fewer
    than `k` rows, so many columns come back.

    >>> nearest(np.eye(2, dtype=np.float32), blocks(np.eye(2, dtype=np.float32)), 1)[0].tolist()
    [[0], [1]]
    """
    queries = np.ascontiguousarray(queries, np.float32)
    ids = np.full((len(queries), k), -1, np.int64)
    scores = np.full((len(queries), k), -np.inf, np.float32)
    first = 0
    for block in targets:
        block = np.ascontiguousarray(block, np.float32)
        for lo in range(0, len(queries), QUERIES):
            cut = slice(lo, lo + QUERIES)
            _merge(queries[cut] @ block.T, first, ids[cut], scores[cut])
        first += len(block)
    return ids[:, :first], scores[:, :first]


def _merge(products: Matrix, first: int, ids: NDArray[np.int64], scores: Matrix) -> None:
    """Bring what is better than the worst of the running list into it.

    After the first blocks hardly anything is: one comparison decides for almost all products.
    """
    k, width = scores.shape[1], products.shape[1]
    bar = scores[:, -1].copy()
    if first == 0 and width > k:  # no bar yet: find one, or everything would be sorted
        bar = np.nextafter(np.partition(products, width - k, axis=1)[:, width - k], -np.inf)
    rows, columns = np.nonzero(products > bar[:, None])
    if not len(rows):
        return
    touched, row = np.unique(rows, return_inverse=True)
    all_rows = np.concatenate([np.repeat(np.arange(len(touched)), k), row])
    all_scores = np.concatenate([scores[touched].ravel(), products[rows, columns]])
    all_ids = np.concatenate([ids[touched].ravel(), columns + first])
    order = np.lexsort((all_ids, -all_scores, all_rows))
    starts = np.searchsorted(all_rows[order], np.arange(len(touched)))
    best = order[starts[:, None] + np.arange(k)]
    ids[touched], scores[touched] = all_ids[best], all_scores[best]
