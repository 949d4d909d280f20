"""Principal directions of a set of vectors, and their removal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.workers import one_blas_thread

# A row or a singular value below this share of the whole is a rounding error.
ROUNDING = 1e-6


def principal_directions(
    products: NDArray[np.float64], number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the first right singular vectors of rows (not centred) and their singular values.

    `products` is the sum of the outer products of the rows with themselves, whose eigenvectors are
    the directions. Directions whose singular value is zero are left out.
    """
    with one_blas_thread():
        squares, directions = np.linalg.eigh(products)
    singular = np.sqrt(np.maximum(squares[::-1][:number], 0))
    nonzero = singular > ROUNDING * singular.max(initial=0)
    return directions.T[::-1][:number][nonzero], singular[nonzero]


def remove_directions(
    rows: NDArray[np.float64], directions: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Subtract from each row its projection on the directions, multiplied by their `shares`."""
    residuals = np.asarray(rows - (rows @ directions.T * shares) @ directions)
    # The residual of a row that lies in the directions is a rounding error in a random direction.
    lengths = np.linalg.norm(residuals, axis=1)
    residuals[lengths < ROUNDING * np.linalg.norm(rows, axis=1)] = 0
    return residuals
