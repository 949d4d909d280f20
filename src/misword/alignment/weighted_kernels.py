"""Compiled alignment of many pairs with any costs; imported for large inputs only.

As in `alignment/kernels.py`, long pairs are divided into segments of rows that are computed again
on the way back. The cost of the pair's unit-cost alignment (the guide) is an upper bound of the
pair's cost: cells from which the end cannot be reached within it, which are most, are not computed
(Ukkonen 1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import KernelCosts
from misword.alignment.price_kernels import Floats, apart, look_up, measure, price
from misword.core.compiled import compiled
from misword.core.types import Ids, Offsets

Integers = NDArray[np.int64]
Operations = NDArray[np.uint8]
HIT, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3


@compiled
def segment_length(size: int, width: int, budget: int) -> int:
    """Return how many of `size` rows of `width` to keep at a time: all that fit in the budget."""
    if size * width <= budget:
        return max(size, 1)
    return max(int(np.sqrt(size)), budget // width)


# Number of cells of directions in memory at a time.
DIRECTION_CELLS = 1 << 22
# Scratch memory: insertion costs, a line of costs, lines at segment starts, their first and last
# columns, and directions.
Scratch = tuple[Floats, Floats, Floats, Integers, NDArray[np.uint8]]


@compiled
def ahead(m: int, n: int, cheapest: tuple[float, float]) -> float:
    """Return a lower bound of the cost of aligning `m` reference with `n` hypothesis tokens."""
    return (m - n) * cheapest[1] if m > n else (n - m) * cheapest[0]


@compiled
def descend(
    ref: Ids, hyp: Ids, lo: int, hi: int, first: int, last: int, limit: float, cheapest:
    tuple[float, float], costs: KernelCosts, added: Floats, line: Floats, directions: Operations,
) -> tuple[int, int]:  # fmt: skip
    """Compute rows `lo..hi` of the cost matrix: `line` is row `lo` before and row `hi` after.

    Only columns `first..last` are filled; returns those of the last row. Ties go to the diagonal,
    then to insertions. Substitutions are priced only where that can change the result.
    """
    _, deletion, prices, starts, partners, default, sieve, units, known = costs
    by_vectors, by_list = len(units) > 0, len(starts) > 0
    m, n = len(ref), len(hyp)
    at = 0
    for i in range(lo, hi):
        token = ref[i]
        rest = m - i - 1
        top = min(last + 1, n)
        if last < n:
            line[last + 1] = np.inf
        drop = deletion[token]
        diagonal = line[first]
        left = diagonal + drop
        line[first] = left
        if first:
            directions[at + first - 1] = DELETION
        for j in range(first, top):
            above = line[j + 1]
            inserted, deleted = left + added[j], above + drop
            left = deleted if deleted < inserted else inserted
            way = DELETION if deleted < inserted else INSERTION
            if diagonal <= left and diagonal + ahead(rest, n - j - 1, cheapest) <= limit:
                other = hyp[j]
                swapped = diagonal
                if token == other:
                    pass
                elif by_vectors:
                    if diagonal == left and apart(token, other, units, known):
                        swapped = np.inf
                    else:
                        swapped += measure(token, other, units, known, default)
                elif by_list:
                    swapped += look_up(token, other, prices, starts, partners, default, sieve)
                else:
                    swapped += prices[token, other]
                if swapped <= left:
                    left, way = swapped, SUBSTITUTION
            directions[at + j] = way
            diagonal = above
            line[j + 1] = left
        last = top
        while last < n and left + added[last] + ahead(rest, n - last - 1, cheapest) <= limit:
            left += added[last]
            directions[at + last] = INSERTION
            last += 1
            line[last] = left
        while first < last and line[first] + ahead(rest, n - first, cheapest) > limit:
            first += 1
        while first < last and line[last] + ahead(rest, n - last, cheapest) > limit:
            last -= 1
        at += n
    return first, last


@compiled
def weighted_pair(
    ref: Ids,
    hyp: Ids,
    limit: float,
    cheapest: tuple[float, float],
    costs: KernelCosts,
    scratch: Scratch,
    count: Integers,
    ops: Operations,
    end: int,
    keep: bool,
) -> tuple[float, int, int, int]:
    """Align one pair from its end back to the beginning of either text.

    Returns its cost, the numbers of tokens that remain in each text, and the first operation.
    """
    added, line, states, windows, directions = scratch
    m, n = len(ref), len(hyp)
    step = segment_length(m, max(n, 1), DIRECTION_CELLS)
    segments = (m + step - 1) // step
    insertion = costs[0]
    line[0] = 0.0
    first = last = 0
    for j in range(n):
        added[j] = insertion[hyp[j]]
        line[j + 1] = line[j] + added[j]
        if line[j + 1] + ahead(m, n - j - 1, cheapest) <= limit:
            last = j + 1
    for s in range(segments):
        states[s, : n + 1] = line[: n + 1]
        windows[s, 0], windows[s, 1] = first, last
        first, last = descend(
            ref, hyp, s * step, min(m, (s + 1) * step), first, last, limit, cheapest, costs,
            added, line, directions,
        )  # fmt: skip
    total = line[n]
    i, j = m, n
    for s in range(segments - 1, -1, -1):
        low = s * step
        if s < segments - 1:
            line[: n + 1] = states[s, : n + 1]
            descend(
                ref, hyp, low, low + step, windows[s, 0], windows[s, 1], limit, cheapest, costs,
                added, line, directions,
            )  # fmt: skip
        while i > low and j > 0:
            op = directions[(i - 1 - low) * n + j - 1]
            if op == SUBSTITUTION and ref[i - 1] == hyp[j - 1]:
                op = HIT
            i -= op != INSERTION
            j -= op != DELETION
            count[op] += 1
            end -= 1
            if keep:
                ops[end] = op
        if j == 0:
            break
    return total, i, j, end


@compiled
def common_prefix(
    ref: Ids,
    hyp: Ids,
    i: int,
    j: int,
    costs: KernelCosts,
    count: Integers,
    ops: Operations,
    end: int,
    keep: bool,
) -> int:
    """Write the operations of the common prefix of both texts; return the first of them.

    All insertions have one cost and all deletions another, so a cheapest alignment has `min(i, j)`
    steps that cost nothing and |i - j| insertions or deletions.
    """
    _, _, prices, starts, partners, default, sieve, units, known = costs
    while i > 0 or j > 0:
        free = i == j
        if not free and i > 0 and j > 0:
            free = 0.0 == price(
                ref[i - 1], hyp[j - 1], prices, starts, partners, default, sieve,
                units, known,
            )  # fmt: skip
        if free:
            op = HIT if ref[i - 1] == hyp[j - 1] else SUBSTITUTION
        else:
            op = INSERTION if j > i else DELETION
        i -= op != INSERTION
        j -= op != DELETION
        count[op] += 1
        end -= 1
        if keep:
            ops[end] = op
    return end


@compiled
def price_path(ref: Ids, hyp: Ids, path: Operations, lo: int, hi: int, costs: KernelCosts) -> float:
    """Return the cost of the operations `path[lo:hi]`, an upper bound of the cheapest alignment."""
    insertion, deletion = costs[0], costs[1]
    prices, starts, partners, default, sieve, units, known = costs[2:]
    total = 0.0
    i = j = 0
    for at in range(lo, hi):
        op = path[at]
        if op == SUBSTITUTION:
            total += price(
                ref[i], hyp[j], prices, starts, partners, default, sieve,
                units, known,
            )  # fmt: skip
        elif op == INSERTION:
            total += insertion[hyp[j]]
        elif op == DELETION:
            total += deletion[ref[i]]
        i += op != INSERTION
        j += op != DELETION
    return total


@compiled
def weighted_scratch(
    ref_at: Offsets, hyp_at: Offsets, pairs: Integers, lo: int, hi: int
) -> Scratch:
    """Return scratch memory for the largest of the pairs `lo..hi`."""
    longest = segments = cells = 0
    for p in range(lo, hi):
        m = ref_at[pairs[p, 0] + 1] - ref_at[pairs[p, 0]]
        n = hyp_at[pairs[p, 1] + 1] - hyp_at[pairs[p, 1]]
        step = segment_length(m, max(n, 1), DIRECTION_CELLS)
        longest = max(longest, n)
        segments = max(segments, (m + step - 1) // step)
        # Without the common prefix and suffix a text may be shorter and its segments longer.
        cells = max(cells, min(m * n, max(DIRECTION_CELLS, np.int64(np.sqrt(m)) * n)))
    return (
        np.empty(longest, np.float64),
        np.empty(longest + 1, np.float64),
        np.empty((segments, longest + 1), np.float64),
        np.empty((segments, 2), np.int64),
        np.empty(cells, np.uint8),
    )


@compiled
def weighted(
    ref_ids: Ids,
    ref_at: Offsets,
    hyp_ids: Ids,
    hyp_at: Offsets,
    pairs: Integers,
    lo: int,
    hi: int,
    how: tuple[KernelCosts, tuple[float, float], bool, Operations, Offsets],
    totals: Floats,
    counts: Integers,
    ops: Operations,
    slots: Offsets,
    keep: bool,
) -> None:
    """Align pairs `lo..hi` with the least total cost, summed in float64.

    `how` is the costs, the cheapest insertion and deletion, whether all insertions have one cost
    and all deletions another (the common prefix and suffix then need no matrix), and the guide's
    operations and offsets.
    """
    costs, cheapest, even, path, path_at = how
    scratch = weighted_scratch(ref_at, hyp_at, pairs, lo, hi)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        hyp = hyp_ids[hyp_at[h] : hyp_at[h + 1]]
        m, n = len(ref), len(hyp)
        head = tail = 0
        if even:
            short = min(m, n)
            while head < short and ref[head] == hyp[head]:
                head += 1
            while tail < short - head and ref[m - 1 - tail] == hyp[n - 1 - tail]:
                tail += 1
        limit = price_path(ref, hyp, path, path_at[p], path_at[p + 1], costs)
        limit += 1e-9 * (1.0 + limit)
        end = slots[p] - tail
        if keep:
            ops[end : end + tail] = HIT
        counts[p, HIT] += tail
        totals[p], i, j, end = weighted_pair(
            ref[head : m - tail], hyp[head : n - tail], limit, cheapest, costs, scratch,
            counts[p], ops, end, keep,
        )  # fmt: skip
        if even:
            slots[p] = common_prefix(ref, hyp, i + head, j + head, costs, counts[p], ops, end, keep)
            continue
        counts[p, DELETION] += i
        counts[p, INSERTION] += j
        if keep:
            ops[end - i : end] = DELETION
            ops[end - i - j : end - i] = INSERTION
        slots[p] = end - i - j
