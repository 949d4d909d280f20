"""Compiled choice of the best partner in both directions, among the pairs that dropout keeps."""

from __future__ import annotations

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.pair_dropout import (
    FIRST_MULTIPLIER,
    INCREMENT,
    SECOND_MULTIPLIER,
    DropoutKeys,
)
from misword.core.compiled import compiled

LANES = 16  # products compared at once


@compiled
def update(
    tile: Float32Array,
    corner: tuple[int, int],
    penalties: tuple[Float32Array, Float32Array],
    keys: DropoutKeys,
    row_best: Float32Array,
    row_ids: RowNumbers,
    column_best: Float32Array,
    column_ids: RowNumbers,
) -> None:
    """Update the best partners of a tile's rows and columns.

    `corner` has the numbers of the tile's first row and column, `penalties` what is subtracted from
    the cosine for each row and column. The hash that decides about dropout is computed only for
    pairs that would be the best so far.
    """
    width = tile.shape[1]
    whole = width - width % LANES
    row_penalties, column_penalties = penalties
    for at in range(tile.shape[0]):
        row, penalty, best = tile[at], row_penalties[at], row_best[at]
        number = corner[0] + at
        for lo in range(0, width, LANES):
            exceeds = lo >= whole
            if not exceeds:
                for lane in range(LANES):
                    value, column = row[lo + lane], lo + lane
                    exceeds |= (value - column_penalties[column] > best) | (
                        value - penalty >= column_best[column]
                    )
            if exceeds:
                for column in range(lo, min(lo + LANES, width)):
                    other = corner[1] + column
                    score = row[column] - column_penalties[column]
                    if score > best and _kept(keys[0], number, other, keys[2]):
                        best = score
                        row_ids[at] = other
                    score = row[column] - penalty
                    if score > column_best[column] or (
                        score == column_best[column] and number < column_ids[column]
                    ):
                        if _kept(keys[1], other, number, keys[2]):
                            column_best[column] = score
                            column_ids[column] = number
        row_best[at] = best


@compiled
def _kept(key: np.uint64, own: int, other: int, limit: np.uint64) -> bool:
    """Return whether a pair is kept; the same as `pair_dropout.kept_pairs`."""
    bits = key + ((np.uint64(own) << np.uint64(32)) | np.uint64(other)) * INCREMENT
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MULTIPLIER
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MULTIPLIER
    bits = bits ^ (bits >> np.uint64(31))
    return bool((bits >> np.uint64(11)) < limit)
