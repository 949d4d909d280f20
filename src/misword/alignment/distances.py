"""Edit distances of many short sequences, and a search for the nearest ones in their prefix tree.

A distance is the cost of the cheapest alignment, without its operations. The costs equal those of
`align` with a cost table to the last bit. `closest` finds the nearest of many sequences without
measuring the distance to each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import TABLE, Costs
from misword.alignment.engine import check_arguments, check_pairs
from misword.alignment.kernels import Sides
from misword.core.types import Tokens
from misword.core.workers import run
from misword.native.library import INTEGER, REAL, SMALL, array, kernel

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NODE = 6  # numbers of a node, as in kernels.h

IDS, NUMBERS, PRICES = array(np.uint8, np.int32), array(np.int64), array(np.float64)
NUMBERS_OUT = array(np.int64, out=True)
_distances = kernel(
    "misword_distances", IDS, NUMBERS, IDS, NUMBERS, SMALL, NUMBERS, INTEGER, INTEGER, PRICES,
    PRICES, PRICES, INTEGER, array(np.float64, out=True),
)  # fmt: skip
_build_tree = kernel(
    "misword_build_tree", IDS, NUMBERS, SMALL, NUMBERS, INTEGER, NUMBERS_OUT, NUMBERS_OUT,
    NUMBERS_OUT,
)  # fmt: skip
_closest = kernel(
    "misword_closest", IDS, NUMBERS, SMALL, INTEGER, INTEGER, NUMBERS, INTEGER, NUMBERS, NUMBERS,
    INTEGER, PRICES, PRICES, PRICES, INTEGER, PRICES, REAL, REAL, NUMBERS, INTEGER,
    array(np.int32, out=True), array(np.float64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class GapPrices:
    """The price of inserting and of deleting each token, and what substitutions cost beyond one.

    `beyond[r, h]` is the price of substituting `r` by `h` minus the price of inserting `h`, for
    `fill_distances`, or of deleting `r`, for `fill_closest`.
    """

    insertion: Floats
    deletion: Floats
    beyond: Floats

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The parameters of the kernels."""
        return self.insertion, self.deletion, self.beyond, self.beyond.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The prefix tree of all sequences, as `misword_build_tree` in kernels.h describes it."""

    nodes: Integers
    order: Integers
    ends: Integers

    @classmethod
    def of(cls, ids: NDArray[Any], offsets: Integers, order: Integers) -> Tree:
        """Make the tree of sequences; `order` are their numbers in sorted order."""
        nodes = np.empty((len(ids) + 1, NODE), np.int64)
        ends, size = np.empty(len(order), np.int64), np.empty(1, np.int64)
        _build_tree(ids, offsets, ids.itemsize, order, len(order), nodes, ends, size)
        return cls(nodes[: size[0]], order, ends)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The parameters of the search."""
        return self.nodes, len(self.nodes), self.order, self.ends, len(self.order)


