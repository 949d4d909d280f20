"""Small matrices in double precision: products over pairs, roots, orthogonal maps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Square = NDArray[np.float64]
Pairs = NDArray[np.int64]

BLOCK = 4096  # pairs at a time
NOTHING = 1e-10  # an eigenvalue this small beside the greatest is rounding


def cross(left: Matrix, right: Matrix, pairs: Pairs) -> Square:
    """Sum over pairs of rows of the products of their components: X^T Z in double precision."""
    total = np.zeros((left.shape[1], right.shape[1]))
    for lo in range(0, len(pairs), BLOCK):
        some = pairs[lo : lo + BLOCK]
        total += left[some[:, 0]].astype(np.float64).T @ right[some[:, 1]].astype(np.float64)
    return total


def decompose(product: Square) -> tuple[Square, NDArray[np.float64], Square]:
    """U, S, V with U S V^T = product; V is not transposed."""
    u, s, vt = np.linalg.svd(product)
    return u, s, vt.T


def orthogonal(product: Square) -> Square:
    """The orthogonal W that brings X nearest to Z in least squares, of X^T Z (Schönemann 1966)."""
    u, _, v = decompose(product)
    return u @ v.T


def roots(gram: Square) -> tuple[Square, Square]:
    """The inverse square root and the square root of X^T X.

    Directions in which X has nothing are out in both: a pseudo-inverse. There are some where there
    are fewer rows than dimensions.
    """
    values, vectors = np.linalg.eigh(gram)
    there = values > NOTHING * values[-1]
    sizes = np.sqrt(np.where(there, values, 1))
    inverse, root = np.where(there, 1 / sizes, 0), np.where(there, sizes, 0)
    return (vectors * inverse) @ vectors.T, (vectors * root) @ vectors.T
