"""Nearest rows by numpy or, by option, by faiss or torch (which uses a GPU if there is one).

All backends are exact. They round differently, so ranks may differ where scores differ only by
rounding; only numpy gives the same bits for any number of workers.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.errors import MissingExtraError
from misword.core.workers import cores
from misword.embed.vectors.neighbors import NearestRows, blocks, nearest

Backend = Literal["numpy", "faiss", "torch"]
PACKAGES = {"faiss": "faiss-cpu", "torch": "torch"}
QUERIES = 1024  # queries that torch multiplies at a time


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
    for lo in range(0, len(queries), QUERIES):
        block = torch.from_numpy(np.array(queries[lo : lo + QUERIES])).to(device)
        best = torch.topk(block @ others, k, dim=1)
        ids[lo : lo + QUERIES] = best.indices.cpu().numpy()
        scores[lo : lo + QUERIES] = best.values.cpu().numpy()
    return ids, scores
