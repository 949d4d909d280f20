"""The best sequence of offsets: dynamic programming over lines and candidate offsets.

Each line of the left file has one of the candidate offsets, or no partner. A path scores the
evidence of its pairs minus a cost for each change of the offset: the best path of a hidden Markov
model, found by the Viterbi algorithm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

# Stands for the offset of lines that have no partner.
NO_PARTNER = int(np.iinfo(np.int64).max)

Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines `start` to `stop - 1` of the left file, counted from 0, that have one offset."""

    start: int
    stop: int
    offset: int


def change_cost(offsets: Offsets, lines: int) -> Floats:
    """Return the cost of a change to each offset in a file of some lines, in nats.

    A change can be at each line, and to each offset; large offsets are rarer than small ones. The
    cost is the negative log of such a prior probability, up to a constant.
    """
    sizes = np.where(offsets == NO_PARTNER, 0, np.abs(offsets)).astype(np.float64)
    return np.asarray(np.log(max(lines, 2)) + 2 * np.log1p(sizes) + 5)


def best_path(tables: Iterable[tuple[Offsets, Floats]], lines: int) -> list[Stretch]:
    """Return the stretches of the best path.

    Each table has the evidence of some lines (rows) at some offsets, which are in ascending order;
    the tables follow each other. Lines without a partner score 0.
    """
    states: list[Offsets] = []
    origins: list[NDArray[np.int16]] = []
    known, total = np.zeros(1, np.int64), np.zeros(1)
    for offsets, table in tables:
        offsets = np.append(offsets, NO_PARTNER)
        table = np.column_stack([table, np.zeros(len(table))])
        origin, total = _forward(known, total, offsets, table, change_cost(offsets, lines))
        states.append(offsets)
        origins.append(origin)
        known = offsets
    return join(_backward(states, origins, int(np.argmax(total)))) if states else []


def join(path: Offsets) -> list[Stretch]:
    """Return the stretches of equal offsets of consecutive lines."""
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    return [Stretch(start, stop, int(path[start])) for start, stop in pairwise(edges)]


def _forward(
    known: Offsets, total: Floats, offsets: Offsets, table: Floats, cost: Floats
) -> tuple[NDArray[np.int16], Floats]:
    """Return, for each line and offset, the state before, and the scores after the last line.

    `known` are the offsets before the first line, with their scores `total`.
    """
    origin = np.empty(table.shape, np.int16)
    place = np.minimum(np.searchsorted(known, offsets), len(known) - 1)
    same = np.where(known[place] == offsets, total[place], -np.inf)
    for row, scores in enumerate(table):
        best = total.argmax()
        changed = total[best] - cost
        origin[row] = np.where(changed > same, best, place)
        total = np.maximum(changed, same) + scores
        place, same = np.arange(len(offsets)), total
    return origin, total


def _backward(states: list[Offsets], origins: list[NDArray[np.int16]], last: int) -> Offsets:
    """Return the offset of each line on the path that ends in state `last`."""
    found: list[Offsets] = []
    for offsets, origin in zip(reversed(states), reversed(origins), strict=True):
        path = np.empty(len(origin), np.int64)
        for row in range(len(origin) - 1, -1, -1):
            path[row] = last
            last = int(origin[row, last])
        found.append(offsets[path])
    return np.concatenate(found[::-1])
