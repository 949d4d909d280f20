"""The steps of alignments: operation and tokens of both sides, for all pairs at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment import kernels
from misword.alignment.engine import check_operations, check_pairs
from misword.core.types import Alignment, Offsets, Op, Tokens
from misword.core.workers import run


class Substitutions(NamedTuple):
    """The substitutions of all pairs: number of the pair, reference id, hypothesis id."""

    pair: NDArray[np.int64]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


class Steps(NamedTuple):
    """The steps of all alignments: number of the pair, operation, ids (-1 for no token)."""

    pair: NDArray[np.int64]
    ops: NDArray[np.uint8]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


def steps(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Steps:
    """Return the steps of all alignments with the tokens of both sides."""
    ops = alignment.all_operations
    ids = []
    for tokens, rows, absent in zip(
        (reference, hypothesis), pairs.T, (Op.INSERTION, Op.DELETION), strict=True
    ):
        side = np.full(len(ops), -1, np.int64)
        side[ops != absent] = tokens.take(rows).ids
        ids.append(side)
    owner = np.repeat(np.arange(len(alignment)), np.diff(alignment.all_offsets))
    return Steps(owner, ops, *ids)


def substitutions(
    alignment: Alignment,
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    workers: int | None = None,
) -> Substitutions:
    """Return the substituted tokens of all alignments."""
    pairs = np.ascontiguousarray(pairs, np.int64)
    check_pairs(pairs, reference, hypothesis)
    check_operations(alignment, pairs)
    sides = kernels.Sides.of(reference, hypothesis)
    starts: Offsets = np.concatenate([[0], np.cumsum(alignment.counts[:, Op.SUBSTITUTION])])
    listed = Substitutions(*(np.empty(starts[-1], np.int64) for _ in range(3)))

    def chunk(lo: int, hi: int) -> None:
        kernels.list_substitutions(sides, pairs, lo, hi, alignment, starts, listed)

    run(chunk, np.diff(alignment.all_offsets), workers)
    return listed
