"""Compiled steps over the operations of many alignments; imported for large inputs only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled
from misword.core.types import Ids, Offsets

Integers = NDArray[np.int64]
Operations = NDArray[np.uint8]
SUBSTITUTION, INSERTION, DELETION = 1, 2, 3


@compiled
def compact(ops: Operations, begins: Offsets, offsets: Offsets) -> None:
    """Move the operations of each pair to the end of those of the pair before it."""
    for p in range(len(begins)):
        shift = begins[p] - offsets[p]
        for at in range(offsets[p], offsets[p + 1]):
            ops[at] = ops[at + shift]


@compiled
def substituted(
    ref_ids: Ids,
    ref_at: Offsets,
    hyp_ids: Ids,
    hyp_at: Offsets,
    pairs: Integers,
    lo: int,
    hi: int,
    ops: Operations,
    ops_at: Offsets,
    starts: Offsets,
    substitutions: tuple[Integers, Integers, Integers],
) -> None:
    """Write the pair, reference id and hypothesis id of each substitution of pairs `lo..hi`."""
    owner, left, right = substitutions
    for p in range(lo, hi):
        at = starts[p]
        if at == starts[p + 1]:
            continue
        i, j = ref_at[pairs[p, 0]], hyp_at[pairs[p, 1]]
        for k in range(ops_at[p], ops_at[p + 1]):
            op = ops[k]
            if op == SUBSTITUTION:
                owner[at], left[at], right[at] = p, ref_ids[i], hyp_ids[j]
                at += 1
            i += op != INSERTION
            j += op != DELETION
