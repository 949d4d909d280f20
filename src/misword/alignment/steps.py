"""What stands at each place of an alignment: the tokens of both sides, for all pairs at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core import kernel_thresholds
from misword.core.types import Alignment, Ids, Offsets, Op, Tokens
from misword.core.workers import run


class Substitutions(NamedTuple):
    """Substituted tokens of all pairs: whose they are, reference ids, hypothesis ids."""

    pair: NDArray[np.int64]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


class Steps(NamedTuple):
    """Every place of every alignment: whose it is, the operation, the ids (-1: none there)."""

    pair: NDArray[np.int64]
    ops: NDArray[np.uint8]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


def steps(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Steps:
    """Lay the tokens of both sides along the operations."""
    ops = alignment.all_operations
    ids = []
    for tokens, rows, absent in zip(
        (reference, hypothesis), pairs.T, (Op.INSERTION, Op.DELETION), strict=True
    ):
        side = np.full(len(ops), -1, np.int64)
        side[ops != absent] = tokens.take(rows).ids
        ids.append(side)
    owner = np.repeat(np.arange(len(alignment)), alignment.counts.sum(axis=1))
    return Steps(owner, ops, *ids)


def substitutions(
    alignment: Alignment,
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    workers: int | None = None,
) -> Substitutions:
    """Only the substituted tokens."""
    ops = alignment.all_operations
    if len(ops) < kernel_thresholds.SUBSTITUTIONS:
        laid = steps(alignment, reference, hypothesis, pairs)
        chosen = laid.ops == Op.SUBSTITUTION
        return Substitutions(laid.pair[chosen], laid.reference[chosen], laid.hypothesis[chosen])
    from misword.alignment.kernels import substituted

    counts = alignment.counts[:, Op.SUBSTITUTION]
    starts: Offsets = np.concatenate([[0], np.cumsum(counts)])
    found = Substitutions(*(np.empty(starts[-1], np.int64) for _ in range(3)))
    sides: tuple[Ids, Offsets, Ids, Offsets] = (
        reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets,
    )  # fmt: skip

    def chunk(lo: int, hi: int) -> None:
        substituted(*sides, pairs, lo, hi, ops, alignment.offsets, starts, found)

    run(chunk, alignment.counts.sum(axis=1), workers)
    return found
