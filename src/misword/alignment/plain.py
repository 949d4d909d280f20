"""Alignment of one pair in plain Python, for small inputs: loading compiled code would take longer.

The algorithms are those of `alignment/kernels.py`, with Python integers as bit vectors of any
length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.alignment.costs import Costs
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
    """Return the operation of the tie rule, as `kernels.tie_operation` does."""
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


def weighted_pair(ref: Sequence[int], hyp: Sequence[int], costs: Costs) -> tuple[float, list[int]]:
    """Return the least total cost and its operations.

    Of equal costs, a hit or substitution is taken before an insertion, and that before a deletion.
    """
    insertion, deletion = costs.insertion.tolist(), costs.deletion.tolist()
    line = [0.0]
    for token in hyp:
        line.append(line[-1] + insertion[token])
    directions = []
    prices = costs.grid(np.asarray(ref, np.int64), np.asarray(hyp, np.int64)).tolist()
    for word, price in zip(ref, prices, strict=True):
        drop = deletion[word]
        new, row = [line[0] + drop], []
        for j, token in enumerate(hyp):
            ways = (line[j] + price[j], new[j] + insertion[token], line[j + 1] + drop)
            best = min(ways)
            way = ways.index(best)
            row.append(way + 1 if way or token != word else Op.HIT)
            new.append(best)
        directions.append(row)
        line = new
    ops: list[int] = []
    i, j = len(ref), len(hyp)
    while i or j:
        op = directions[i - 1][j - 1] if i and j else Op.DELETION if i else Op.INSERTION
        i -= op != Op.INSERTION
        j -= op != Op.DELETION
        ops.append(op)
    return line[-1], ops[::-1]
