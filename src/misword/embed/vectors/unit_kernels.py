"""Compiled scaling of many rows to length one. Imported only where there are many."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled


@compiled
def scale_rows(matrix, rows, places, units):
    """Rows `rows` of `matrix` at length one into `places` of `units`.

    The norm is summed from left to right, as `words.unit_rows` does it, so both round alike.
    """
    for at in range(len(rows)):
        row, place = rows[at], places[at]
        total = 0.0
        for k in range(matrix.shape[1]):
            value = np.float64(matrix[row, k])
            total += value * value
        norm = np.sqrt(total)
        if norm > 0.0 and norm < np.inf:
            for k in range(matrix.shape[1]):
                units[place, k] = np.float32(np.float64(matrix[row, k]) / norm)
