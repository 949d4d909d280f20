"""Slow, direct implementations of alignment to compare the fast ones with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import fsum

import numpy as np

from misword.alignment import Costs
from misword.core.types import Tokens


def tokens(*sides: Sequence[Sequence[int]]) -> list[Tokens]:
    """Token sequences over the vocabulary 0..99."""
    made = []
    for rows in sides:
        ids = np.array([i for row in rows for i in row], np.int32)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        made.append(Tokens(ids, offsets, [str(i) for i in range(100)]))
    return made


def matrix(
    ref: Sequence[int],
    hyp: Sequence[int],
    substitution: Callable[[int, int], float] = lambda a, b: 1.0,
    insertion: Callable[[int], float] = lambda b: 1.0,
    deletion: Callable[[int], float] = lambda a: 1.0,
) -> list[list[float]]:
    """Least cost of turning each beginning of the reference into each of the hypothesis."""

    @cache
    def cost(i: int, j: int) -> float:
        if not i and not j:
            return 0.0
        ways = []
        if i and j:
            same = ref[i - 1] == hyp[j - 1]
            ways.append(
                cost(i - 1, j - 1) + (0.0 if same else substitution(ref[i - 1], hyp[j - 1]))
            )
        if j:
            ways.append(cost(i, j - 1) + insertion(hyp[j - 1]))
        if i:
            ways.append(cost(i - 1, j) + deletion(ref[i - 1]))
        return min(ways)

    return [[cost(i, j) for j in range(len(hyp) + 1)] for i in range(len(ref) + 1)]


def backtrace(ref: Sequence[int], hyp: Sequence[int]) -> list[int]:
    """misword's rule read off the full matrix: diagonal, then insertion, then deletion."""
    table = matrix(ref, hyp)
    i, j, ops = len(ref), len(hyp), []
    while i or j:
        here = table[i][j]
        if i and j and table[i - 1][j - 1] + (ref[i - 1] != hyp[j - 1]) == here:
            ops.append(int(ref[i - 1] != hyp[j - 1]))
            i, j = i - 1, j - 1
        elif j and table[i][j - 1] + 1 == here:
            ops.append(2)
            j -= 1
        else:
            ops.append(3)
            i -= 1
    return ops[::-1]


def price(costs: Costs, left: int, right: int) -> float:
    """The price of substituting one token by another, read off the fields of the costs."""
    if left == right:
        return 0.0
    if len(costs.units):
        if not (costs.known[left] and costs.known[right]):
            return costs.default
        # The product of two numbers of single precision is exact in double, and `fsum` rounds once.
        rows = [costs.units[token].astype(np.float64).tolist() for token in (left, right)]
        distance = fsum([1.0, *(-a * b for a, b in zip(*rows, strict=True))])
        found = float(np.rint(distance * (1 << 40))) / (1 << 40)
        return found if found >= 1e-6 else 0.0
    if len(costs.starts):
        listed = range(costs.starts[left], costs.starts[left + 1])
        prices = [float(costs.prices[0, at]) for at in listed if costs.partners[at] == right]
        return prices[0] if prices else costs.default
    return float(costs.prices[left, right])


def weighted(ref: Sequence[int], hyp: Sequence[int], costs: Costs) -> tuple[float, list[int]]:
    """The least cost and its operations, read off the full matrix.

    From the end backwards a hit or substitution is taken, else an insertion, else a deletion.
    """
    prices = {(a, b): price(costs, a, b) for a in set(ref) for b in set(hyp)}
    insertion, deletion = costs.insertion.tolist(), costs.deletion.tolist()
    lines = [[0.0]]
    for token in hyp:
        lines[0].append(lines[0][-1] + insertion[token])
    directions: list[list[int]] = []
    for word in ref:
        above, row, ways_taken = lines[-1], [lines[-1][0] + deletion[word]], []
        for j, token in enumerate(hyp):
            swapped, inserted = above[j] + prices[word, token], row[j] + insertion[token]
            ways = swapped, inserted, above[j + 1] + deletion[word]
            row.append(min(ways))
            ways_taken.append(ways.index(row[-1]) + 1)
        lines.append(row)
        directions.append(ways_taken)
    i, j, ops = len(ref), len(hyp), []
    while i or j:
        op = directions[i - 1][j - 1] if i and j else 3 if i else 2
        i, j = i - (op != 2), j - (op != 3)
        ops.append(0 if op == 1 and ref[i] == hyp[j] else op)
    return lines[-1][-1], ops[::-1]
