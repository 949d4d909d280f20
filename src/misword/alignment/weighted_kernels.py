"""Compiled alignment of many pairs with any costs. Imported only where the work is large.

As in `alignment/kernels.py`, long pairs are cut into segments of rows that are computed again on
the way back.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.alignment.kernels import (
    DELETION,
    HIT,
    INSERTION,
    ONE,
    SUBSTITUTION,
    segment_length,
)
from misword.core.compiled import compiled

# Cells of directions that are kept at a time.
DIRECTION_CELLS = 1 << 22


@compiled
def price_row(token, hyp, prices, starts, partners, default, sieve, row):
    """Prices of `token` against each hypothesis token; equal tokens cost nothing."""
    if len(starts) == 0:
        for j in range(len(hyp)):
            row[j] = 0.0 if hyp[j] == token else prices[token, hyp[j]]
        return
    mask = sieve.shape[1] * 64 - 1
    for j in range(len(hyp)):
        other = hyp[j]
        row[j] = 0.0 if other == token else default
        bit = other & mask
        if (sieve[token, bit >> 6] >> np.uint64(bit & 63)) & ONE and other != token:
            at, top = starts[token], starts[token + 1]
            while at < top:
                middle = (at + top) >> 1
                if partners[middle] < other:
                    at = middle + 1
                else:
                    top = middle
            if at < starts[token + 1] and partners[at] == other:
                row[j] = prices[0, at]


@compiled
def descend(ref, hyp, lo, hi, costs, added, row, line, directions):
    """Rows `lo..hi` of the cost matrix: `line` goes in as row `lo`, comes out as row `hi`.

    A tie goes to the diagonal, then to an insertion, then to a deletion.
    """
    prices, _, deletion, starts, partners, default, sieve = costs
    n = len(hyp)
    at = 0
    for i in range(lo, hi):
        token = ref[i]
        price_row(token, hyp, prices, starts, partners, default, sieve, row)
        drop = np.float64(deletion[token])
        diagonal = line[0]
        left = diagonal + drop
        line[0] = left
        for j in range(n):  # selections, not branches: their outcome cannot be predicted
            above = line[j + 1]
            swapped, inserted, deleted = diagonal + row[j], left + added[j], above + drop
            best = inserted if inserted < swapped else swapped
            way = INSERTION if inserted < swapped else SUBSTITUTION
            directions[at + j] = DELETION if deleted < best else way
            left = deleted if deleted < best else best
            diagonal = above
            line[j + 1] = left
        at += n


@compiled
def weighted_pair(ref, hyp, costs, added, row, line, states, directions, count, ops, end, keep):
    """Align one pair; returns its cost and where its operations begin."""
    m, n = len(ref), len(hyp)
    step = segment_length(m, max(n, 1), DIRECTION_CELLS)
    last = (m - 1) // step if m else -1
    line[0] = 0.0
    for j in range(n):
        added[j] = costs[1][hyp[j]]
        line[j + 1] = line[j] + added[j]
    for s in range(last + 1):
        states[s, : n + 1] = line[: n + 1]
        descend(ref, hyp, s * step, min(m, (s + 1) * step), costs, added, row, line, directions)
    total = line[n]
    i, j = m, n
    for s in range(last, -1, -1):
        low = s * step
        if s < last:
            line[: n + 1] = states[s, : n + 1]
            descend(ref, hyp, low, low + step, costs, added, row, line, directions)
        while i > low:
            op = directions[(i - 1 - low) * n + j - 1] if j else DELETION
            if op == SUBSTITUTION and ref[i - 1] == hyp[j - 1]:
                op = HIT
            i -= op != INSERTION
            j -= op != DELETION
            count[op] += 1
            end -= 1
            if keep:
                ops[end] = op
    count[INSERTION] += j
    if keep:
        ops[end - j : end] = INSERTION
    return total, end - j


@compiled
def weighted(
    ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, costs, totals, counts, ops, slots, keep
):
    """Alignment of pairs `lo..hi` with the least summed cost; sums are float64."""
    longest = segments = cells = 0
    for p in range(lo, hi):
        m = ref_at[pairs[p, 0] + 1] - ref_at[pairs[p, 0]]
        n = hyp_at[pairs[p, 1] + 1] - hyp_at[pairs[p, 1]]
        step = segment_length(m, max(n, 1), DIRECTION_CELLS)
        longest, cells = max(longest, n), max(cells, min(m, step) * n)
        segments = max(segments, (m + step - 1) // step)
    added, row = np.empty(longest, np.float64), np.empty(longest, np.float64)
    line = np.empty(longest + 1, np.float64)
    states = np.empty((segments, longest + 1), np.float64)
    directions = np.empty(cells, np.uint8)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        hyp = hyp_ids[hyp_at[h] : hyp_at[h + 1]]
        totals[p], slots[p] = weighted_pair(
            ref, hyp, costs, added, row, line, states, directions, counts[p], ops, slots[p], keep
        )
