"""Compiled running lists of the greatest products, by row and by column of a tile."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from misword.core.compiled import compiled

LANES = 16  # products compared at once


@compiled
def update(tile, row_tops, row_bars, column_tops, column_bars):
    """Bring a tile's products into the ascending lists of its rows and columns.

    A list's bar is its least; hardly any product is above one of its two.
    """
    width = tile.shape[1]
    whole = width - width % LANES
    for at in range(tile.shape[0]):
        row, bar = tile[at], row_bars[at]
        for lo in range(0, whole, LANES):
            some = False
            for lane in range(LANES):
                value = row[lo + lane]
                some |= (value > bar) | (value > column_bars[lo + lane])
            if some:
                bar = _take(row, lo, lo + LANES, row_tops[at], bar, column_tops, column_bars)
        row_bars[at] = _take(row, whole, width, row_tops[at], bar, column_tops, column_bars)


@compiled
def _take(row, lo, hi, tops, bar, column_tops, column_bars):
    for column in range(lo, hi):
        value = row[column]
        if value > bar:
            bar = insert(tops, value)
        if value > column_bars[column]:
            column_bars[column] = insert(column_tops[column], value)
    return bar


@compiled
def insert(tops, value):
    """Put a value into an ascending list in place of the least; gives the least there is now."""
    at = 0
    while at + 1 < len(tops) and tops[at + 1] < value:
        tops[at] = tops[at + 1]
        at += 1
    tops[at] = value
    return tops[0]
