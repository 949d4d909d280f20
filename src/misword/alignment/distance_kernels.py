"""Edit distances of many short sequences and a search in their prefix tree, by kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.kernels import Sides
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
    `distances`, or of deleting `r`, for `closest`.
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


def distances(
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


def closest(
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
