"""Compiled lists of the greatest products, where an upper bound rules most products out."""

from __future__ import annotations

import numpy as np

from misword.bli.arrays import Float32Array
from misword.bli.search.hubness_kernels import insert
from misword.core.compiled import compiled, reordered

LANES = 16  # bounds compared at once


@compiled
def refine(
    bounds: Float32Array,
    rows: Float32Array,
    others: Float32Array,
    greatest: Float32Array,
    least: Float32Array,
) -> None:
    """Add the products of rows and others to the ascending lists `greatest`.

    `bounds` are upper bounds of the products, `least` a lower bound of the least number that each
    list ends with. A product is computed only if its bound exceeds `least`, which rises with the
    list.
    """
    width = bounds.shape[1]
    whole = width - width % LANES
    for at in range(bounds.shape[0]):
        bound, bar = bounds[at], least[at]
        for lo in range(0, width, LANES):
            exceeds = lo >= whole
            if not exceeds:
                for lane in range(LANES):
                    exceeds |= bound[lo + lane] > bar
            if exceeds:
                for column in range(lo, min(lo + LANES, width)):
                    if bound[column] > bar:
                        value = _dot(rows[at], others[column])
                        if value > bar:
                            bar = max(bar, insert(greatest[at], value))
        least[at] = bar


@reordered
def _dot(row: Float32Array, other: Float32Array) -> np.float32:
    total = np.float32(0)
    for at in range(len(row)):
        total += row[at] * other[at]
    return total
