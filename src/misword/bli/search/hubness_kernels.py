"""Compiled update of the lists of the greatest products, by row and by column of a tile."""

from __future__ import annotations

import numpy as np

from misword.bli.arrays import Float32Array
from misword.core.compiled import compiled

LANES = 16  # products compared at once


@compiled
def update(
    tile: Float32Array,
    row_lists: Float32Array,
    row_least: Float32Array,
    column_lists: Float32Array,
    column_least: Float32Array,
) -> None:
    """Add a tile's products to the ascending lists of its rows and columns.

    `row_least` and `column_least` have the least number of each list. After the first tiles hardly
    any product exceeds one of them, so groups of `LANES` products are compared first.
    """
    width = tile.shape[1]
    whole = width - width % LANES
    for at in range(tile.shape[0]):
        row, least = tile[at], row_least[at]
        for lo in range(0, whole, LANES):
            exceeds = False
            for lane in range(LANES):
                value = row[lo + lane]
                exceeds |= (value > least) | (value > column_least[lo + lane])
            if exceeds:
                hi = lo + LANES
                least = _take(row, lo, hi, row_lists[at], least, column_lists, column_least)
        row_least[at] = _take(row, whole, width, row_lists[at], least, column_lists, column_least)


@compiled
def _take(
    row: Float32Array,
    lo: int,
    hi: int,
    row_list: Float32Array,
    least: np.float32,
    column_lists: Float32Array,
    column_least: Float32Array,
) -> np.float32:
    """Add the products `row[lo:hi]` to the lists; returns the least number of the row's list."""
    for column in range(lo, hi):
        value = row[column]
        if value > least:
            least = insert(row_list, value)
        if value > column_least[column]:
            column_least[column] = insert(column_lists[column], value)
    return least


@compiled
def insert(ascending: Float32Array, value: np.float32) -> np.float32:
    """Put a value into an ascending list in place of the least; returns the least after that."""
    at = 0
    while at + 1 < len(ascending) and ascending[at + 1] < value:
        ascending[at] = ascending[at + 1]
        at += 1
    ascending[at] = value
    least: np.float32 = ascending[0]
    return least
