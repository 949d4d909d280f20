"""The products of all rows of two matrices, tile by tile, on all cores; as many as fit are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from misword.core.workers import pieces

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

ROWS, COLUMNS = 512, 2048  # of a tile: it stays in the cache until it has been looked at


class Store:
    """Memory for products that are kept, for one run after the other.

    The system clears a gigabyte before it hands it out, which costs as much as half the products.
    """

    def __init__(self) -> None:
        self._held = np.empty(0, np.float32)

    def take(self, size: int) -> Matrix:
        """Room for so many; what was there is overwritten."""
        if len(self._held) < size:
            self._held = np.empty(size, np.float32)
        return self._held[:size]


class Products:
    """Dot products of the rows of `source` with those of `target`, in tiles of a fixed shape.

    A block is a run of `ROWS` rows of the source. The products of the first blocks, as many as
    `memory` bytes hold, are kept for a second look; the others are computed again, by the
    same division and so to the same bits.
    """

    def __init__(
        self, source: Matrix, target: Matrix, memory: int = 0, store: Store | None = None
    ) -> None:
        self.source = np.ascontiguousarray(source, np.float32)
        self.target = np.ascontiguousarray(target, np.float32)
        self.blocks = -(-len(source) // ROWS)
        self.kept = min(self.blocks, memory // max(1, ROWS * len(target) * 4))
        size = min(self.kept * ROWS, len(source)) * len(target)
        self._store = (store or Store()).take(size)
        self._seen = np.zeros(self.blocks, np.bool_)

    def rows(self, block: int) -> slice:
        """The rows of the source that a block has."""
        return slice(block * ROWS, min((block + 1) * ROWS, len(self.source)))

    def tiles(self, block: int) -> Iterator[tuple[slice, Matrix]]:
        """The tiles of a block from left to right: which rows of the target, and the products."""
        rows = self.source[self.rows(block)]
        scratch = np.empty(0 if block < self.kept else len(rows) * COLUMNS, np.float32)
        at = block * ROWS * len(self.target)
        for lo in range(0, len(self.target), COLUMNS):
            columns = slice(lo, min(lo + COLUMNS, len(self.target)))
            size = len(rows) * (columns.stop - lo)
            tile = self._store[at : at + size] if block < self.kept else scratch[:size]
            at, tile = at + size, tile.reshape(len(rows), -1)
            if not self._seen[block]:
                np.matmul(rows, self.target[columns].T, out=tile)
            yield columns, tile
        self._seen[block] = block < self.kept

    def each(self, start: Callable[[], Callable[[int], None]], workers: int | None = None) -> None:
        """Look at all blocks, side by side (see `workers.pieces`)."""
        pieces(start, self.blocks, workers)


def with_vectors(rows: Matrix) -> Rows:
    """The numbers of the rows that are not zero: the words that have a vector."""
    return np.flatnonzero(rows.any(axis=1))
