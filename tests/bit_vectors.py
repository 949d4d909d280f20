"""Unit-cost alignment of one pair with Python integers as bit vectors, to compare the kernels with.

Unlike `brute.matrix` it is fast enough for texts of a few thousand tokens, and it knows all tie
rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.types import Op


def unit_pair(ref: Sequence[int], hyp: Sequence[int], ties: str) -> tuple[float, list[int]]:
    """Return the least number of edits and the operations that the rule `ties` chooses."""
    head = tail = 0
    short = min(len(ref), len(hyp))
    if ties == "jiwer":
        while head < short and ref[head] == hyp[head]:
            head += 1
    if ties != "kaldialign":
        while tail < short - head and ref[-1 - tail] == hyp[-1 - tail]:
            tail += 1
    middle = _middle(ref[head : len(ref) - tail], hyp[head : len(hyp) - tail], ties)
    errors = sum(op != Op.HIT for op in middle)
    return errors, [Op.HIT] * head + middle + [Op.HIT] * tail


def _middle(ref: Sequence[int], hyp: Sequence[int], ties: str) -> list[int]:
    bits = _bit_rows(ref, hyp)
    ops: list[int] = []
    i, j = len(ref), len(hyp)
    while i and j:
        op = _tie_operation(ties, ref[i - 1] == hyp[j - 1], 1 << (i - 1), bits[j - 1], bits[j])
        i -= op != Op.INSERTION
        j -= op != Op.DELETION
        ops.append(op)
    return [Op.INSERTION] * j + [Op.DELETION] * i + ops[::-1]


def _bit_rows(ref: Sequence[int], hyp: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return Hyyrö's bit vectors after each hypothesis token.

    Their bits are set where the diagonal difference is 0, the horizontal difference is +1, and the
    vertical difference is +1 and -1.
    """
    mask = (1 << len(ref)) - 1
    where: dict[int, int] = {}
    for i, token in enumerate(ref):
        where[token] = where.get(token, 0) | 1 << i
    vp, vn = mask, 0
    rows = [(0, 0, vp, vn)]
    for token in hyp:
        x = where.get(token, 0)
        d0 = (((x & vp) + vp) ^ vp) | x | vn
        hp = vn | ~(d0 | vp)
        shifted = hp << 1 | 1
        vp, vn = ((d0 & vp) << 1 | ~(d0 | shifted)) & mask, shifted & d0 & mask
        rows.append((d0, hp, vp, vn))
    return rows


def _tie_operation(
    ties: str, hit: bool, bit: int, before: tuple[int, ...], here: tuple[int, ...]
) -> Op:
    """Return the operation of the tie rule, as `tie_operation` of `unit_alignment.h` does."""
    d0, hp, vp, _ = here
    if ties == "misword":
        if hit or not d0 & bit:
            return Op.HIT if hit else Op.SUBSTITUTION
        return Op.INSERTION if before[3] & bit else Op.DELETION
    if ties == "jiwer":
        if vp & bit:
            return Op.DELETION
        if before[3] & bit:
            return Op.INSERTION
    else:
        if hp & bit:
            return Op.INSERTION
        if vp & bit:
            return Op.DELETION
    return Op.HIT if hit else Op.SUBSTITUTION
