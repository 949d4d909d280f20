"""The dot products of all rows of two matrices, computed tile by tile on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.workers import pieces

ROWS, COLUMNS = 512, 2048  # of a tile: it stays in the processor's cache while it is processed


class TileMemory:
    """Memory for stored products, reused by repeated computations.

    Pass the same `TileMemory` to repeated calls: the operating system clears new memory, which for
    a gigabyte takes half as long as computing the products.
    """

    def __init__(self) -> None:
        self._buffer = np.empty(0, np.float32)

    def take(self, size: int) -> Float32Array:
        """Return an array of `size` numbers; it overwrites what an earlier call returned."""
        if len(self._buffer) < size:
            self._buffer = np.empty(size, np.float32)
        return self._buffer[:size]


class ProductTiles:
    """Dot products of the rows of `source` with those of `target`, in tiles of a fixed shape.

    A block is a run of `ROWS` rows of the source. The products of the first blocks, as many as
    `memory` bytes hold, are stored when they are first computed. The products of the other blocks
    are computed each time, in the same tiles and so to the same bits.
    """

    def __init__(
        self,
        source: Float32Array,
        target: Float32Array,
        memory: int = 0,
        tile_memory: TileMemory | None = None,
    ) -> None:
        self.source = np.ascontiguousarray(source, np.float32)
        self.target = np.ascontiguousarray(target, np.float32)
        self.block_count = -(-len(source) // ROWS)
        self.stored_blocks = min(self.block_count, memory // max(1, ROWS * len(target) * 4))
        size = min(self.stored_blocks * ROWS, len(source)) * len(target)
        self._stored = (tile_memory or TileMemory()).take(size)
        self._computed = np.zeros(self.block_count, np.bool_)

    def rows(self, block: int) -> slice:
        """Return which rows of the source a block has."""
        return slice(block * ROWS, min((block + 1) * ROWS, len(self.source)))

    def tiles(self, block: int) -> Iterator[tuple[slice, Float32Array]]:
        """Yield the tiles of a block from left to right: rows of the target, and the products."""
        rows, stored = self.source[self.rows(block)], block < self.stored_blocks
        scratch = np.empty(0 if stored else len(rows) * COLUMNS, np.float32)
        at = block * ROWS * len(self.target)
        for lo in range(0, len(self.target), COLUMNS):
            columns = slice(lo, min(lo + COLUMNS, len(self.target)))
            size = len(rows) * (columns.stop - lo)
            tile = self._stored[at : at + size] if stored else scratch[:size]
            at, tile = at + size, tile.reshape(len(rows), -1)
            if not self._computed[block]:
                np.matmul(rows, self.target[columns].T, out=tile)
            yield columns, tile
        self._computed[block] = stored

    def process(
        self, start: Callable[[], Callable[[int], None]], workers: int | None = None
    ) -> None:
        """Process all blocks on threads; `start` is that of `core.workers.pieces`."""
        pieces(start, self.block_count, workers)


def with_vectors(rows: Float32Array) -> RowNumbers:
    """Return the numbers of the rows that are not all zeros: the words that have a vector."""
    return np.flatnonzero(rows.any(axis=1))
