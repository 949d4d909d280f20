"""A dictionary induced from two spaces, in both directions: a step of VecMap's self-learning.

Each pair of words is kept with a probability that grows during the training (Artetxe et al. 2018,
section 3.3): the search leaves bad optima, and needs no other noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.hubness import hubness

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

MEMORY = 1_100_000_000  # bytes of products kept between the two looks at them
BLOCK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """The best target of each source row, the best source of each target row, and how close all are.

    Rows of zeros have -1. The objective is the mean, over the words of both sides, of the
    greatest plain cosine (no hubness taken off, nothing dropped).
    """

    forward: Rows
    backward: Rows
    objective: float


def induce(
    source: Matrix,
    target: Matrix,
    *,
    csls: int = 10,
    keep: float = 1.0,
    seed: int = 0,
    turn: int = 0,
    workers: int | None = None,
    memory: int = MEMORY,
) -> Induced:
    """The best partner of each word by cosine less half its hubness, among the pairs kept.

    Which pairs are kept is decided by `kept`: a function of seed, turn, direction and the two row
    numbers, so that it depends on nothing else. The released VecMap multiplies the scores of dropped pairs
    by 0; here they are out, also where every score that is left is negative. A word all of whose pairs are
    dropped takes its best of all.
    """
    real = np.flatnonzero(source.any(axis=1)), np.flatnonzero(target.any(axis=1))
    forward, backward = np.full(len(source), -1), np.full(len(target), -1)
    x, z = source[real[0]], target[real[1]]
    hubs = hubness(x, z, csls, workers) if csls else hubness(x, z, 1, workers)
    off = (hubs.source / 2, hubs.target / 2) if csls else (hubs.source * 0, hubs.target * 0)
    if len(x) and len(z):
        forward[real[0]] = real[1][_best(x, z, off[1], keep, seed, turn, 0)]
        backward[real[1]] = real[0][_best(z, x, off[0], keep, seed, turn, 1)]
        objective = (hubs.best_source.mean(dtype=float) + hubs.best_target.mean(dtype=float)) / 2
    else:
        objective = 0.0
    return Induced(forward, backward, float(objective))


def _best(
    rows: Matrix, others: Matrix, off: Matrix, keep: float, seed: int, turn: int, direction: int
) -> Rows:
    found = np.empty(len(rows), np.int64)
    for lo in range(0, len(rows), BLOCK):
        scores = rows[lo : lo + BLOCK] @ others.T - off
        own, other = np.arange(lo, lo + len(scores))[:, None], np.arange(len(others))
        mask = kept(own, other, keep, seed, turn, direction)
        mask |= ~mask.any(axis=1, keepdims=True)
        found[lo : lo + BLOCK] = np.where(mask, scores, -np.inf).argmax(axis=1)
    return found


GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def kept(
    rows: Rows, others: Rows, keep: float, seed: int, turn: int, direction: int
) -> NDArray[np.bool_]:
    """Which pairs are kept: a coin for each, the same whoever asks (SplitMix64, Steele 2014)."""
    with np.errstate(over="ignore"):
        key = _mixed(np.uint64(seed) + np.uint64(GOLDEN))
        key = _mixed(key ^ np.uint64(2 * turn + direction))
        pair = (rows.astype(np.uint64) << np.uint64(32)) | others.astype(np.uint64)
        coin = _mixed(key + pair * np.uint64(GOLDEN))
    limit = round(keep * 2**53)
    found: NDArray[np.bool_] = (coin >> np.uint64(11)) < np.uint64(limit)
    return found


def _mixed(bits):  # type: ignore[no-untyped-def]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(FIRST)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(SECOND)
    return bits ^ (bits >> np.uint64(31))
