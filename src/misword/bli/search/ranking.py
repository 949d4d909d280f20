"""Targets ranked by cosine minus a penalty of each target (a hubness term, a normaliser)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.workers import pieces
from misword.embed.vectors.neighbor_kernels import merge
from misword.embed.vectors.neighbors import EMPTY, QUERIES, ROWS, unpack_keys


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """For each query: its best targets, their values (cosine minus penalty), greatest cosines."""

    ids: RowNumbers
    values: Float32Array
    cosines: Float32Array


def ranked(
    queries: Float32Array,
    target: Float32Array,
    penalties: Float32Array,
    k: int,
    neighbors: int = 1,
    workers: int | None = None,
) -> Ranked:
    """Return the best `k` targets by cosine minus penalty, and the `neighbors` greatest cosines.

    Both come from the same products, in the tiles of `embed.vectors.neighbors.nearest`.
    """
    # Sort keys of the best targets by value, and by cosine alone.
    by_value = np.full((len(queries), k), EMPTY, np.uint64)
    by_cosine = np.full((len(queries), neighbors), EMPTY, np.uint64)

    def start() -> Callable[[int], None]:
        def piece(number: int) -> None:
            cut = slice(number * QUERIES, (number + 1) * QUERIES)
            for lo in range(0, len(target), ROWS):
                products = queries[cut] @ target[lo : lo + ROWS].T
                merge(products, lo, by_cosine[cut])
                products -= penalties[lo : lo + ROWS]
                merge(products, lo, by_value[cut])

        return piece

    pieces(start, -(-len(queries) // QUERIES), workers, "ranking")
    by_value.sort(axis=1)
    by_cosine.sort(axis=1)
    ids, values = unpack_keys(by_value[:, : len(target)])
    return Ranked(ids, values, unpack_keys(by_cosine[:, : len(target)])[1])


def cosines(queries: Float32Array, target: Float32Array, ids: RowNumbers) -> Float32Array:
    """Return the product of each query with each of the targets in its row of `ids`."""
    products = np.empty(ids.shape, np.float32)
    for lo in range(0, len(queries), QUERIES):
        cut = slice(lo, lo + QUERIES)
        np.einsum("qd,qtd->qt", queries[cut], target[ids[cut]], out=products[cut])
    return products
