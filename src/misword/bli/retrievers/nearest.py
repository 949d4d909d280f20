"""Nearest neighbours by cosine, inverted nearest neighbours, and the inverted softmax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.retrievers import Neighbors, Retriever, RowNumbers, Scores, UnitVectors
from misword.bli.search.products import with_vectors
from misword.bli.search.ranking import Backend, check_backend, nearest_by, ranked
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import pack_keys


@dataclass(frozen=True, slots=True)
class NN(Retriever):
    """The targets with the greatest cosine.

    Known problems: in a space of many dimensions some words, called hubs, are near to very many
    words, so that they are retrieved for very many queries (Dinu et al. 2015). The other retrievers
    correct this.

    `backend` is the library that multiplies the vectors: numpy, faiss or torch (see
    `bli.search.ranking`). It does not change the ranking.

    Example: `misword translate en-fr.map --words words.txt --retriever nn`
    """

    name: ClassVar[str] = "nn"
    title: ClassVar[str] = "nearest neighbour"

    backend: Backend = "numpy"

    def __post_init__(self) -> None:
        check_backend(self.backend)

    def settings(self, context: Context) -> Settings:
        """No option changes a rank: empty."""
        return ()

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the `k` targets with the greatest cosine for each query."""
        target_rows = with_vectors(target)
        ids, scores = nearest_by(self.backend, source[queries], target[target_rows], k, workers)
        return Neighbors(target_rows[ids], scores)


# Inverted nearest neighbour: the rank of the query among the neighbours of each target.

BLOCK = 128  # targets that are multiplied with all source words at a time
# Rank (upper 32 bits) and cosine (lower 32 bits) of a query for a target; the least key is best.
SortKeys = NDArray[np.uint64]
WORST_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True)
class InvertedNN(Retriever):
    """The targets for which the query has the smallest rank among all source words.

    The rank of a query for a target is one more than the number of source words that are nearer to
    that target. Targets are ordered by this rank, those with the same rank by falling cosine, those
    with the same cosine by row. The score is 1 / rank, so targets with the same score are in
    the order of their cosines. Dinu et al. call it the globally corrected nearest neighbour. They
    rank the query among the words to be translated, with or without other words; this retriever
    ranks it among all source words.

    Known problems: it sorts the products of each target with all source words, which takes longer
    than computing the products.

    Reference: Dinu et al. 2015, Improving zero-shot learning by mitigating the hubness problem.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-nn`
    """

    name: ClassVar[str] = "inverted-nn"
    title: ClassVar[str] = "inverted nearest neighbour"
    cites: ClassVar[tuple[str, ...]] = ("dinu2015",)

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the `k` targets with the smallest rank of each query."""
        target_rows, source_rows = with_vectors(target), with_vectors(source)
        targets, lists = target[target_rows], list[tuple[SortKeys, RowNumbers]]()
        k = min(k, len(targets))

        def start() -> Callable[[int], None]:
            shape = (len(queries), k)
            best_keys, best_ids = np.full(shape, WORST_KEY), np.full(shape, len(targets))
            lists.append((best_keys, best_ids))

            def rank_block(number: int) -> None:
                products = targets[number * BLOCK : (number + 1) * BLOCK] @ source.T
                keys = _sort_keys(products, queries, source_rows)
                _merge(best_keys, best_ids, keys, number * BLOCK)

            return rank_block

        pieces(start, -(-len(targets) // BLOCK), workers, "ranks for targets")
        keys, ids = (np.concatenate(arrays, axis=1) for arrays in zip(*lists, strict=True))
        order = np.lexsort((ids, keys), axis=1)[:, :k]
        ranks = np.take_along_axis(keys, order, 1) >> np.uint64(32)
        best = np.take_along_axis(ids, order, 1)
        return Neighbors(target_rows[best], (1 / (ranks + 1.0)).astype(np.float32))


def _sort_keys(
    products: NDArray[np.float32], queries: RowNumbers, source_rows: RowNumbers
) -> SortKeys:
    """Return the sort key of each query (row) for each target (column) of a block.

    `products` has a row for each target and a column for each source word; it is sorted in place.
    Ranks are among the words of `source_rows`, those with a vector.
    """
    cosines = products[:, queries]
    if len(source_rows) < products.shape[1]:
        products = products[:, source_rows]
    products.sort(axis=1)
    not_nearer = [
        np.searchsorted(row, row_cosines, "right")
        for row, row_cosines in zip(products, cosines, strict=True)
    ]
    ranks = (len(source_rows) - np.array(not_nearer).T).astype(np.uint64)
    keys: SortKeys = (ranks << np.uint64(32)) | (pack_keys(cosines.T, 0) >> np.uint64(32))
    return keys


def _merge(best_keys: SortKeys, best_ids: RowNumbers, keys: SortKeys, first_id: int) -> None:
    """Merge the keys of a block into the running best lists; equal keys stay in row order.

    The columns of `keys` are the targets `first_id`, `first_id + 1`, ...
    """
    k = best_keys.shape[1]
    rows = np.flatnonzero((keys < best_keys[:, -1:]).any(axis=1))
    shape = (len(rows), keys.shape[1])
    ids = np.broadcast_to(np.arange(first_id, first_id + keys.shape[1]), shape)
    all_keys = np.concatenate([best_keys[rows], keys[rows]], axis=1)
    all_ids = np.concatenate([best_ids[rows], ids], axis=1)
    order = np.argsort(all_keys, axis=1, kind="stable")[:, :k]
    best_keys[rows] = np.take_along_axis(all_keys, order, 1)
    best_ids[rows] = np.take_along_axis(all_ids, order, 1)


# Inverted softmax: the probability of the query, given the target.


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
