"""Compiled alignment of many pairs with any costs. Imported only where the work is large.

As in `alignment/kernels.py`, long pairs are cut into segments of rows that are computed again on
the way back. A guide, the pair's unit-cost alignment, says what the pair costs at most: cells from
which the end cannot be reached within that are left out (Ukkonen 1985), which is most of them. What
is called for a cell takes few arrays, one by one: handing over many takes longer than pricing.
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
from misword.core.compiled import compiled, reordered

# As in `alignment/costs.py`, said again: the cache of compiled code knows this file alone.
STEPS, LEAST = float(1 << 40), 1e-6
# Cells of directions that are kept at a time.
DIRECTION_CELLS = 1 << 22
# Far beyond what rounding can do to a component of a unit vector, see `apart`.
FAR = 0.01


@reordered
def dot(units, left, right):
    """The dot product of two rows; exact, since `Costs.vectors` rounds them."""
    total = 0.0
    for k in range(units.shape[1]):
        total += np.float64(units[left, k]) * np.float64(units[right, k])
    return total


@compiled
def measure(left, right, units, known, default):
    """What a pair of different tokens costs by their vectors."""
    if not (known[left] and known[right]):
        return default
    cosine = dot(units, left, right)
    price = np.rint((1.0 - cosine) * STEPS) / STEPS
    return 0.0 if price < LEAST else price


@compiled
def look_up(token, other, prices, starts, partners, default, sieve):
    """What a pair of different tokens costs by the list."""
    bit = other & (sieve.shape[1] * 64 - 1)
    if (sieve[token, bit >> 6] >> np.uint64(bit & 63)) & ONE:
        at, top = starts[token], starts[token + 1]
        while at < top:
            middle = (at + top) >> 1
            if partners[middle] < other:
                at = middle + 1
            else:
                top = middle
        if at < starts[token + 1] and partners[at] == other:
            return prices[0, at]
    return default


@compiled
def price(token, other, prices, starts, partners, default, sieve, units, known):
    """What it costs to take one token for another; equal tokens cost nothing."""
    if token == other:
        return 0.0
    if len(units):
        return measure(token, other, units, known, default)
    if len(starts):
        return look_up(token, other, prices, starts, partners, default, sieve)
    return prices[token, other]


@compiled
def apart(left, right, units, known):
    """Whether two tokens surely cost something, told without their dot product.

    A price of nothing asks for vectors that are the same up to their rounding, which moves no
    component as far as FAR.
    """
    if not (known[left] and known[right]):
        return False
    for k in range(min(units.shape[1], 4)):
        if abs(units[left, k] - units[right, k]) > FAR:
            return True
    return False


@compiled
def ahead(m, n, cheapest):
    """What aligning `m` reference with `n` hypothesis tokens costs at least."""
    return (m - n) * cheapest[1] if m > n else (n - m) * cheapest[0]


@compiled
def descend(ref, hyp, lo, hi, first, last, limit, cheapest, costs, added, line, directions):
    """Rows `lo..hi` of the cost matrix: `line` goes in as row `lo`, comes out as row `hi`.

    Only columns `first..last` of a row are filled; returns those of the last row. A tie goes to the
    diagonal, then to an insertion, then to a deletion. A pair of tokens is priced only where that
    can matter.
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
def weighted_pair(ref, hyp, limit, cheapest, costs, scratch, count, ops, end, keep):
    """Align one pair as far back as either text's beginning.

    Returns its cost, how many tokens of each text are left there, and where the operations begin.
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
def common_prefix(ref, hyp, i, j, costs, count, ops, end, keep):
    """Go back through the tokens that both texts begin with; returns where the operations begin.

    With one price for all insertions and one for all deletions, every cheapest alignment here is
    `min(i, j)` steps that cost nothing and |i - j| insertions or deletions.
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
def price_path(ref, hyp, path, lo, hi, costs):
    """What the operations `path[lo:hi]` cost: no alignment need cost more."""
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
def weighted_scratch(ref_at, hyp_at, pairs, lo, hi):
    """Memory for the largest of the pairs `lo..hi`."""
    longest = segments = cells = 0
    for p in range(lo, hi):
        m = ref_at[pairs[p, 0] + 1] - ref_at[pairs[p, 0]]
        n = hyp_at[pairs[p, 1] + 1] - hyp_at[pairs[p, 1]]
        step = segment_length(m, max(n, 1), DIRECTION_CELLS)
        longest = max(longest, n)
        segments = max(segments, (m + step - 1) // step)
        # Without what it shares with its partner a text may be shorter and its segments longer.
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
    ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, how, totals, counts, ops, slots, keep
):
    """Alignment of pairs `lo..hi` with the least summed cost; sums are float64.

    `how` has the costs, the cheapest insertion and deletion, whether all insertions cost the same
    and all deletions too (then what both texts begin and end with needs no matrix), and the guide.
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


@compiled
def cosines(units, left, right, found):
    """Dot products of the rows of many pairs."""
    for p in range(len(found)):
        found[p] = dot(units, left[p], right[p])
