"""Targets ranked by cosine less something of their own: a hubness, a normaliser, a bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from misword.bli.search.tiles import Matrix, Rows
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import EMPTY, QUERIES, ROWS, merge, unpack_keys


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """For each query its best targets, their values, and its own greatest plain cosines."""

    ids: Rows
    values: Matrix
    cosines: Matrix


def ranked(
    queries: Matrix,
    target: Matrix,
    less: Matrix,
    k: int,
    neighbors: int = 1,
    workers: int | None = None,
) -> Ranked:
    """The best `k` targets by cosine less `less`, and the `neighbors` greatest cosines.

    Both come from one product, in tiles as `nearest` has them.
    """
    best = np.full((len(queries), k), EMPTY, np.uint64)
    plain = np.full((len(queries), neighbors), EMPTY, np.uint64)

    def start() -> Callable[[int], None]:
        def piece(number: int) -> None:
            cut = slice(number * QUERIES, (number + 1) * QUERIES)
            for lo in range(0, len(target), ROWS):
                products = queries[cut] @ target[lo : lo + ROWS].T
                merge(products, lo, plain[cut])
                products -= less[lo : lo + ROWS]
                merge(products, lo, best[cut])

        return piece

    pieces(start, -(-len(queries) // QUERIES), workers, "ranking")
    best.sort(axis=1)
    plain.sort(axis=1)
    ids, values = unpack_keys(best[:, : len(target)])
    return Ranked(ids, values, unpack_keys(plain[:, : len(target)])[1])


def cosines(queries: Matrix, target: Matrix, ids: Rows) -> Matrix:
    """The product of each query with each of its own targets."""
    found = np.empty(ids.shape, np.float32)
    for lo in range(0, len(queries), QUERIES):
        cut = slice(lo, lo + QUERIES)
        np.einsum("qd,qtd->qt", queries[cut], target[ids[cut]], out=found[cut])
    return found
