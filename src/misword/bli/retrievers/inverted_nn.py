"""Inverted nearest neighbour: the rank of the query among the neighbours of each target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.retrievers import Neighbors, Retriever, RowNumbers, UnitVectors
from misword.bli.search.tiles import with_vectors
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import pack_keys

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
