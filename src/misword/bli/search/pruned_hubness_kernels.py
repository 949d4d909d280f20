"""Compiled running lists of the greatest products, where an upper bound says which can be great."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.bli.search.hubness_kernels import insert
from misword.core.compiled import compiled, reordered

LANES = 16  # bounds compared at once


@compiled
def refine(bounds, rows, others, tops, bars):
    """Bring the products of rows and others into the ascending lists `tops`.

    Only those whose bound is above the row's bar are computed. No list ends with less than its bar
    had at first, so the bar rises with the list.
    """
    width = bounds.shape[1]
    whole = width - width % LANES
    for at in range(bounds.shape[0]):
        bound, bar = bounds[at], bars[at]
        for lo in range(0, width, LANES):
            some = lo >= whole
            if not some:
                for lane in range(LANES):
                    some |= bound[lo + lane] > bar
            if some:
                for column in range(lo, min(lo + LANES, width)):
                    if bound[column] > bar:
                        value = _dot(rows[at], others[column])
                        if value > bar:
                            bar = max(bar, insert(tops[at], value))
        bars[at] = bar


@reordered
def _dot(row, other):
    total = np.float32(0)
    for at in range(len(row)):
        total += row[at] * other[at]
    return total
