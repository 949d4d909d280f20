"""Targets ranked by cosine, or by cosine minus a penalty of each target.

The nearest rows are found by numpy or, by option, by faiss or torch (which uses a GPU if there is
one). All backends are exact. They round differently, so ranks may differ where scores differ only
by rounding; only numpy gives the same bits for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.errors import MissingExtraError
from misword.core.workers import cores, pieces
from misword.embed.vectors.neighbors import (
    EMPTY,
    QUERIES,
    ROWS,
    NearestRows,
    blocks,
    merge,
    nearest,
    unpack_keys,
)

Backend = Literal["numpy", "faiss", "torch"]
PACKAGES = {"faiss": "faiss-cpu", "torch": "torch"}
TORCH_QUERIES = 1024  # queries that torch multiplies at a time


def check_backend(backend: Backend) -> None:
    """Raise an error if a backend is not installed."""
    if backend != "numpy" and find_spec(backend) is None:
        raise MissingExtraError(
            f"backend={backend} needs the package {PACKAGES[backend]!r}",
            fix=f"pip install {PACKAGES[backend]}, or leave the option out: numpy needs no other",
        )


def nearest_by(
    backend: Backend,
    queries: Float32Array,
    targets: Float32Array,
    k: int,
    workers: int | None = None,
) -> NearestRows:
    """Return the `k` rows with the greatest products, equal ones in the order of rows.

    The result is that of `embed.vectors.neighbors.nearest`, except for rounding.
    """
    k = min(k, len(targets))
    if backend == "numpy" or not k or not len(queries):
        return nearest(queries, blocks(targets), k, workers)
    search = _faiss if backend == "faiss" else _torch
    ids, scores = search(np.ascontiguousarray(queries), np.ascontiguousarray(targets), k, workers)
    order = np.lexsort((ids, -scores), axis=1)
    return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)


def _faiss(
    queries: Float32Array, targets: Float32Array, k: int, workers: int | None
) -> tuple[RowNumbers, Float32Array]:
    """Search a flat index of inner products."""
    import faiss

    faiss.omp_set_num_threads(workers or cores())
    index = faiss.IndexFlatIP(targets.shape[1])
    index.add(targets)
    scores, ids = index.search(queries, k)
    return ids, scores


def _torch(
    queries: Float32Array, targets: Float32Array, k: int, workers: int | None
) -> tuple[RowNumbers, Float32Array]:
    """Multiply blocks of queries with all targets, on a GPU if there is one."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    ids, scores = np.empty((len(queries), k), np.int64), np.empty((len(queries), k), np.float32)
    others = torch.from_numpy(np.array(targets)).to(device).T
    for lo in range(0, len(queries), TORCH_QUERIES):
        block = torch.from_numpy(np.array(queries[lo : lo + TORCH_QUERIES])).to(device)
        best = torch.topk(block @ others, k, dim=1)
        ids[lo : lo + TORCH_QUERIES] = best.indices.cpu().numpy()
        scores[lo : lo + TORCH_QUERIES] = best.values.cpu().numpy()
    return ids, scores


# Targets ranked by cosine minus a penalty of each target (a hubness term, a normaliser).


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
