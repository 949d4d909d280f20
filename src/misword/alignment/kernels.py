"""Compiled alignment of many pairs with unit costs. Imported only where the work is large.

This kernel and the one for any costs walk the pairs `lo..hi`, write each pair's counts, and, if
asked, its operations from the end of its slot backwards (`slots[p]` is where pair `p`'s slot ends
and, afterwards, where its operations begin). Long pairs are cut into segments: the forward pass
keeps only the state at each segment's start, the way back recomputes one segment at a time, for
twice the time. What grows with the product of the lengths is only where each distinct token stands:
a bit per place and token.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled

HIT, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3
MISWORD, JIWER, KALDIALIGN = 0, 1, 2

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP = np.uint64(63)

# Words of each bit matrix that are kept at a time.
MATRIX_WORDS = 1 << 19
# Words of bits up to which every token of the vocabulary has a row of its own.
DIRECT_WORDS = 1 << 13


@compiled
def segment_length(size, width, budget):
    """How many of `size` rows of `width` to keep at a time: all of them, or what memory allows."""
    if size * width <= budget:
        return max(size, 1)
    return max(np.int64(np.sqrt(size)), budget // width)


@compiled
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


@compiled
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


@compiled
def mark(ref, words, local, peq, direct):
    """Note in `peq` where each of the reference's tokens stands: token `t` in row `local[t]`.

    In a small vocabulary every token has a row of its own, and all rows are empty before and after.
    In a large one the reference's distinct tokens are numbered from 1, and row 0 is for all others.
    """
    if direct:
        for i in range(len(ref)):
            peq[local[ref[i]] * words + (i >> 6)] |= ONE << np.uint64(i & 63)
        return
    known = 1
    for w in range(words):  # plain loops: on so few words they are faster than slices
        peq[w] = 0
    for i in range(len(ref)):
        row = local[ref[i]]
        if row == 0:
            row = known
            local[ref[i]] = row
            for w in range(words):
                peq[row * words + w] = 0
            known += 1
        peq[row * words + (i >> 6)] |= ONE << np.uint64(i & 63)


@compiled
def unmark(ref, words, local, peq, direct):
    """Undo `mark`."""
    for i in range(len(ref)):
        if direct:
            peq[local[ref[i]] * words + (i >> 6)] = 0
        else:
            local[ref[i]] = 0


@compiled
def unit_pair(ref, hyp, rule, local, peq, direct, states, first, second, count, ops, end, keep):
    """Align one pair as far back as either text's beginning.

    Returns how many tokens of each are left there, and where the operations begin.
    """
    m, n = len(ref), len(hyp)
    words = (m + 63) >> 6
    i, j = m, n
    if m and n:
        mark(ref, words, local, peq, direct)
        step = segment_length(n, words, MATRIX_WORDS)
        last = (n - 1) // step
        for w in range(words):
            states[0, w], states[1, w] = ALL, NONE
        for s in range(last):
            for w in range(words):
                states[2 * s + 2, w], states[2 * s + 3, w] = states[2 * s, w], states[2 * s + 1, w]
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
        unmark(ref, words, local, peq, direct)
    return i, j, end


@compiled
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
        # Without what it shares with its partner a text may be narrower and its segments longer.
        most = max(MATRIX_WORDS, np.int64(np.sqrt(n)) * width)
        kept = max(kept, min(n * width, most) + width)
    return tokens, words, segments, kept


@compiled
def common_prefix(ref, hyp, rule, i, j, ops, end):
    """Go back through the `min(i, j)` tokens that both texts begin with; returns where ops begin.

    Every alignment here is that many hits and |i - j| insertions or deletions. misword takes a hit
    wherever the tokens are equal, kaldialign takes the hits last, jiwer comes here with i == j.
    """
    while i > 0 or j > 0:
        if i > 0 and j > 0 and (i == j or (rule == MISWORD and ref[i - 1] == hyp[j - 1])):
            op = HIT
        else:
            op = INSERTION if j > i else DELETION
        i -= op != INSERTION
        j -= op != DELETION
        end -= 1
        ops[end] = op
    return end


@compiled
def unit(ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, how, totals, counts, ops, slots, keep):
    """Unit-cost alignment of pairs `lo..hi`; `how` is the tie rule and the number of token ids.

    What both texts begin with and (except for kaldialign) what both end with needs no matrix.
    """
    rule, size = how
    tokens, words, segments, kept = unit_scratch(ref_at, hyp_at, pairs, lo, hi)
    direct = size * words <= DIRECT_WORDS
    local = np.arange(size) if direct else np.zeros(size, np.int64)
    peq = np.zeros((size if direct else min(tokens, size) + 1) * words, np.uint64)
    states = np.empty((2 * segments + 4, words), np.uint64)
    first, second = np.empty(kept, np.uint64), np.empty(kept, np.uint64)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        hyp = hyp_ids[hyp_at[h] : hyp_at[h + 1]]
        m, n = len(ref), len(hyp)
        short = min(m, n)
        head = tail = 0
        while head < short and ref[head] == hyp[head]:
            head += 1
        if rule != KALDIALIGN:
            while tail < short - head and ref[m - 1 - tail] == hyp[n - 1 - tail]:
                tail += 1
        end = slots[p] - tail
        if keep:
            ops[end : end + tail] = HIT
        i, j, end = unit_pair(
            ref[head : m - tail], hyp[head : n - tail], rule,
            local, peq, direct, states, first, second, counts[p], ops, end, keep,
        )  # fmt: skip
        counts[p, HIT] += head + tail
        counts[p, DELETION] += i
        counts[p, INSERTION] += j
        totals[p] = counts[p, SUBSTITUTION] + counts[p, INSERTION] + counts[p, DELETION]
        if rule == JIWER and keep:
            ops[end - i - j : end - i] = INSERTION
            ops[end - i : end] = DELETION
            end, i, j = end - i - j, 0, 0
        if keep:
            end = common_prefix(ref, hyp, rule, i + head, j + head, ops, end)
        slots[p] = end


@compiled
def compact(ops, begins, offsets):
    """Move each pair's operations down to where the pair before it ends."""
    for p in range(len(begins)):
        shift = begins[p] - offsets[p]
        for at in range(offsets[p], offsets[p + 1]):
            ops[at] = ops[at + shift]


@compiled
def substituted(ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, ops, ops_at, starts, found):
    """Note the substituted tokens of pairs `lo..hi`: whose they are, and both ids."""
    owner, left, right = found
    for p in range(lo, hi):
        at = starts[p]
        if at == starts[p + 1]:
            continue
        i, j = ref_at[pairs[p, 0]], hyp_at[pairs[p, 1]]
        for k in range(ops_at[p], ops_at[p + 1]):
            op = ops[k]
            if op == SUBSTITUTION:
                owner[at], left[at], right[at] = p, ref_ids[i], hyp_ids[j]
                at += 1
            i += op != INSERTION
            j += op != DELETION
