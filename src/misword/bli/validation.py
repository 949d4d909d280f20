"""Hit rates during a training: a validation lexicon, or pairs held out of the training lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers, RowPairs
from misword.bli.spaces import Space, scale_to_unit
from misword.embed.vectors.neighbors import ROWS, blocks, nearest


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """A validation lexicon, on which the hit rate of a mapping is measured.

    `queries` are rows of the source, each once. `gold` has all correct pairs of rows, each encoded
    as one number: source row times size of the target, plus target row.
    """

    source: Space
    target: Space
    queries: RowNumbers
    gold: RowNumbers

    @classmethod
    def of(cls, source: Space, target: Space, pairs: RowPairs) -> Validation:
        """Make a validation from pairs of rows."""
        gold = pairs[:, 0] * len(target) + pairs[:, 1]
        return cls(source, target, np.unique(pairs[:, 0]), gold)

    def hit(self, source: Float32Array, target: Float32Array, workers: int | None = None) -> float:
        """Return hit@1: the share of queries whose nearest target is a correct translation."""
        return float(self.correct(source, target, workers).mean())

    def correct(
        self, source: Float32Array, target: Float32Array, workers: int | None = None
    ) -> NDArray[np.bool_]:
        """Return for each query whether its nearest target is a correct translation.

        `source` and `target` are the matrices of both sides; nearest is by plain cosine.
        """
        identity = np.array_equal(target, np.eye(len(target), dtype=np.float32))
        queries = self.source.rows[self.queries] @ source
        targets = self._targets(None if identity else target)
        ids, _ = nearest(queries, targets, 1, workers)
        return np.isin(self.queries * len(self.target) + ids[:, 0], self.gold)

    def _targets(self, matrix: Float32Array | None) -> Iterator[Float32Array]:
        """Yield blocks of mapped target vectors of length one; `matrix` None is the identity."""
        are_unit = matrix is None and self.target.steps[-1:] == ("unit",)
        for block in blocks(self.target.rows, ROWS):
            if not are_unit:
                block = block.copy() if matrix is None else block @ matrix
                scale_to_unit(block)
            yield block


def headword_folds(pairs: RowPairs, folds: int, seed: int) -> RowNumbers:
    """Return the fold (0, 1, ...) of each pair: random, of equal size within one source word.

    All pairs of a source word are in one fold, so that no held-out word is a training word.

    >>> headword_folds(np.array([[7, 1], [7, 2], [8, 3]]), 2, seed=0).tolist()
    [0, 0, 1]
    """
    headwords, positions = np.unique(pairs[:, 0], return_inverse=True)
    return (np.random.default_rng(seed).permutation(len(headwords)) % folds)[positions]
