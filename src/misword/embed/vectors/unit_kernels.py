"""Scaling of rows to length one by a compiled kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, array, procedure

_unit_rows = procedure(
    "misword_unit_rows", array(np.float32), INTEGER, array(np.int64), INTEGER,
    array(np.float32, out=True), array(np.bool_, out=True),
)  # fmt: skip


def unit_rows(
    matrix: NDArray[np.float32], rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return rows of a matrix scaled to length one, and which of them have a direction.

    `rows` are the numbers of the rows; without it, all are returned. A number of -1, and a row that
    is zero or not finite, gives zeros. Norms are computed in double precision.
    """
    matrix = np.ascontiguousarray(matrix, np.float32)
    if rows is None:
        rows = np.arange(len(matrix))
    rows = np.ascontiguousarray(rows, np.int64)
    if len(rows) and rows.max() >= len(matrix):
        raise ValueError(f"row numbers must be below {len(matrix)}")
    units = np.empty((len(rows), matrix.shape[1]), np.float32)
    known = np.empty(len(rows), np.bool_)
    _unit_rows(matrix, matrix.shape[1], rows, len(rows), units, known)
    return units, known
