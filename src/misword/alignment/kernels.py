"""Compiled alignment of many pairs with unit costs; imported for large inputs only.

`unit` here and `weighted` in `weighted_kernels.py` align the pairs `lo..hi` and write the counts of
each pair. With `keep` they also write its operations, from the end of the pair's slot backwards:
before the call `slots[p]` is the end of the slot of pair `p`, after it the first of its operations.

Long pairs are divided into segments to save memory: the forward pass keeps only the state at the
start of each segment, and the way back computes one segment at a time again, which doubles the
time. Only the bit vectors of token positions (one bit for each position and distinct token) grow
with the product of the lengths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled
from misword.core.types import Ids, Offsets

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]
Operations = NDArray[np.uint8]

HIT, SUBSTITUTION, INSERTION, DELETION = 0, 1, 2, 3
MISWORD, JIWER, KALDIALIGN = 0, 1, 2

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP = np.uint64(63)

# Number of 64-bit words of each bit matrix in memory at a time.
MATRIX_WORDS = 1 << 19
# Number of 64-bit words up to which every token of the vocabulary has its own row of bits.
DIRECT_WORDS = 1 << 13


@compiled
def segment_length(size: int, width: int, budget: int) -> int:
    """Return how many of `size` rows of `width` to keep at a time: all that fit in the budget."""
    if size * width <= budget:
        return max(size, 1)
    return max(int(np.sqrt(size)), budget // width)


@compiled
def advance(
    hyp: Ids,
    lo: int,
    hi: int,
    words: int,
    peq: Bits,
    local: Integers,
    vp: Bits,
    vn: Bits,
    rule: int,
    first: Bits,
    second: Bits,
) -> None:
    """Do Hyyrö's bit-parallel step (2003) for hypothesis tokens `lo..hi`.

    Bit i stands for reference token i. `first` and `second` get the two bit vectors of each step
    that the tie rule reads on the way back; `second` begins with the state before the segment.
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
def tie_operation(
    rule: int, hit: bool, i: int, row: int, words: int, first: Bits, second: Bits
) -> int:
    """Return the operation of the tie rule at reference token `i` and row `row` of the segment.

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
def mark(ref: Ids, words: int, local: Integers, peq: Bits, direct: bool) -> None:
    """Set the bits of the positions of each reference token: token `t` has row `local[t]` of `peq`.

    With `direct` (a small vocabulary) every token has its own row, and all rows are 0 before and
    after. Otherwise the distinct tokens of the reference have rows from 1, all others row 0.
    """
    if direct:
        for i in range(len(ref)):
            peq[local[ref[i]] * words + (i >> 6)] |= ONE << np.uint64(i & 63)
        return
    next_row = 1
    for w in range(words):  # on so few words, loops are faster than slices
        peq[w] = 0
    for i in range(len(ref)):
        row = local[ref[i]]
        if row == 0:
            row = next_row
            local[ref[i]] = row
            for w in range(words):
                peq[row * words + w] = 0
            next_row += 1
        peq[row * words + (i >> 6)] |= ONE << np.uint64(i & 63)


@compiled
def unmark(ref: Ids, words: int, local: Integers, peq: Bits, direct: bool) -> None:
    """Undo `mark`."""
    for i in range(len(ref)):
        if direct:
            peq[local[ref[i]] * words + (i >> 6)] = 0
        else:
            local[ref[i]] = 0


@compiled
def unit_pair(
    ref: Ids,
    hyp: Ids,
    rule: int,
    local: Integers,
    peq: Bits,
    direct: bool,
    states: Bits,
    first: Bits,
    second: Bits,
    count: Integers,
    ops: Operations,
    end: int,
    keep: bool,
) -> tuple[int, int, int]:
    """Align one pair from its end back to the beginning of either text.

    Returns the number of tokens that remain in each text, and the first of the operations.
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
                op = tie_operation(rule, hit, i - 1, j - 1 - lo, words, first, second)
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
def unit_scratch(
    ref_at: Offsets, hyp_at: Offsets, pairs: Integers, lo: int, hi: int
) -> tuple[int, int, int, int]:
    """Return the largest sizes over pairs `lo..hi`: reference, words, segments, kept words."""
    tokens = words = segments = kept = 0
    for p in range(lo, hi):
        m = ref_at[pairs[p, 0] + 1] - ref_at[pairs[p, 0]]
        n = hyp_at[pairs[p, 1] + 1] - hyp_at[pairs[p, 1]]
        width = (m + 63) >> 6
        step = segment_length(n, max(width, 1), MATRIX_WORDS)
        tokens, words = max(tokens, m), max(words, width)
        segments = max(segments, (n + step - 1) // step)
        # Without the common prefix and suffix a text may be shorter and its segments longer.
        most = max(MATRIX_WORDS, np.int64(np.sqrt(n)) * width)
        kept = max(kept, min(n * width, most) + width)
    return tokens, words, segments, kept


@compiled
def common_prefix(ref: Ids, hyp: Ids, rule: int, i: int, j: int, ops: Operations, end: int) -> int:
    """Write the operations of the common prefix of both texts; return the first of them.

    `i` and `j` are the numbers of tokens left, of which the first `min(i, j)` are equal. An optimal
    alignment has that many hits and |i - j| insertions or deletions. The rule `misword` takes a hit
    wherever the tokens are equal, `kaldialign` takes the hits last; for `jiwer`, i equals j.
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
def unit(
    ref_ids: Ids,
    ref_at: Offsets,
    hyp_ids: Ids,
    hyp_at: Offsets,
    pairs: Integers,
    lo: int,
    hi: int,
    how: tuple[int, int],
    totals: NDArray[np.float64],
    counts: Integers,
    ops: Operations,
    slots: Offsets,
    keep: bool,
) -> None:
    """Align pairs `lo..hi` with unit costs; `how` is the tie rule and the number of token ids.

    The common prefix and (except for kaldialign) the common suffix of a pair need no matrix.
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
