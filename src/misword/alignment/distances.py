"""Edit distances of many short sequences: the cost of the cheapest alignment, without operations.

The costs equal those of `align` with a cost table to the last bit. `closest` finds the nearest of
many sequences without measuring the distance to each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import check_arguments
from misword.alignment.plain import weighted_pair
from misword.core import kernel_thresholds
from misword.core.types import Tokens
from misword.core.workers import run

if TYPE_CHECKING:
    from misword.alignment.distance_kernels import Tree

Distances = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Closest:
    """The nearest sequences of each sequence and their costs, nearest first.

    Sequences of equal cost are in order of their number. If fewer than `k` were found, the
    remaining ids are -1 and the remaining costs infinite.
    """

    ids: NDArray[np.int32]
    costs: Distances


def distances(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    costs: Costs,
    workers: int | None = None,
) -> Distances:
    """Return the cost of the cheapest alignment of each pair.

    Pair `p` is `reference[pairs[p, 0]]` and `hypothesis[pairs[p, 1]]`. `costs` must be a table.

    >>> from misword.text.tokens import encode_lists
    >>> words = encode_lists(["cat", "cart"])
    >>> costs = Costs.table(np.ones((4, 4)), 0.5, 0.5)
    >>> distances(words, words, np.array([[0, 1], [0, 0]]), costs).tolist()
    [0.5, 0.0]
    """
    check_arguments(reference, hypothesis, "misword", costs)
    work = reference.lengths[pairs[:, 0]] * hypothesis.lengths[pairs[:, 1]]
    if work.sum() < kernel_thresholds.SEQUENCE_DISTANCES:
        left, right = _lists(reference), _lists(hypothesis)
        totals = (weighted_pair(left[r], right[h], costs)[0] for r, h in pairs.tolist())
        return np.fromiter(totals, np.float64, len(pairs))
    from misword.alignment import distance_kernels as kernels

    beyond = _hits_free(costs) - costs.insertion[None, :]
    how = costs.insertion, costs.deletion, beyond, int(hypothesis.lengths.max(initial=0))
    result = np.empty(len(pairs))

    def chunk(lo: int, hi: int) -> None:
        kernels.pairwise(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets,
            pairs, lo, hi, how, result,
        )  # fmt: skip

    run(chunk, work + 8, workers)
    return result


def closest(
    reference: Tokens,
    hypothesis: Tokens,
    costs: Costs,
    k: int,
    *,
    limit: float = np.inf,
    own: NDArray[np.int64] | None = None,
    workers: int | None = None,
) -> Closest:
    """Return the `k` sequences of `hypothesis` that are cheapest to align with each of `reference`.

    The result is exact, though few distances are computed. Sequences that cost more than `limit`
    are left out, and for reference `r` the sequence with the number `own[r]`.

    >>> from misword.text.tokens import encode_lists
    >>> words = encode_lists(["cat", "cart", "rat", "dog"])
    >>> closest(words, words, Costs.table(np.ones((7, 7))), 2).ids[0].tolist()
    [0, 1]
    """
    check_arguments(reference, hypothesis, "misword", costs)
    own = np.full(len(reference), -1, np.int64) if own is None else own
    shape = len(reference), min(k, len(hypothesis))
    nearest = Closest(np.full(shape, -1, np.int32), np.full(shape, np.inf))
    search = Search(reference, hypothesis, costs, limit, own)
    if len(reference) * len(hypothesis) < kernel_thresholds.NEAREST_SEQUENCES:
        search.plain(nearest)
    elif shape[1]:
        search.compiled(nearest, workers)
    return nearest


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A search for the nearest sequences: the sequences of both sides, the costs and the limits."""

    reference: Tokens
    hypothesis: Tokens
    costs: Costs
    limit: float
    own: NDArray[np.int64]

    def plain(self, nearest: Closest) -> None:
        """Fill `nearest` by computing all distances."""
        hypotheses, k = _lists(self.hypothesis), nearest.ids.shape[1]
        for r, ref in enumerate(_lists(self.reference)):
            row = np.array([weighted_pair(ref, hyp, self.costs)[0] for hyp in hypotheses])
            order = np.argsort(row, kind="stable")
            best = order[(row[order] <= self.limit) & (order != self.own[r])][:k]
            nearest.ids[r, : len(best)], nearest.costs[r, : len(best)] = best, row[best]

    def compiled(self, nearest: Closest, workers: int | None) -> None:
        """Fill `nearest` by a search in the prefix tree of all sequences."""
        from misword.alignment import distance_kernels as kernels

        costs, tree = self.costs, _tree(self.hypothesis)
        inserted = np.concatenate([[0.0], np.cumsum(costs.insertion[self.hypothesis.ids])])
        greatest_insertion = float(np.diff(inserted[self.hypothesis.offsets]).max())
        how = (
            costs.insertion,
            costs.deletion,
            _hits_free(costs) - costs.deletion[:, None],
            costs.cheapest,
            greatest_insertion,
        )

        def chunk(lo: int, hi: int) -> None:
            kernels.closest(
                self.reference.ids, self.reference.offsets, lo, hi, tree, how, float(self.limit),
                self.own, nearest.ids, nearest.costs,
            )  # fmt: skip

        run(chunk, self.reference.lengths + 1, workers)


def _tree(tokens: Tokens) -> Tree:
    """Return the prefix tree of all sequences that `distance_kernels.build_tree` describes."""
    from misword.alignment.distance_kernels import build_tree

    rows = _lists(tokens)
    order = np.array(sorted(range(len(rows)), key=rows.__getitem__), np.int64)
    most = len(tokens.ids) + 1
    depth, token, skip = (np.empty(most, np.int64) for _ in range(3))
    first, shortest, longest = (np.empty(most, np.int64) for _ in range(3))
    ends = np.empty(len(rows), np.int64)
    size = build_tree(
        tokens.ids, tokens.offsets, order, depth, token, skip, first, shortest, longest, ends
    )
    return (
        depth[:size],
        token[:size],
        skip[:size],
        first[:size],
        shortest[:size],
        longest[:size],
        order,
        ends,
    )


def _hits_free(costs: Costs) -> Distances:
    """Return the table of prices with 0 for equal tokens."""
    prices = costs.prices.copy()
    np.fill_diagonal(prices, 0.0)
    return prices


def _lists(tokens: Tokens) -> Sequence[list[int]]:
    ids, at = tokens.ids.tolist(), tokens.offsets.tolist()
    return [ids[lo:hi] for lo, hi in pairwise(at)]
