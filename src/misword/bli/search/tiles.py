"""The dot products of all rows of two matrices, computed tile by tile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers

# A tile has up to `MOST_ROWS` rows: BLAS multiplies large tiles faster. Matrices with fewer than
# `BLOCKS` times as many rows have lower tiles, so that there is work for several cores. BLAS is
# slower if the width of a tile is a power of two.
LEAST_ROWS, MOST_ROWS, COLUMNS = 256, 1536, 2000
BLOCKS = 16


def block_rows(size: int) -> int:
    """Return the number of rows of a tile for a matrix of `size` rows.

    It does not depend on the number of threads, so that products have the same bits for any.
    """
    return min(MOST_ROWS, max(LEAST_ROWS, -(-size // BLOCKS)))


def tile_memory(rows: int) -> Float32Array:
    """Return memory for the largest tile of that many rows."""
    return np.empty(rows * COLUMNS, np.float32)


def tiles(
    rows: Float32Array, others: Float32Array, memory: Float32Array
) -> Iterator[tuple[slice, Float32Array]]:
    """Yield the products of rows with all others: columns, and their tile.

    All tiles are written to the same `memory`. The system clears new memory, so it is best reused.
    """
    for lo in range(0, len(others), COLUMNS):
        columns = slice(lo, min(lo + COLUMNS, len(others)))
        tile = memory[: len(rows) * (columns.stop - lo)].reshape(len(rows), -1)
        yield columns, np.matmul(rows, others[columns].T, out=tile)


def with_vectors(rows: Float32Array) -> RowNumbers:
    """Return the numbers of the rows that are not all zeros: the words that have a vector."""
    return np.flatnonzero(rows.any(axis=1))


def only_vectors(rows: Float32Array) -> tuple[Float32Array, RowNumbers]:
    """Return the rows that are not all zeros, and their numbers."""
    numbers = with_vectors(rows)
    kept = rows if len(numbers) == len(rows) else rows[numbers]
    return np.ascontiguousarray(kept, np.float32), numbers
