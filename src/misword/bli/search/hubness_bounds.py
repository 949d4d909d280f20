"""Lower bounds of hubness terms, from a part of the other vocabulary."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import nearest

PROBES = 4  # clusters searched for each word
VISITS = 4096  # words that search one cluster at a time


def lower_bounds(
    rows: Float32Array, others: Float32Array, k: int, workers: int | None = None
) -> tuple[Float32Array, Float32Array]:
    """Return lower bounds of each row's hubness term, and of its k-th greatest cosine.

    The mean of the `k` greatest cosines over a subset of the other words is a lower bound of the
    mean over all of them. The subset of a row is the `PROBES` clusters with the nearest centres.
    The centres are every sqrt(n)-th row of `others`, which are in the order of their frequency.
    The cluster of a centre has the rows that are nearer to it than to other centres. Both bounds
    are minus infinity where the clusters have fewer than `k` rows.
    """
    centres = others[:: max(1, int(np.sqrt(len(others))))]
    probes = min(PROBES, len(centres))
    cluster_of = nearest(others, [centres], 1, workers)[0][:, 0]
    members = np.split(np.argsort(cluster_of, kind="stable"), _ends(cluster_of, len(centres)))
    probed = nearest(rows, [centres], probes, workers)[0].ravel()
    # Entry v of a cluster's visits: row v // probes searches this cluster.
    visits = np.split(np.argsort(probed, kind="stable"), _ends(probed, len(centres)))
    greatest = np.full((len(rows) * probes, k), -np.inf, np.float32)

    def start() -> Callable[[int], None]:
        def piece(cluster: int) -> None:
            near, visit = others[members[cluster]], visits[cluster]
            size = min(k, len(near))
            for lo in range(0, len(visit), VISITS):
                block = visit[lo : lo + VISITS]
                products = rows[block // probes] @ near.T
                products.partition(len(near) - size, axis=1)
                greatest[block, :size] = products[:, len(near) - size :]

        return piece

    pieces(start, len(centres), workers, "bounds of hubness")
    greatest = greatest.reshape(len(rows), probes * k)
    greatest.partition(greatest.shape[1] - k, axis=1)
    bounds: Float32Array = greatest[:, -k:].mean(axis=1, dtype=np.float64).astype(np.float32)
    return bounds, greatest[:, -k].copy()


def _ends(numbers: RowNumbers, count: int) -> RowNumbers:
    """Return where the runs of 0, 1, ..., `count` - 2 end once the numbers are sorted."""
    return np.cumsum(np.bincount(numbers, minlength=count))[:-1]
