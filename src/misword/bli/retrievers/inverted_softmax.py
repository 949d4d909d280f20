"""Inverted softmax: the probability of the query given the target, not of the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.retrievers import Neighbors, Retriever, RowNumbers, Scores, UnitVectors
from misword.bli.search.ranking import ranked
from misword.bli.search.tiles import with_vectors
from misword.core.errors import OptionError
from misword.core.workers import pieces

BLOCK = 128  # targets that are multiplied with all source words at a time


@dataclass(frozen=True, slots=True)
class InvertedSoftmax(Retriever):
    """The log of the query's share in a softmax over all source words, for each target.

    score(i, j) = beta s(i, j) - log sum_n exp(beta s(n, j)), where s is the cosine and n runs over
    all source words. A hub is near to very many source words, so the share of each is small.

    Known problems: the best `beta` depends on the vectors. Smith et al. learn it on the training
    pairs; MUSE uses 30, the default here; the released VecMap uses 1 (its inverse temperature),
    which hardly lowers the scores of hubs. The sum is over all source words, not over a sample.

    Reference: Smith et al. 2017, Offline bilingual word vectors, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-softmax:beta=30`
    """

    name: ClassVar[str] = "inverted-softmax"
    title: ClassVar[str] = "inverted softmax"
    cites: ClassVar[tuple[str, ...]] = ("smith2017",)

    beta: float = 30.0

    def __post_init__(self) -> None:
        if not 0 < self.beta < np.inf:
            raise OptionError(f"beta is {self.beta}", fix="use a number above 0")

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the `k` targets with the greatest score for each query."""
        target_rows = with_vectors(target)
        targets = target[target_rows]
        penalties = _log_sums(targets, source[with_vectors(source)], self.beta, workers)
        k = min(k, len(targets))
        best = ranked(source[queries], targets, penalties, k, workers=workers)
        return Neighbors(target_rows[best.ids], best.values * np.float32(self.beta))


def _log_sums(
    targets: UnitVectors, sources: UnitVectors, beta: float, workers: int | None
) -> Scores:
    """Return log sum_n exp(beta s(n, j)) / beta for each target j; 0 without source words."""
    log_sums = np.zeros(len(targets), np.float32)
    if not len(sources):
        return log_sums

    def start() -> Callable[[int], None]:
        def compute_block(number: int) -> None:
            block = slice(number * BLOCK, (number + 1) * BLOCK)
            products = targets[block] @ sources.T
            greatest = products.max(axis=1)
            products -= greatest[:, None]  # so that exp cannot overflow
            products *= np.float32(beta)
            sums = np.exp(products, out=products).sum(axis=1, dtype=np.float64)
            log_sums[block] = greatest + np.log(sums) / beta

        return compute_block

    pieces(start, -(-len(targets) // BLOCK), workers, "shares of targets")
    return log_sums
