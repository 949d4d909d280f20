"""Greedy matching of the tokens of two texts by the cosine of their vectors, in batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from misword.embed.neural.batches import HiddenStates, pad

CELLS = 1 << 18  # cosines in a batch: a megabyte


def greedy_match(
    left: Sequence[HiddenStates],
    right: Sequence[HiddenStates],
    left_weights: Sequence[NDArray[np.float64]],
    right_weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return for each pair of texts the weighted means of the best cosines of its tokens.

    Each text is a matrix of token vectors of length one. The first column is the mean over the
    tokens of the left text, the second column that of the right text.
    """
    sizes = np.array([(len(a), len(b)) for a, b in zip(left, right, strict=True)]).reshape(-1, 2)
    order = np.lexsort((sizes[:, 1], sizes[:, 0]))
    means = np.empty((len(sizes), 2))
    start = 0
    while start < len(order):
        end = _batch_end(sizes[order], start)
        pairs = order[start:end].tolist()
        best = _best_cosines([left[i] for i in pairs], [right[i] for i in pairs])
        weights = [left_weights[i] for i in pairs], [right_weights[i] for i in pairs]
        for side in (0, 1):
            means[pairs, side] = _weighted_means(best[side], weights[side])
        start = end
    return means


def _batch_end(sizes: NDArray[np.int64], start: int) -> int:
    """Return the end of the batch that begins at `start`: at most CELLS cosines, or one pair."""
    ahead = sizes[start : start + 256]
    widest = np.maximum.accumulate(ahead, axis=0)
    cells = widest.prod(axis=1) * np.arange(1, len(ahead) + 1)
    return start + max(1, int(np.searchsorted(cells, CELLS, side="right")))


def _best_cosines(
    left: Sequence[HiddenStates], right: Sequence[HiddenStates]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the best cosine of each token of either side; padding has -1, the least cosine."""
    a, a_mask = pad(left)
    b, b_mask = pad(right)
    cosines = a @ b.transpose(0, 2, 1)
    cosines[~(a_mask[:, :, None] & b_mask[:, None, :])] = -1
    return cosines.max(axis=2), cosines.max(axis=1)


def _weighted_means(
    best: NDArray[np.float32], weights: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return weighted means of rows; a row whose weights are all zero has equal weights."""
    padded = np.zeros(best.shape)
    for row, weight in zip(padded, weights, strict=True):
        row[: len(weight)] = weight if weight.any() else 1
    return np.asarray((best * padded).sum(axis=1) / padded.sum(axis=1))
