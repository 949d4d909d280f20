"""Orthogonal Procrustes, and the linear algebra that mapping methods share.

Products, square roots and rotations are computed in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.spaces import Space, scale_to_unit
from misword.core.workers import one_blas_thread, row_blocks

PAIRS = 512  # pairs multiplied at a time
ROWS = 4096  # rows mapped at a time, the same for any number of workers: the same bits
NEGLIGIBLE = 1e-10  # an eigenvalue that is smaller than this share of the greatest is rounding


def cross_product(
    left: Float32Array, right: Float32Array, pairs: RowPairs, weights: Float64Array | None = None
) -> Float64Array:
    """Return X^T Z, where row i of X and Z are the `left` and the `right` vector of pair i.

    With `weights`, row i of X is multiplied by the weight of pair i. Blocks of pairs are multiplied
    in single precision and added in double precision: the error is about that of the vectors, which
    are rounded to single precision too.
    """
    total = np.zeros((left.shape[1], right.shape[1]))
    for lo in range(0, len(pairs), PAIRS):
        block = pairs[lo : lo + PAIRS]
        rows = left[block[:, 0]]
        if weights is not None:
            rows = rows * weights[lo : lo + PAIRS, None].astype(np.float32)
        total += rows.T @ right[block[:, 1]]
    return total


def decompose(product: Float64Array) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Return U, S, V with U S V^T = product; V is not transposed."""
    u, s, vt = np.linalg.svd(product)
    return u, s, vt.T


def nearest_orthogonal(product: Float64Array) -> Float64Array:
    """Return the orthogonal W for which X W is nearest to Z in least squares, given X^T Z.

    This is the orthogonal Procrustes problem (Schönemann 1966). It is also the orthogonal matrix
    that is nearest to `product`.
    """
    u, _, v = decompose(product)
    return u @ v.T


def rotation(source: Space, target: Space, pairs: RowPairs) -> Float32Array:
    """Return the orthogonal map that brings the sources of pairs nearest to their targets."""
    with one_blas_thread():
        product = cross_product(source.rows, target.rows, pairs)
        return nearest_orthogonal(product).astype(np.float32)


def root_powers(gram: Float64Array, *powers: float) -> tuple[Float64Array, ...]:
    """Return powers of the square root of X^T X: power 1 is the root, power -1 its inverse.

    Directions in which X has no length are left out of all powers, as in a pseudo-inverse. There
    are such directions if X has fewer rows than dimensions.
    """
    values, vectors = np.linalg.eigh(gram)
    present = values > NEGLIGIBLE * values[-1]
    lengths = np.sqrt(np.where(present, values, 1))
    return tuple((vectors * np.where(present, lengths**power, 0)) @ vectors.T for power in powers)


def times_matrix(
    rows: Float32Array, matrix: Float32Array, workers: int | None = None
) -> Float32Array:
    """Return rows times a matrix, computed in blocks on threads."""
    products = np.empty((len(rows), matrix.shape[1]), np.float32)

    def work(lo: int, hi: int) -> None:
        np.matmul(rows[lo:hi], matrix, out=products[lo:hi])

    row_blocks(work, len(rows), ROWS, workers)
    return products


def mapped_units(
    rows: Float32Array, matrix: Float32Array | None, workers: int | None = None
) -> Float32Array:
    """Return rows times a matrix (None: the identity), scaled to length one."""
    width = rows.shape[1] if matrix is None else matrix.shape[1]
    units = np.empty((len(rows), width), np.float32)

    def work(lo: int, hi: int) -> None:
        if matrix is None:
            units[lo:hi] = rows[lo:hi]
        else:
            np.matmul(rows[lo:hi], matrix, out=units[lo:hi])
        scale_to_unit(units[lo:hi])

    row_blocks(work, len(rows), ROWS, workers)
    return units


# Orthogonal Procrustes: one rotation, learnt from a lexicon.


@dataclass(frozen=True, slots=True)
class Procrustes(Method):
    """The orthogonal map that brings the lexicon's words nearest to their translations.

    It takes one singular value decomposition. It is the usual baseline, and other methods start
    from it. Similarities within each language stay as they were.

    Known problems: a rotation cannot make two spaces of different shape alike.

    Example: `misword map en.vec fr.vec --method procrustes --lexicon train.txt -o en-fr.map`

    Reference: Xing et al. 2015, Artetxe et al. 2016; Schönemann 1966 for the solution.
    """

    name: ClassVar[str] = "procrustes"
    title: ClassVar[str] = "Procrustes"
    cites: ClassVar[tuple[str, ...]] = ("xing2015", "artetxe2016", "schonemann1966")
    seeding: ClassVar[Seeding] = "lexicon"

    normalize: str = "unit+center+unit"

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity."""
        matrix = rotation(source, target, seeds)
        identity = np.eye(target.dimension, dtype=np.float32)
        run.report({"iteration": 1, "pairs": len(seeds)}, matrix, identity)
        return MappingMatrices(matrix, identity)
