"""The best sequence of offsets: dynamic programming over lines and candidate offsets.

Each line of the left file has one of the candidate offsets, or no partner. A path scores the
evidence of its pairs minus a cost for each change of the offset (a hidden Markov model whose best
path the Viterbi algorithm finds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Lines whose candidate offsets are chosen together.
CHUNK = 4096
# Stands for the offset of lines that have no partner.
NO_PARTNER = np.iinfo(np.int64).max

Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines `start` to `stop - 1` of the left file, counted from 0, that have one offset."""

    start: int
    stop: int
    offset: int

    def lines(self) -> NDArray[np.int64]:
        """Return the line numbers."""
        return np.arange(self.start, self.stop)


def change_cost(offsets: Offsets, lines: int) -> Floats:
    """Return the cost of a change to each offset, in nats: rarer the larger the offset is."""
    sizes = np.where(offsets == NO_PARTNER, 0, np.abs(offsets)).astype(np.float64)
    return np.asarray(np.log(max(lines, 2)) + 2 * np.log1p(sizes) + 5)


def best_path(
    lines: int,
    candidates: Callable[[int, int], Offsets],
    scores: Callable[[int, int, Offsets], Floats],
) -> list[Stretch]:
    """Return the stretches of the best path.

    `candidates` returns the offsets of a range of lines, `scores` the evidence as a table of lines
    and offsets. Lines without a partner score 0.
    """
    states: list[Offsets] = []
    origins: list[NDArray[np.int16]] = []
    known, total = np.array([0], np.int64), np.zeros(1)
    for lo in range(0, lines, CHUNK):
        hi = min(lo + CHUNK, lines)
        offsets = np.append(np.union1d(candidates(lo, hi), [0]), NO_PARTNER)
        table = np.column_stack([scores(lo, hi, offsets[:-1]), np.zeros(hi - lo)])
        origin, total = _forward(known, total, offsets, table, change_cost(offsets, lines))
        states.append(offsets)
        origins.append(origin)
        known = offsets
    return list(_stretches(_backward(states, origins, int(np.argmax(total))))) if lines else []


def _forward(
    known: Offsets, total: Floats, offsets: Offsets, table: Floats, cost: Floats
) -> tuple[NDArray[np.int16], Floats]:
    """Return, for each line and offset, the state before, and the scores after the last line."""
    origin = np.empty(table.shape, np.int16)
    before = np.searchsorted(known, offsets)
    before = np.where(known[np.minimum(before, len(known) - 1)] == offsets, before, -1)
    stay = np.arange(len(offsets), dtype=np.int16)
    for row in range(len(table)):
        best = int(np.argmax(total))
        if row:
            same, place = total, stay
        else:
            same, place = np.where(before >= 0, total[before], -np.inf), before.astype(np.int16)
        changed = total[best] - cost
        moves = changed > same
        origin[row] = np.where(moves, best, place)
        total = np.where(moves, changed, same) + table[row]
    return origin, total


def _backward(states: list[Offsets], origins: list[NDArray[np.int16]], last: int) -> Offsets:
    """Return the offset of each line on the path that ends in state `last`."""
    found: list[Offsets] = []
    for offsets, origin in zip(reversed(states), reversed(origins), strict=True):
        path = np.empty(len(origin), np.int64)
        for row in range(len(origin) - 1, -1, -1):
            path[row] = offsets[last]
            last = int(origin[row, last])
        found.append(path)
    return np.concatenate(found[::-1])


def _stretches(path: Offsets) -> Iterator[Stretch]:
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    for start, stop in zip(edges, edges[1:], strict=False):
        yield Stretch(start, stop, int(path[start]))
