"""The nearest rows of a large matrix: dot products by blocks, with a running list of the best.

Each candidate is one 64-bit key made of its product and its row number, such that the better
candidate has the smaller key. Sorting keys then sorts by product, and by row number where products
are equal. `unit_rows` scales rows to length one, so that products are cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress
from misword.core.workers import pieces
from misword.native.library import INTEGER, array, kernel, procedure

# Kernels.

_unit_rows = procedure(
    "misword_unit_rows", array(np.float32), INTEGER, array(np.int64), INTEGER,
    array(np.float32, out=True), array(np.bool_, out=True),
)  # fmt: skip


def unit_rows(
    matrix: NDArray[np.float32], rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return rows of a matrix scaled to length one, and which of them have a direction.

    `rows` are the numbers of the rows; without it, all are returned. A number of -1, and a row that
    is zero or not finite, gives zeros. Norms are computed in double precision.
    """
    matrix = np.ascontiguousarray(matrix, np.float32)
    if rows is None:
        rows = np.arange(len(matrix))
    rows = np.ascontiguousarray(rows, np.int64)
    if len(rows) and rows.max() >= len(matrix):
        raise ValueError(f"row numbers must be below {len(matrix)}")
    units = np.empty((len(rows), matrix.shape[1]), np.float32)
    known = np.empty(len(rows), np.bool_)
    _unit_rows(matrix, matrix.shape[1], rows, len(rows), units, known)
    return units, known


_merge_nearest = kernel(
    "misword_merge_nearest", array(np.float32), INTEGER, INTEGER, INTEGER, INTEGER,
    array(np.uint64, out=True),
)  # fmt: skip


def merge(products: NDArray[np.float32], first: int, best: NDArray[np.uint64]) -> None:
    """Merge products into the running lists of the best keys; the first column is row `first`.

    After the first blocks hardly any product is above the worst of its list, so one comparison
    decides most products. The keys are those of `pack_keys`.
    """
    queries, width = products.shape
    if len(best) != queries or first < 0 or first + width > 0xFFFFFFFF:
        raise ValueError("the products do not fit the lists, or a row number is too large")
    _merge_nearest(products, queries, width, first, best.shape[1], best)


# The search.

# Row numbers and dot products, best first: a row for each query.
NearestRows = tuple[NDArray[np.int64], NDArray[np.float32]]

ROWS = 8000  # of targets at a time; BLAS is slower if it is a power of two
QUERIES = 256
EMPTY = np.uint64(0xFF800000FFFFFFFF)  # the key of minus infinity
LOW, HIGH = np.uint64(0xFFFFFFFF), np.uint64(32)


def blocks(matrix: NDArray[np.float32], rows: int = ROWS) -> Iterator[NDArray[np.float32]]:
    """Yield a matrix in blocks of consecutive rows."""
    for lo in range(0, len(matrix), rows):
        yield matrix[lo : lo + rows]


def nearest(
    queries: NDArray[np.float32],
    targets: Iterable[NDArray[np.float32]],
    k: int,
    workers: int | None = None,
) -> NearestRows:
    """Return the `k` rows with the greatest dot product with each query, best first.

    `targets` is a sequence of blocks of rows (see `blocks`), which may be larger than memory. The
    result has the row numbers and the products; equal products are in the order of the rows. If
    there are fewer than `k` rows, the result has as many columns as there are rows.

    One BLAS thread multiplies `QUERIES` queries with one block of targets, so the result does not
    depend on the number of workers. Other sizes of blocks may change the last bits of a product,
    and so the order of products that are equal except for rounding.

    >>> nearest(np.eye(2, dtype=np.float32), blocks(np.eye(2, dtype=np.float32)), 1)[0].tolist()
    [[0], [1]]
    """
    queries = np.ascontiguousarray(queries, np.float32)
    best = np.full((len(queries), k), EMPTY, np.uint64)
    first = 0
    with progress("neighbours") as step:
        for block in targets:
            _merge_block(queries, np.ascontiguousarray(block, np.float32), first, best, workers)
            first += len(block)
            step(len(block))
    best.sort(axis=1)
    return unpack_keys(best[:, :first])


def _merge_block(
    queries: NDArray[np.float32],
    block: NDArray[np.float32],
    first: int,
    best: NDArray[np.uint64],
    workers: int | None,
) -> None:
    """Merge the products of all queries with one block of targets into the running lists."""

    def start() -> Callable[[int], None]:
        def piece(number: int) -> None:
            part = slice(number * QUERIES, (number + 1) * QUERIES)
            merge(queries[part] @ block.T, first, best[part])

        return piece

    pieces(start, -(-len(queries) // QUERIES), workers)


def pack_keys(products: NDArray[np.float32], first: int) -> NDArray[np.uint64]:
    """Return one integer for each product and its row number; the better pair is the smaller.

    The upper 32 bits are those of the product. The bits of floats, read as unsigned integers, grow
    with the absolute value: for negative floats a smaller integer is a greater float already, and
    the bits of positive floats are inverted for the same order.
    """
    bits = (products + np.float32(0)).view(np.uint32)  # -0 becomes 0
    bits = np.where(bits < 0x80000000, bits ^ np.uint32(0x7FFFFFFF), bits)
    rows = np.arange(first, first + products.shape[1], dtype=np.uint64)
    keys: NDArray[np.uint64] = (bits.astype(np.uint64) << HIGH) | rows
    return keys


def unpack_keys(keys: NDArray[np.uint64]) -> NearestRows:
    """Return the row numbers and the products of keys."""
    bits = (keys >> HIGH).astype(np.uint32)
    bits = np.where(bits < 0x80000000, bits ^ np.uint32(0x7FFFFFFF), bits)
    return (keys & LOW).astype(np.int64), bits.view(np.float32)
