"""RCSLS (Joulin et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowNumbers, RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, State, TrainingRun
from misword.bli.methods.procrustes import cross_product, rotation
from misword.bli.search.products import with_vectors
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import check_at_least
from misword.core.workers import one_blas_thread
from misword.embed.vectors.neighbors import blocks, nearest

# The relaxed CSLS loss of Joulin et al. 2018, and its gradient.
#
#     f(W) = 1/n sum over pairs (x, y) of
#            - 2 xW.y + mean over N(xW) of xW.t + mean over N(y) of sW.y
#
# N(xW) are the targets t nearest to xW, N(y) are the sources s whose images sW are nearest to y,
# both by dot product. The neighbours are searched again for each W; the gradient takes them as
# constant.

BLOCK = 1024  # rows at a time whose neighbours are averaged


@dataclass(frozen=True, slots=True, eq=False)
class LossAndGradient:
    """The loss at a matrix, and its gradient there."""

    value: float
    gradient: Float64Array


class RelaxedCSLS:
    """The loss over some pairs, with the first `negatives` words of both sides as neighbours.

    The neighbours of a word with several translations are searched once.
    """

    def __init__(
        self,
        source: Float32Array,
        target: Float32Array,
        pairs: RowPairs,
        neighbors: int,
        negatives: int,
        workers: int | None = None,
    ) -> None:
        self.neighbors, self.workers, self.pairs = neighbors, workers, pairs
        self.near_source = _rows_with_vectors(source[:negatives])
        self.near_target = _rows_with_vectors(target[:negatives])
        (sources, source_of_pair), (targets, target_of_pair) = (
            np.unique(column, return_inverse=True) for column in pairs.T
        )
        self.sources, self.targets = source[sources], target[targets]
        # The number of pairs of each source word and of each target word, as columns.
        self.pair_counts = [np.bincount(of)[:, None] for of in (source_of_pair, target_of_pair)]
        with one_blas_thread():
            self.product = cross_product(source, target, pairs)  # X^T Y, which W does not change

    def at(self, matrix: Float64Array) -> LossAndGradient:
        """Compute the loss and its gradient at a matrix."""
        source_counts, target_counts = self.pair_counts
        with one_blas_thread():
            single = matrix.astype(np.float32)
            images = self.sources @ single
            target_ids, target_products = nearest(
                images, blocks(self.near_target), self.neighbors, self.workers
            )
            source_ids, source_products = nearest(
                self.targets, self._source_images(single), self.neighbors, self.workers
            )
            target_means = _neighbor_means(self.near_target, target_ids)
            source_means = _neighbor_means(self.near_source, source_ids)
            near = (source_counts * self.sources).T @ target_means
            near += source_means.T @ (target_counts * self.targets)
        hubness = sum(
            float(products.mean(axis=1, dtype=np.float64) @ counts[:, 0])
            for products, counts in (
                (target_products, source_counts),
                (source_products, target_counts),
            )
        )
        similarity = float(np.vdot(matrix, self.product))  # sum of xW.y over the pairs
        gradient = (near - 2 * self.product) / len(self.pairs)
        return LossAndGradient((hubness - 2 * similarity) / len(self.pairs), gradient)

    def _source_images(self, matrix: Float32Array) -> Iterator[Float32Array]:
        """Yield the images of the sources that may be neighbours, in blocks to save memory."""
        for block in blocks(self.near_source):
            yield block @ matrix


def clip_singular_values(matrix: Float64Array) -> Float64Array:
    """Return the nearest matrix whose singular values are at most 1."""
    u, singular, vt = np.linalg.svd(matrix)
    clipped: Float64Array = (u * np.minimum(singular, 1)) @ vt
    return clipped


def _rows_with_vectors(rows: Float32Array) -> Float32Array:
    """Return the rows of words that have a vector; they are not copied if all words have one."""
    present = with_vectors(rows)
    return rows if len(present) == len(rows) else rows[present]


def _neighbor_means(rows: Float32Array, ids: RowNumbers) -> Float64Array:
    """Return the mean of the vectors whose numbers are in each row of `ids`."""
    means = np.empty((len(ids), rows.shape[1]))
    for lo in range(0, len(ids), BLOCK):
        means[lo : lo + BLOCK] = rows[ids[lo : lo + BLOCK]].mean(axis=1, dtype=np.float64)
    return means


# RCSLS: gradient descent on a relaxation of the CSLS retrieval criterion.


@dataclass(frozen=True, slots=True)
class RCSLS(Method):
    """Procrustes, then gradient descent on the relaxed CSLS loss of the lexicon's pairs.

    The loss of a pair is the mean product of its mapped source with the `neighbors` nearest
    targets, plus that of its target with the nearest mapped sources, minus twice the product of
    the two. Neighbours are searched among the first `negatives` words of each language. Each of
    the `updates` takes a step of size `rate`, the learning rate, along the gradient over all pairs.
    If a step makes the loss greater, it is undone and the learning rate is halved.

    `spectral` clips the singular values of the matrix to [0, 1] after each step: a projection onto
    a convex set. Without it the matrix has no constraint, and similarities within the source
    language change.

    Known problems: a great `rate` overshoots on small vocabularies (the released example uses 25);
    with few pairs it overfits: there `muse-s` or `vecmap-s` is better.

    Example: `misword map en.vec fr.vec --method rcsls --lexicon train.txt -o en-fr.map`

    Reference: Joulin et al. 2018, Loss in Translation: Learning Bilingual Word Mapping with a
    Retrieval Criterion, EMNLP.
    """

    name: ClassVar[str] = "rcsls"
    title: ClassVar[str] = "RCSLS"
    cites: ClassVar[tuple[str, ...]] = ("joulin2018",)
    seeding: ClassVar[Seeding] = "lexicon"

    updates: int = 10
    rate: float = 1.0
    neighbors: int = 10
    negatives: int = 200_000
    spectral: bool = False
    normalize: str = "unit"

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range."""
        Method.check(self, context)
        check_at_least(self, updates=0, neighbors=1, negatives=1)
        if not (isfinite(self.rate) and self.rate > 0):
            raise OptionError(f"rate is {self.rate}", fix="use a number above 0, such as 1")

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Move the source; the matrix of the target is the identity."""
        loss = RelaxedCSLS(
            source.rows, target.rows, seeds, self.neighbors, self.negatives, run.workers
        )
        identity = np.eye(target.dimension, dtype=np.float32)
        first = rotation(source, target, seeds).astype(np.float64)
        state = run.saved_state() or {"update": -1, "rate": self.rate, "matrix": first}
        current = loss.at(state["matrix"])
        while state["update"] < self.updates:
            state, current, tried = self._update(state, current, loss)
            run.report(
                {
                    "iteration": state["update"],
                    "pairs": len(seeds),
                    "objective": current.value,
                    "tried": tried,
                    "rate": state["rate"],
                },
                state["matrix"].astype(np.float32),
                identity,
            )
            run.save(state)
        return MappingMatrices(state["matrix"].astype(np.float32), identity)

    def _update(
        self, state: State, current: LossAndGradient, loss: RelaxedCSLS
    ) -> tuple[State, LossAndGradient, float]:
        """Try one gradient step; returns the next state, its loss, and the loss of the tried step.

        Update 0 only reports the start. A step that makes the loss greater is not taken.
        """
        update, learning_rate = state["update"] + 1, state["rate"]
        if update == 0:
            return {**state, "update": 0}, current, current.value
        matrix = state["matrix"] - learning_rate * current.gradient
        if self.spectral:
            matrix = clip_singular_values(matrix)
        tried = loss.at(matrix)
        if tried.value > current.value:
            return {**state, "update": update, "rate": learning_rate / 2}, current, tried.value
        return {**state, "update": update, "matrix": matrix}, tried, tried.value
