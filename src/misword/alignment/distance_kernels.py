"""Compiled distances of many short sequences: the recurrence of `weighted_kernels` without a path.

What an insertion costs is taken out of the recurrence: with `line[j]` less the price of inserting
the first `j` tokens, a step to the right costs nothing, and a cell waits for its left neighbour for
a comparison only. Prices are multiples of 2^-40, so the sums are exact either way.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled


@compiled
def distance(ref, hyp, insertion, deletion, beyond, line):
    """What the cheapest alignment costs; `beyond` is a substitution's price less the insertion's.

    `line` has room for one more than the tokens of `hyp`.
    """
    n = len(hyp)
    base = 0.0
    for j in range(n):
        line[j] = 0.0
        base += insertion[hyp[j]]
    line[n] = 0.0
    for i in range(len(ref)):
        token = ref[i]
        drop = deletion[token]
        diagonal = line[0]
        left = diagonal + drop
        line[0] = left
        for j in range(n):
            above = line[j + 1]
            swapped = diagonal + beyond[token, hyp[j]]
            dropped = above + drop
            best = swapped if swapped < dropped else dropped
            left = best if best < left else left
            line[j + 1] = left
            diagonal = above
    return line[n] + base


@compiled
def pairwise(ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, how, found):
    """Distances of the pairs `lo..hi`."""
    insertion, deletion, beyond, longest = how
    line = np.empty(longest + 1, np.float64)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        found[p] = distance(
            ref_ids[ref_at[r] : ref_at[r + 1]], hyp_ids[hyp_at[h] : hyp_at[h + 1]],
            insertion, deletion, beyond, line,
        )  # fmt: skip


@compiled
def bound(left, right, lo, found):
    """Taxicab distances of the row `lo` of `left` from all rows of `right`."""
    width = left.shape[1]
    for c in range(len(right)):
        total = np.int32(0)
        for f in range(width):
            total += abs(np.int32(left[lo, f]) - np.int32(right[c, f]))
        found[c] = total


@compiled
def enough(bounds, wanted, counts):
    """The least bound that `wanted` rows keep within."""
    counts[:] = 0
    for value in bounds:
        counts[min(value, len(counts) - 1)] += 1
    seen = 0
    for value in range(len(counts)):
        seen += counts[value]
        if seen >= wanted:
            return value
    return len(counts)


@compiled
def insert(ids, costs, size, column, cost):
    """Put a column into a list that is sorted by cost, then by column; returns how many it has."""
    k = len(ids)
    if size == k:
        last = k - 1
        if cost > costs[last] or (cost == costs[last] and column > ids[last]):
            return size
    else:
        last = size
        size += 1
    while last > 0 and (
        cost < costs[last - 1] or (cost == costs[last - 1] and column < ids[last - 1])
    ):
        ids[last], costs[last] = ids[last - 1], costs[last - 1]
        last -= 1
    ids[last], costs[last] = column, cost
    return size


@compiled
def closest(ref_ids, ref_at, hyp_ids, hyp_at, lo, hi, how, sketches, limit, ids, costs, sizes):
    """The nearest sequences to each of `lo..hi`, the sequence of the same number `own` left out.

    Bounds say which pairs need no distance: first those are measured that are surely few and
    likely near, then whatever could still be nearer than the worst of those found.
    """
    insertion, deletion, beyond, longest = how
    left, right, step, own = sketches
    line = np.empty(longest + 1, np.float64)
    bounds = np.empty(len(right), np.int32)
    counts = np.empty(1 << 12, np.int64)
    k = ids.shape[1]
    for r in range(lo, hi):
        bound(left, right, r, bounds)
        first = enough(bounds, 2 * k, counts)
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        size, worst = 0, limit
        for turn in range(2):
            for c in range(len(right)):
                near = bounds[c] <= first
                if near != (turn == 0) or bounds[c] * step > worst + 1e-6 or c == own[r]:
                    continue
                hyp = hyp_ids[hyp_at[c] : hyp_at[c + 1]]
                cost = distance(ref, hyp, insertion, deletion, beyond, line)
                if cost <= limit:
                    size = insert(ids[r], costs[r], size, c, cost)
                    if size == k:
                        worst = min(limit, costs[r, k - 1])
        sizes[r] = size
