"""Slow, direct implementations of alignment to compare the fast ones with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

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
