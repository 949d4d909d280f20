"""Compiled alignment of many pairs. Imported only where the work is large.

Both kernels walk the pairs `lo..hi`, write each pair's counts, and, if asked, its operations from
the end of its slot backwards (`slots[p]` is where pair `p`'s slot ends and, afterwards, where its
operations begin). Long pairs are cut into segments: the forward pass keeps only the state at each
segment's start, the way back recomputes one segment at a time. So memory grows with the texts'
lengths (and about their square root), not with their product, for twice the time.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

HIT, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3
MISWORD, JIWER, KALDIALIGN = 0, 1, 2

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP = np.uint64(63)

# Words of each bit matrix, and cells of directions, that are kept at a time.
MATRIX_WORDS = 1 << 19
DIRECTION_CELLS = 1 << 22


@njit(nogil=True, cache=True)
def segment_length(size, width, budget):
    """How many of `size` rows of `width` to keep at a time: all of them, or what memory allows."""
    if size * width <= budget:
        return max(size, 1)
    return max(np.int64(np.sqrt(size)), budget // width)


# --- unit costs ---------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def advance(hyp, lo, hi, words, peq, local, vp, vn, rule, first, second):
    """Hyyrö's bit-parallel step (2003) for hypothesis tokens `lo..hi`; bit i is reference token i.

    Keeps the two rows of bits that the tie rule reads on the way back; `second` has one row more,
    the state before the segment.
    """
    for w in range(words):
        second[w] = vn[w]
    at = 0
    for j in range(lo, hi):
        row = local[hyp[j]] * words
        carry_p, carry_n = ONE, NONE
        for w in range(words):
            p, n = vp[w], vn[w]
            x = peq[row + w] | carry_n
            d0 = (((x & p) + p) ^ p) | x | n
            hp = n | ~(d0 | p)
            hn = d0 & p
            shifted_p = (hp << ONE) | carry_p
            shifted_n = (hn << ONE) | carry_n
            carry_p, carry_n = hp >> TOP, hn >> TOP
            p = shifted_n | ~(d0 | shifted_p)
            n = shifted_p & d0
            vp[w], vn[w] = p, n
            if rule == MISWORD:
                first[at], second[at + words] = d0, n
            elif rule == JIWER:
                first[at], second[at + words] = p, n
            else:
                first[at], second[at + words] = hp, p
            at += 1


@njit(nogil=True, cache=True)
def choose(rule, hit, i, row, words, first, second):
    """The operation that the tie rule takes at reference token `i` and row `row` of the segment.

    misword     a hit or a substitution if optimal, then an insertion, then a deletion
    jiwer       a deletion if optimal, then an insertion if better than a substitution (rapidfuzz)
    kaldialign  an insertion if optimal, then a deletion, then a hit or a substitution
    """
    at, bit = row * words + (i >> 6), np.uint64(i & 63)
    set_first = (first[at] >> bit) & ONE
    if rule == MISWORD:
        if hit:
            return HIT
        if set_first == NONE:
            return SUBSTITUTION
        return INSERTION if (second[at] >> bit) & ONE else DELETION
    if rule == JIWER:
        if set_first:
            return DELETION
        if (second[at] >> bit) & ONE:
            return INSERTION
    else:
        if set_first:
            return INSERTION
        if (second[at + words] >> bit) & ONE:
            return DELETION
    return HIT if hit else SUBSTITUTION


@njit(nogil=True, cache=True)
def index(ref, words, local, peq):
    """Number the reference's distinct tokens from 1 and mark where each stands."""
    known = 1
    peq[:words] = 0
    for i in range(len(ref)):
        row = local[ref[i]]
        if row == 0:
            row = known
            local[ref[i]] = row
            peq[row * words : (row + 1) * words] = 0
            known += 1
        peq[row * words + (i >> 6)] |= ONE << np.uint64(i & 63)


@njit(nogil=True, cache=True)
def unit_pair(ref, hyp, rule, local, peq, states, first, second, count, ops, end, keep):
    """Align one pair; returns where its operations begin."""
    m, n = len(ref), len(hyp)
    words = (m + 63) >> 6
    i, j = m, n
    if m and n:
        index(ref, words, local, peq)
        step = segment_length(n, words, MATRIX_WORDS)
        last = (n - 1) // step
        states[0, :words] = ALL
        states[1, :words] = 0
        vp, vn = states[0], states[1]
        for s in range(last):
            states[2 * s + 2, :words] = vp[:words]
            states[2 * s + 3, :words] = vn[:words]
            vp, vn = states[2 * s + 2], states[2 * s + 3]
            advance(hyp, s * step, (s + 1) * step, words, peq, local, vp, vn, rule, first, second)
        for s in range(last, -1, -1):
            lo = s * step
            vp, vn = states[2 * s], states[2 * s + 1]
            advance(hyp, lo, min(n, lo + step), words, peq, local, vp, vn, rule, first, second)
            while i > 0 and j > lo:
                hit = ref[i - 1] == hyp[j - 1]
                op = choose(rule, hit, i - 1, j - 1 - lo, words, first, second)
                i -= op != INSERTION
                j -= op != DELETION
                count[op] += 1
                if keep:
                    end -= 1
                    ops[end] = op
            if i == 0:
                break
        for k in range(m):
            local[ref[k]] = 0
    count[DELETION] += i
    count[INSERTION] += j
    if keep:
        ops[end - i : end] = DELETION
        ops[end - i - j : end - i] = INSERTION
    return end - i - j


