"""Compiled counting for Kendall's tau. Imported only where there are many rows."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled


@compiled
def concordance(weights, order, left, right, found):
    """Concordant less discordant pairs of rows, for each row of `weights`: how often each is drawn.

    Walks the rows by `left` (`order` sorts it); a Fenwick tree knows how many of those before have
    a smaller `right`. Rows that are equal in `left` are asked first and put in afterwards. Both
    columns hold places among their distinct values.
    """
    size = 0
    for row in range(len(right)):
        size = max(size, right[row] + 1)
    tree, there = np.empty(size + 1, np.int64), np.empty(size, np.int64)
    for draw in range(len(weights)):
        tree[:] = 0
        there[:] = 0
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
                    score += weight * (2 * below + there[right[row]] - total)
                end += 1
            for k in range(at, end):
                row = order[k]
                weight = np.int64(weights[draw, row])
                if weight:
                    total += weight
                    there[right[row]] += weight
                    node = right[row] + 1
                    while node <= size:
                        tree[node] += weight
                        node += node & -node
            at = end
        found[draw] = score
