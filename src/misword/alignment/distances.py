"""What the cheapest alignment costs, and nothing else: for many pairs of short sequences.

The same recurrence as `align` with a cost table, to the last bit, without operations and counts,
and a search for the nearest of many sequences that measures few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import check
from misword.alignment.plain import weighted_pair
from misword.core.types import Tokens
from misword.core.workers import run

# Cells, and pairs to be looked at, from which on compiled code wins even if it must be loaded.
DISTANCES_KERNEL_FROM = 1_000_000
CLOSEST_KERNEL_FROM = 2_000_000

Distances = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """A row of small whole numbers for each sequence, from which a bound on distances follows.

    `step` times the taxicab distance of two rows is never more than what it costs to align the two
    sequences.
    """

    rows: NDArray[np.int8]
    step: float


@dataclass(frozen=True, slots=True, eq=False)
class Closest:
    """The nearest sequences of each, nearest first, equals by their number; -1 where no more."""

    ids: NDArray[np.int32]
    costs: Distances


def distances(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    costs: Costs,
    workers: int | None = None,
) -> Distances:
    """What aligning `reference[pairs[p, 0]]` with `hypothesis[pairs[p, 1]]` costs, for each `p`.

    `costs` must be a table.

    >>> from misword.text.tokens import encode_lists
    >>> words = encode_lists(["cat", "cart"])
    >>> costs = Costs.table(np.ones((4, 4)), 0.5, 0.5)
    >>> distances(words, words, np.array([[0, 1], [0, 0]]), costs).tolist()
    [0.5, 0.0]
    """
    check(reference, hypothesis, "misword", costs)
    work = reference.lengths[pairs[:, 0]] * hypothesis.lengths[pairs[:, 1]]
    if work.sum() < DISTANCES_KERNEL_FROM:
        left, right = _lists(reference), _lists(hypothesis)
        found = (weighted_pair(left[r], right[h], costs)[0] for r, h in pairs.tolist())
        return np.fromiter(found, np.float64, len(pairs))
    from misword.alignment.distance_kernels import pairwise

    how, result = _how(hypothesis, costs), np.empty(len(pairs))

    def chunk(lo: int, hi: int) -> None:
        pairwise(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets,
            pairs, lo, hi, how, result,
        )  # fmt: skip

    run(chunk, work + 8, workers)
    return result


def closest(
    reference: Tokens,
    hypothesis: Tokens,
    costs: Costs,
    sketches: tuple[Sketches, Sketches],
    k: int,
    *,
    limit: float = np.inf,
    own: NDArray[np.int64] | None = None,
    workers: int | None = None,
) -> Closest:
    """The `k` sequences of `hypothesis` that are cheapest to align with each of `reference`.

    Exact, though few pairs are measured: `sketches` of both sides say which cannot be among them.
    What costs more than `limit` is left out, and so is the sequence with the number `own[r]`.
    """
    check(reference, hypothesis, "misword", costs)
    own = np.full(len(reference), -1, np.int64) if own is None else own
    k = min(k, len(hypothesis))
    found = Closest(
        np.full((len(reference), k), -1, np.int32), np.full((len(reference), k), np.inf)
    )
    left, right = sketches
    if k == 0:
        return found
    if len(reference) * len(hypothesis) < CLOSEST_KERNEL_FROM:
        _closest_plainly(reference, hypothesis, costs, sketches, limit, own, found)
        return found
    from misword.alignment import distance_kernels as kernels

    how, rows = _how(hypothesis, costs), (left.rows, right.rows, left.step, own)
    sizes = np.zeros(len(reference), np.int64)

    def chunk(lo: int, hi: int) -> None:
        kernels.closest(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets,
            lo, hi, how, rows, limit, found.ids, found.costs, sizes,
        )  # fmt: skip

    run(chunk, np.ones(len(reference), np.int64), workers)
    return found


def _closest_plainly(
    reference: Tokens,
    hypothesis: Tokens,
    costs: Costs,
    sketches: tuple[Sketches, Sketches],
    limit: float,
    own: NDArray[np.int64],
    found: Closest,
) -> None:
    """By rising bounds, until none that is left can be nearer than the worst of those found."""
    left, right = sketches
    texts, k = _lists(hypothesis), found.ids.shape[1]
    for r, said in enumerate(_lists(reference)):
        apart = np.abs(left.rows[r].astype(np.int32) - right.rows).sum(axis=1) * left.step
        best: list[tuple[float, int]] = []
        for c in np.argsort(apart, kind="stable").tolist():
            if apart[c] > (best[k - 1][0] if len(best) == k else limit) + 1e-6:
                break
            cost = weighted_pair(said, texts[c], costs)[0]
            if c != own[r] and cost <= limit:
                best = sorted([*best, (cost, c)])[:k]
        found.ids[r, : len(best)] = [c for _, c in best]
        found.costs[r, : len(best)] = [cost for cost, _ in best]


def _how(hypothesis: Tokens, costs: Costs) -> tuple[Any, ...]:
    """What the kernels need of the costs: a hit costs nothing, whatever the table says."""
    prices = costs.prices.copy()
    np.fill_diagonal(prices, 0.0)
    beyond = prices - costs.insertion[None, :]
    return costs.insertion, costs.deletion, beyond, int(hypothesis.lengths.max(initial=0))


def _lists(tokens: Tokens) -> Sequence[list[int]]:
    ids, at = tokens.ids.tolist(), tokens.offsets.tolist()
    return [ids[lo:hi] for lo, hi in zip(at[:-1], at[1:], strict=True)]
