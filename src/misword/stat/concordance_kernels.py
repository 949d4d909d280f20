"""Compiled counting of concordant pairs for Kendall's tau; imported only for many rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled


@compiled
def concordance(
    weights: NDArray[np.int32],
    order: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    scores: NDArray[np.int64],
) -> None:
    """Count concordant minus discordant pairs of rows in each resample; write them to `scores`.

    `weights` has the number of times that each row is drawn, one resample per row. `left` and
    `right` hold the ranks of the values among the distinct values of their column, from 0.

    The rows are visited in ascending order of `left` (`order` sorts it). A Fenwick tree counts the
    visited rows by `right`. Rows with equal `left` are all looked up before any of them is added.
    """
    size = 0
    for row in range(len(right)):
        size = max(size, right[row] + 1)
    tree, present = np.empty(size + 1, np.int64), np.empty(size, np.int64)
    for draw in range(len(weights)):
        tree[:] = 0
        present[:] = 0
        total, score, at = np.int64(0), np.int64(0), 0
        while at < len(order):
            end = at
            while end < len(order) and left[order[end]] == left[order[at]]:
                row = order[end]
                weight = np.int64(weights[draw, row])
                if weight:
                    below, node = np.int64(0), right[row]
                    while node > 0:
                        below += tree[node]
                        node -= node & -node
                    score += weight * (2 * below + present[right[row]] - total)
                end += 1
            for k in range(at, end):
                row = order[k]
                weight = np.int64(weights[draw, row])
                if weight:
                    total += weight
                    present[right[row]] += weight
                    node = right[row] + 1
                    while node <= size:
                        tree[node] += weight
                        node += node & -node
            at = end
        scores[draw] = score
