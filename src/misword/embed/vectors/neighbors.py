"""The nearest rows of a large matrix: blocked products with a running list of the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from misword.core import kernel_thresholds
from misword.core.progress import progress
from misword.core.workers import pieces

Matrix = NDArray[np.float32]
Keys = NDArray[np.uint64]
Best = tuple[NDArray[np.int64], Matrix]

ROWS = 8192  # of targets at a time
QUERIES = 256
EMPTY = np.uint64(0xFF800000FFFFFFFF)  # the key of minus infinity
LOW, HIGH = np.uint64(0xFFFFFFFF), np.uint64(32)


def blocks(matrix: Matrix, rows: int = ROWS) -> Iterator[Matrix]:
    """A matrix in runs of rows."""
    for lo in range(0, len(matrix), rows):
        yield matrix[lo : lo + rows]


def nearest(queries: Matrix, targets: Iterable[Matrix], k: int, workers: int | None = None) -> Best:
    """The `k` rows with the greatest dot product with each query, best first.

    `targets` come in runs of rows (see `blocks`) and may be larger than memory. Returns the row
    numbers and the products; equal products are in the order of the rows. Where there are fewer
    than `k` rows, so many columns come back.

    Products are those of `QUERIES` queries with one run of targets, by one BLAS thread: the number
    of workers changes no bit. Another division may change the last bits, and so the order of
    products that are equal but for rounding.

    >>> nearest(np.eye(2, dtype=np.float32), blocks(np.eye(2, dtype=np.float32)), 1)[0].tolist()
    [[0], [1]]
    """
    queries = np.ascontiguousarray(queries, np.float32)
    best = np.full((len(queries), k), EMPTY, np.uint64)
    first = 0
    with progress("neighbours") as step:
        for block in targets:
            _look(queries, np.ascontiguousarray(block, np.float32), first, best, workers)
            first += len(block)
            step(len(block))
    best.sort(axis=1)
    return decoded(best[:, :first])


def _look(queries: Matrix, block: Matrix, first: int, best: Keys, workers: int | None) -> None:
    """Look for neighbours in one run of targets."""

    def start() -> Callable[[int], None]:
        def piece(number: int) -> None:
            cut = slice(number * QUERIES, (number + 1) * QUERIES)
            merge(queries[cut] @ block.T, first, best[cut])

        return piece

    pieces(start, -(-len(queries) // QUERIES), workers)


def merge(products: Matrix, first: int, best: Keys) -> None:
    """Bring products with rows from `first` on into the running lists of the best keys.

    After the first blocks hardly any is better than the worst of a list: one comparison decides
    for almost all. The first products are taken in steps that grow, so that there is a bar soon.
    """
    k, width = best.shape[1], products.shape[1]
    if products.size < kernel_thresholds.NEAREST_VECTORS:
        keys = np.concatenate([best, encoded(products, first)], axis=1)
        keys.partition(k - 1, axis=1)
        best[:] = keys[:, :k]
        return
    from misword.embed.vectors.neighbor_kernels import collect

    lo = 0
    while lo < width:
        hi = min(width, lo + max(256, 4 * k, 7 * (first + lo)))
        keys = np.empty((len(best), k + hi - lo), np.uint64)
        keys[:, :k] = best
        bars = decoded(best[:, -1:])[1][:, 0]
        most = collect(products[:, lo:hi], first + lo, bars, keys, k, EMPTY)
        if most > k:
            keys = keys[:, :most]
            keys.partition(k - 1, axis=1)
            best[:] = keys[:, :k]
        lo = hi


def encoded(products: Matrix, first: int) -> Keys:
    """Product and row number in one integer, so that the better pair is the smaller.

    The bits of a float, read as an integer, are in the order of the floats where these are negative
    and in reverse where they are positive, once the positive ones are turned over.
    """
    bits = (products + np.float32(0)).view(np.uint32)  # -0 becomes 0
    bits = np.where(bits < 0x80000000, bits ^ np.uint32(0x7FFFFFFF), bits)
    rows = np.arange(first, first + products.shape[1], dtype=np.uint64)
    keys: Keys = (bits.astype(np.uint64) << HIGH) | rows
    return keys


def decoded(keys: Keys) -> Best:
    """Row numbers and products."""
    bits = (keys >> HIGH).astype(np.uint32)
    bits = np.where(bits < 0x80000000, bits ^ np.uint32(0x7FFFFFFF), bits)
    return (keys & LOW).astype(np.int64), bits.view(np.float32)