@njit(nogil=True, cache=True)
def unit_scratch(ref_at, hyp_at, pairs, lo, hi):
    """Largest sizes over pairs `lo..hi`: reference, words, segments, kept words of bits."""
    tokens = words = segments = kept = 0
    for p in range(lo, hi):
        m = ref_at[pairs[p, 0] + 1] - ref_at[pairs[p, 0]]
        n = hyp_at[pairs[p, 1] + 1] - hyp_at[pairs[p, 1]]
        width = (m + 63) >> 6
        step = segment_length(n, max(width, 1), MATRIX_WORDS)
        tokens, words = max(tokens, m), max(words, width)
        segments = max(segments, (n + step - 1) // step)
        kept = max(kept, (min(n, step) + 1) * width)
    return tokens, words, segments, kept


@njit(nogil=True, cache=True)
def unit(ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, rule, size, counts, ops, slots, keep):
    """Unit-cost alignment of pairs `lo..hi` over token ids below `size`."""
    tokens, words, segments, kept = unit_scratch(ref_at, hyp_at, pairs, lo, hi)
    local = np.zeros(size, np.int32)
    peq = np.empty((min(tokens, size) + 1) * words, np.uint64)
    states = np.empty((2 * segments + 2, words), np.uint64)
    first, second = np.empty(kept, np.uint64), np.empty(kept, np.uint64)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        hyp = hyp_ids[hyp_at[h] : hyp_at[h + 1]]
        m, n = len(ref), len(hyp)
        short = min(m, n)
        head = tail = 0
        if rule == JIWER:
            while head < short and ref[head] == hyp[head]:
                head += 1
        if rule != KALDIALIGN:  # a hit at the end is always optimal, and both rules take it
            while tail < short - head and ref[m - 1 - tail] == hyp[n - 1 - tail]:
                tail += 1
        ref, hyp, end = ref[head : m - tail], hyp[head : n - tail], slots[p]
        if keep:
            ops[end - tail : end] = HIT
        end = unit_pair(
            ref, hyp, rule, local, peq, states, first, second, counts[p], ops, end - tail, keep
        )
        if keep:
            ops[end - head : end] = HIT
        counts[p, HIT] += head + tail
        slots[p] = end - head


# --- any costs ----------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def price_row(token, hyp, prices, starts, partners, default, row):
    """Prices of `token` against each hypothesis token; equal tokens cost nothing."""
    n = len(hyp)
    if len(starts) == 0:
        for j in range(n):
            row[j] = 0.0 if hyp[j] == token else prices[token, hyp[j]]
        return
    lo, hi = starts[token], starts[token + 1]
    for j in range(n):
        row[j] = 0.0 if hyp[j] == token else default
        if lo < hi and hyp[j] != token:
            at, top = lo, hi
            while at < top:
                middle = (at + top) >> 1
                if partners[middle] < hyp[j]:
                    at = middle + 1
                else:
                    top = middle
            if at < hi and partners[at] == hyp[j]:
                row[j] = prices[0, at]


@njit(nogil=True, cache=True)
def descend(ref, hyp, lo, hi, costs, row, line, directions):
    """Rows `lo..hi` of the cost matrix: `line` goes in as row `lo`, comes out as row `hi`.

    A tie goes to the diagonal, then to an insertion, then to a deletion.
    """
    prices, insertion, deletion, starts, partners, default = costs
    n = len(hyp)
    at = 0
    for i in range(lo, hi):
        price_row(ref[i], hyp, prices, starts, partners, default, row)
        drop = deletion[ref[i]]
        diagonal = line[0]
        left = diagonal + drop
        line[0] = left
        for j in range(n):
            above = line[j + 1]
            best = diagonal + row[j]
            op = HIT if hyp[j] == ref[i] else SUBSTITUTION
            inserted = left + insertion[hyp[j]]
            if inserted < best:
                best, op = inserted, INSERTION
            deleted = above + drop
            if deleted < best:
                best, op = deleted, DELETION
            directions[at] = op
            at += 1
            diagonal, left = above, best
            line[j + 1] = best


@njit(nogil=True, cache=True)
def weighted(
    ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, costs, totals, counts, ops, slots, keep
):
    """Alignment of pairs `lo..hi` with the least summed cost; sums are float64."""
    insertion = costs[1]
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        hyp = hyp_ids[hyp_at[h] : hyp_at[h + 1]]
        m, n = len(ref), len(hyp)
        step = segment_length(m, max(n, 1), DIRECTION_CELLS)
        last = (m - 1) // step if m else -1
        line, row = np.empty(n + 1, np.float64), np.empty(n, np.float64)
        states = np.empty((last + 1, n + 1), np.float64)
        directions = np.empty(min(m, step) * n, np.uint8)
        line[0] = 0.0
        for j in range(n):
            line[j + 1] = line[j] + insertion[hyp[j]]
        for s in range(last + 1):
            states[s] = line
            descend(ref, hyp, s * step, min(m, (s + 1) * step), costs, row, line, directions)
        totals[p] = line[n]
        i, j, end = m, n, slots[p]
        for s in range(last, -1, -1):
            low = s * step
            if s < last:
                line[:] = states[s]
                descend(ref, hyp, low, low + step, costs, row, line, directions)
            while i > low:
                op = directions[(i - 1 - low) * n + j - 1] if j else DELETION
                i -= op != INSERTION
                j -= op != DELETION
                counts[p, op] += 1
                end -= 1
                if keep:
                    ops[end] = op
        counts[p, INSERTION] += j
        if keep:
            ops[end - j : end] = INSERTION
        slots[p] = end - j
