"""Compiled scaling of rows to length one. Imported for large matrices only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled


@compiled
def scale_rows(
    matrix: NDArray[np.float32],
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
    units: NDArray[np.float32],
) -> None:
    """Write rows `rows` of `matrix`, scaled to length one, to rows `places` of `units`.

    The squares are added from left to right as in `words.unit_rows`, so both round equally.
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
