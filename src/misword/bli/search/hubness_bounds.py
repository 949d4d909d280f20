"""Lower bounds of hubness: as close as a word is to a few clusters, it is to the whole at least."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from misword.bli.search.tiles import Matrix
from misword.core.workers import pieces
from misword.embed.vectors.neighbors import nearest

PROBES = 4  # clusters looked at for each word
VISITS = 4096  # to a cluster at a time


def lower_terms(
    rows: Matrix, others: Matrix, k: int, workers: int | None = None
) -> tuple[Matrix, Matrix]:
    """At most the mean of the `k` greatest cosines of each row with all the others, and near it.

    The same for the k-th greatest. What any subset gives is such a bound; here it is the clusters
    whose centres are nearest. A centre is every so manyth of the others, since those are in the
    order of their frequency. Minus infinity where the clusters have fewer than `k` rows.
    """
    centres = others[:: max(1, int(np.sqrt(len(others))))]
    probes = min(PROBES, len(centres))
    own = nearest(others, [centres], 1, workers)[0][:, 0]
    members = np.split(np.argsort(own, kind="stable"), _ends(own, len(centres)))
    asked = nearest(rows, [centres], probes, workers)[0].ravel()
    visits = np.split(np.argsort(asked, kind="stable"), _ends(asked, len(centres)))
    tops = np.full((len(rows) * probes, k), -np.inf, np.float32)

    def start() -> Callable[[int], None]:
        def piece(cluster: int) -> None:
            near, visit = others[members[cluster]], visits[cluster]
            size = min(k, len(near))
            for lo in range(0, len(visit), VISITS):
                block = visit[lo : lo + VISITS]
                products = rows[block // probes] @ near.T
                products.partition(len(near) - size, axis=1)
                tops[block, :size] = products[:, len(near) - size :]

        return piece

    pieces(start, len(centres), workers, "bounds of hubness")
    tops = tops.reshape(len(rows), probes * k)
    tops.partition(tops.shape[1] - k, axis=1)
    bound: Matrix = tops[:, -k:].mean(axis=1, dtype=np.float64).astype(np.float32)
    return bound, tops[:, -k].copy()


def _ends(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where the runs of 0, 1, ... end once the numbers are sorted, but for the last."""
    return np.cumsum(np.bincount(numbers, minlength=count))[:-1]
