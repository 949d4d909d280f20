"""The steps of alignments: operation and tokens of both sides, for all pairs at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core import kernel_thresholds
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
    owner = np.repeat(np.arange(len(alignment)), alignment.counts.sum(axis=1))
    return Steps(owner, ops, *ids)


def substitutions(
    alignment: Alignment,
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    workers: int | None = None,
) -> Substitutions:
    """Return the substituted tokens of all alignments."""
    ops = alignment.all_operations
    if len(ops) < kernel_thresholds.SUBSTITUTIONS:
        every = steps(alignment, reference, hypothesis, pairs)
        rows = np.flatnonzero(every.ops == Op.SUBSTITUTION)
        return Substitutions(every.pair[rows], every.reference[rows], every.hypothesis[rows])
    from misword.alignment.operation_kernels import substituted

    counts = alignment.counts[:, Op.SUBSTITUTION]
    starts: Offsets = np.concatenate([[0], np.cumsum(counts)])
    substituted_tokens = Substitutions(*(np.empty(starts[-1], np.int64) for _ in range(3)))
    ops_at = alignment.all_offsets

    def chunk(lo: int, hi: int) -> None:
        substituted(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets,
            pairs, lo, hi, ops, ops_at, starts, substituted_tokens,
        )  # fmt: skip

    run(chunk, alignment.counts.sum(axis=1), workers)
    return substituted_tokens
