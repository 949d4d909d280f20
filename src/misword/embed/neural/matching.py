"""Greedy matching of the pieces of two texts by the cosine of their vectors, batches at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from misword.embed.neural.batches import States

CELLS = 1 << 18  # cosines in a batch: a megabyte


def greedy(
    left: Sequence[States],
    right: Sequence[States],
    left_weights: Sequence[NDArray[np.float64]],
    right_weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """For each pair the weighted mean, over the pieces of either side, of the best cosine.

    The first column is of the left side's pieces, the second of the right side's.
    """
    sizes = np.array([(len(a), len(b)) for a, b in zip(left, right, strict=True)]).reshape(-1, 2)
    order = np.lexsort((sizes[:, 1], sizes[:, 0]))
    found = np.empty((len(sizes), 2))
    start = 0
    while start < len(order):
        stop = _stop(sizes[order], start)
        which = order[start:stop].tolist()
        best = _best([left[i] for i in which], [right[i] for i in which])
        weights = [left_weights[i] for i in which], [right_weights[i] for i in which]
        for side in (0, 1):
            found[which, side] = _mean(best[side], weights[side])
        start = stop
    return found


def _stop(sizes: NDArray[np.int64], start: int) -> int:
    """The end of a batch that begins here: at most CELLS cosines, or one pair."""
    ahead = sizes[start : start + 256]
    widest = np.maximum.accumulate(ahead, axis=0)
    cells = widest.prod(axis=1) * np.arange(1, len(ahead) + 1)
    return start + max(1, int(np.searchsorted(cells, CELLS, side="right")))


def _best(left: Sequence[States], right: Sequence[States]) -> tuple[States, States]:
    """The best cosine of each piece of either side; -1 is the least there is."""
    a, a_there = stack(left)
    b, b_there = stack(right)
    cosines = a @ b.transpose(0, 2, 1)
    cosines[~(a_there[:, :, None] & b_there[:, None, :])] = -1
    return cosines.max(axis=2), cosines.max(axis=1)


def _mean(best: States, weights: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Weighted means of rows; all pieces weigh the same where none weighs anything."""
    wide = np.zeros(best.shape)
    for row, weight in zip(wide, weights, strict=True):
        row[: len(weight)] = weight if weight.any() else 1
    return np.asarray((best * wide).sum(axis=1) / wide.sum(axis=1))


def stack(rows: Sequence[States]) -> tuple[States, NDArray[np.bool_]]:
    """Matrices of one width as one array, and where in it there is something."""
    lengths = np.array([len(row) for row in rows])
    there = np.arange(lengths.max()) < lengths[:, None]
    wide = np.zeros((*there.shape, rows[0].shape[1]), np.float32)
    wide[there] = np.concatenate(rows)
    return wide, there
