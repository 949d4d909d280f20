"""Retrievers that ask the other way round: for which targets is the query a good answer?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.core.registry import options_of

BLOCK = 256


@dataclass(frozen=True, slots=True)
class InvertedSoftmax:
    """The log of the share that the query has of a target, among all source words.

    score(i, j) = beta s(i, j) - log sum_n exp(beta s(n, j)), over all source words n. A hub is near
    to everything, so no query has a great share of it.

    Known problems: Smith et al. learn `beta` on the training pairs; MUSE takes 30, the released VecMap 1.

    Reference: Smith et al. 2017, Offline bilingual word vectors, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-softmax:beta=30`
    """

    NAME: ClassVar[str] = "inverted-softmax"
    beta: float = 30.0

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = np.flatnonzero(target.any(axis=1))
        words = source[source.any(axis=1)]
        total = np.empty(len(real), np.float64)
        for lo in range(0, len(real), BLOCK):
            powers = np.exp(np.float32(self.beta) * (target[real[lo : lo + BLOCK]] @ words.T))
            total[lo : lo + BLOCK] = np.log(powers.sum(axis=1, dtype=np.float64))
        k = min(k, len(real))
        ids, found = np.empty((len(queries), k), np.int64), np.empty((len(queries), k), np.float32)
        for lo in range(0, len(queries), BLOCK):
            cut = slice(lo, lo + BLOCK)
            scores = (self.beta * (source[queries[cut]] @ target[real].T) - total).astype(
                np.float32
            )
            order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
            ids[cut], found[cut] = real[order], np.take_along_axis(scores, order, 1)
        return Neighbors(ids, found)


@dataclass(frozen=True, slots=True)
class InvertedNN:
    """The targets among whose nearest source words the query stands first.

    The rank of a query for a target is the number of source words that are nearer to that target,
    and one. Targets with the smallest rank come first, of these the ones with the greatest
    cosine. The score is 1 / rank.

    Reference: Dinu et al. 2015, Improving zero-shot learning by mitigating the hubness problem.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-nn`
    """

    NAME: ClassVar[str] = "inverted-nn"

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = np.flatnonzero(target.any(axis=1))
        k = min(k, len(real))
        ranks = np.empty((len(queries), len(real)), np.int64)
        cosines = np.empty((len(queries), len(real)), np.float32)
        some = source.any(axis=1)
        for lo in range(0, len(real), BLOCK):
            products = target[real[lo : lo + BLOCK]] @ source.T
            for at, row in enumerate(products, lo):
                cosines[:, at] = row[queries]
                order = np.sort(row[some])
                ranks[:, at] = len(order) - np.searchsorted(order, row[queries], "right")
        order = np.lexsort((-cosines, ranks), axis=1)[:, :k]
        best = np.take_along_axis(ranks, order, 1)
        return Neighbors(real[order], (1 / (best + 1.0)).astype(np.float32))