def fill_distances(
    sides: Sides, pairs: Integers, lo: int, hi: int, prices: GapPrices, costs: Floats
) -> None:
    """Write the costs of the cheapest alignments of pairs `lo..hi`."""
    width = sides.reference.itemsize
    _distances(*sides.arguments, width, pairs, lo, hi, *prices.arguments, costs)


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What a search leaves out, and bounds of costs that make it shorter.

    `cheapest` are the lowest prices of an insertion and a deletion; `greatest_insertion` is the
    greatest cost of inserting a whole sequence. Sequences that cost more than `limit` are left out,
    and for reference `r` the sequence `own[r]`.
    """

    cheapest: Floats
    greatest_insertion: float
    limit: float
    own: Integers


def fill_closest(
    sides: Sides,
    lo: int,
    hi: int,
    tree: Tree,
    prices: GapPrices,
    limits: Limits,
    ids: NDArray[np.int32],
    costs: Floats,
) -> None:
    """Write the nearest sequences of each reference `lo..hi` and their costs."""
    _closest(
        sides.reference, sides.reference_at, sides.reference.itemsize, lo, hi, *tree.arguments,
        *prices.arguments, limits.cheapest, limits.greatest_insertion, limits.limit, limits.own,
        ids.shape[1], ids, costs,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Closest:
    """The nearest sequences of each sequence and their costs, nearest first.

    Sequences of equal cost are in order of their number. If fewer than `k` were found, the
    remaining ids are -1 and the remaining costs infinite.
    """

    ids: NDArray[np.int32]
    costs: Floats


def distances(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    costs: Costs,
    workers: int | None = None,
) -> Floats:
    """Return the cost of the cheapest alignment of each pair.

    Pair `p` is `reference[pairs[p, 0]]` and `hypothesis[pairs[p, 1]]`. `costs` must be a table.

    >>> from misword.text.tokens import encode_lists
    >>> words = encode_lists(["cat", "cart"])
    >>> costs = Costs.table(np.ones((4, 4)), 0.5, 0.5)
    >>> distances(words, words, np.array([[0, 1], [0, 0]]), costs).tolist()
    [0.5, 0.0]
    """
    pairs = np.ascontiguousarray(pairs, np.int64)
    check_arguments(reference, hypothesis, "misword", costs)
    check_pairs(pairs, reference, hypothesis)
    _check_table(costs)
    sides = Sides.of(reference, hypothesis)
    beyond = _hits_free(costs) - costs.insertion[None, :]
    prices = GapPrices(costs.insertion, costs.deletion, beyond)
    result = np.empty(len(pairs))

    def chunk(lo: int, hi: int) -> None:
        fill_distances(sides, pairs, lo, hi, prices, result)

    work = reference.lengths[pairs[:, 0]] * hypothesis.lengths[pairs[:, 1]]
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
    _check_table(costs)
    shape = len(reference), min(k, len(hypothesis))
    nearest = Closest(np.full(shape, -1, np.int32), np.full(shape, np.inf))
    if not shape[1]:
        return nearest
    sides = Sides.of(reference, hypothesis)
    tree = Tree.of(sides.hypothesis, sides.hypothesis_at, _sorted(hypothesis))
    beyond = _hits_free(costs) - costs.deletion[:, None]
    prices = GapPrices(costs.insertion, costs.deletion, beyond)
    limits = _limits(reference, hypothesis, costs, limit, own)

    def chunk(lo: int, hi: int) -> None:
        fill_closest(sides, lo, hi, tree, prices, limits, nearest.ids, nearest.costs)

    run(chunk, reference.lengths + 1, workers)
    return nearest


def _limits(
    reference: Tokens,
    hypothesis: Tokens,
    costs: Costs,
    limit: float,
    own: NDArray[np.int64] | None,
) -> Limits:
    own = np.full(len(reference), -1) if own is None else own
    if len(own) != len(reference):
        raise ValueError(f"{len(reference)} references, but {len(own)} numbers in own")
    inserted = np.concatenate([[0.0], np.cumsum(costs.insertion[hypothesis.ids])])
    greatest_insertion = float(np.diff(inserted[hypothesis.offsets]).max())
    own = np.ascontiguousarray(own, np.int64)
    return Limits(np.array(costs.cheapest), greatest_insertion, float(limit), own)


def _sorted(tokens: Tokens) -> NDArray[np.int64]:
    """Return the numbers of all sequences in the order of their ids."""
    ids, at = tokens.ids.tolist(), tokens.offsets.tolist()
    rows = [ids[lo:hi] for lo, hi in pairwise(at)]
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), np.int64)


def _check_table(costs: Costs) -> None:
    if costs.form != TABLE:
        raise ValueError("distances need a table of costs")


def _hits_free(costs: Costs) -> Floats:
    """Return the table of prices with 0 for equal tokens."""
    prices = costs.prices.copy()
    np.fill_diagonal(prices, 0.0)
    return prices
