"""Compiled choice of the best partner in both directions, among the pairs that a coin keeps."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled

LANES = 16  # products compared at once
GOLDEN, FIRST, SECOND = (
    np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
)  # fmt: skip


@compiled
def choose(tile, corner, offs, coins, row_best, row_ids, column_best, column_ids):
    """Bring a tile's products into the best so far of its rows and columns.

    `corner` has the numbers of the tile's first row and column, `offs` what is taken off the score
    for each row and column, `coins` the keys of both directions and the limit. A coin is tossed
    only for a pair that would be the best so far: the others need none.
    """
    width = tile.shape[1]
    whole = width - width % LANES
    row_offs, column_offs = offs
    for at in range(tile.shape[0]):
        row, off, best = tile[at], row_offs[at], row_best[at]
        number = corner[0] + at
        for lo in range(0, width, LANES):
            some = lo >= whole
            if not some:
                for lane in range(LANES):
                    value, column = row[lo + lane], lo + lane
                    some |= (value - column_offs[column] > best) | (
                        value - off >= column_best[column]
                    )
            if some:
                for column in range(lo, min(lo + LANES, width)):
                    other = corner[1] + column
                    score = row[column] - column_offs[column]
                    if score > best and _kept(coins[0], number, other, coins[2]):
                        best = score
                        row_ids[at] = other
                    score = row[column] - off
                    if score > column_best[column] or (
                        score == column_best[column] and number < column_ids[column]
                    ):
                        if _kept(coins[1], other, number, coins[2]):
                            column_best[column] = score
                            column_ids[column] = number
        row_best[at] = best


@compiled
def _kept(key, own, other, limit):
    """As `induction.kept`."""
    bits = key + ((np.uint64(own) << np.uint64(32)) | np.uint64(other)) * GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    bits = bits ^ (bits >> np.uint64(31))
    return (bits >> np.uint64(11)) < limit
