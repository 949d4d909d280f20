"""Retrievers that ask the other way round: for which targets is the query a good answer?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.bli.search.ranking import ranked
from misword.bli.search.tiles import with_vectors
from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import pack_keys

BLOCK = 128  # targets at a time, with all sources
Keys = NDArray[np.uint64]
LAST = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True)
class InvertedSoftmax:
    """The log of the share that the query has of a target, among all source words.

    score(i, j) = beta s(i, j) - log sum_n exp(beta s(n, j)), over all source words n. A hub is near
    to everything, so no query has a great share of it.

    Known problems: the best `beta` depends on the vectors. Smith et al. learn it on the training
    pairs; MUSE takes 30, the default here; the released VecMap takes 1 (its inverse temperature),
    with which hubs hardly come down. All source words are summed over, not a sample.

    Reference: Smith et al. 2017, Offline bilingual word vectors, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-softmax:beta=30`
    """

    name: ClassVar[str] = "inverted-softmax"
    beta: float = 30.0

    def __post_init__(self) -> None:
        if not 0 < self.beta < np.inf:
            raise OptionError(f"beta is {self.beta}", fix="use a number above 0")

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = with_vectors(target)
        words, targets = source[with_vectors(source)], target[real]
        shares = np.zeros(len(real), np.float32)

        def start() -> Callable[[int], None]:
            def piece(number: int) -> None:
                cut = slice(number * BLOCK, (number + 1) * BLOCK)
                products = targets[cut] @ words.T
                top = products.max(axis=1)
                products -= top[:, None]
                products *= np.float32(self.beta)
                sums = np.exp(products, out=products).sum(axis=1, dtype=np.float64)
                shares[cut] = top + np.log(sums) / self.beta

            return piece

        if len(words):
            pieces(start, -(-len(real) // BLOCK), workers, "shares of targets")
        best = ranked(source[queries], targets, shares, min(k, len(real)), workers=workers)
        return Neighbors(real[best.ids], best.values * np.float32(self.beta))


@dataclass(frozen=True, slots=True)
class InvertedNN:
    """The targets among whose nearest source words the query stands first.

    The rank of a query for a target is one more than the number of source words that are nearer
    to that target. Targets with the smallest rank come first, of these the ones with the greatest
    cosine, of equal ones the first row. The score is 1 / rank, so equal scores are in the order of
    cosines. Dinu et al. call it the globally corrected nearest neighbour and rank the query among
    the words to be translated, with or without others; here it is among all source words.

    Known problems: it sorts the products of each target with all sources, which costs more than the
    products.

    Reference: Dinu et al. 2015, Improving zero-shot learning by mitigating the hubness problem.

    Example: `misword translate en-fr.map --words words.txt --retriever inverted-nn`
    """

    name: ClassVar[str] = "inverted-nn"

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real, some = with_vectors(target), with_vectors(source)
        targets, lists = target[real], list[tuple[Keys, Rows]]()
        k = min(k, len(real))

        def start() -> Callable[[int], None]:
            best = np.full((len(queries), k), LAST), np.full((len(queries), k), len(real))
            lists.append(best)

            def piece(number: int) -> None:
                products = targets[number * BLOCK : (number + 1) * BLOCK] @ source.T
                _merge(*best, _keys(products, queries, some), number * BLOCK)

            return piece

        pieces(start, -(-len(real) // BLOCK), workers, "ranks for targets")
        keys, ids = (np.concatenate(side, axis=1) for side in zip(*lists, strict=True))
        order = np.lexsort((ids, keys), axis=1)[:, :k]
        ranks = np.take_along_axis(keys, order, 1) >> np.uint64(32)
        found = np.take_along_axis(ids, order, 1)
        return Neighbors(real[found], (1 / (ranks + 1.0)).astype(np.float32))


def _keys(products: Matrix, queries: Rows, some: Rows) -> Keys:
    """Rank and cosine of queries (rows) for targets (columns) as one integer; the least is best."""
    own = products[:, queries]
    if len(some) < products.shape[1]:
        products = products[:, some]
    products.sort(axis=1)
    places = [
        np.searchsorted(row, asked, "right") for row, asked in zip(products, own, strict=True)
    ]
    ranks = (len(some) - np.array(places).T).astype(np.uint64)
    keys: Keys = (ranks << np.uint64(32)) | (pack_keys(own.T, 0) >> np.uint64(32))
    return keys


def _merge(best: Keys, ids: Rows, keys: Keys, first: int) -> None:
    """Bring keys into the running lists; equal ones stay in the order of the rows."""
    k = best.shape[1]
    rows = np.flatnonzero((keys < best[:, -1:]).any(axis=1))
    numbers = np.broadcast_to(np.arange(first, first + keys.shape[1]), (len(rows), keys.shape[1]))
    both = np.concatenate([best[rows], keys[rows]], axis=1)
    order = np.argsort(both, axis=1, kind="stable")[:, :k]
    best[rows] = np.take_along_axis(both, order, 1)
    ids[rows] = np.take_along_axis(np.concatenate([ids[rows], numbers], axis=1), order, 1)
