"""Copying of many ranges of bytes by a compiled kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, array, procedure

_copy_ranges = procedure(
    "misword_copy_ranges", array(np.uint8), array(np.int64), array(np.int64), INTEGER,
    array(np.uint8, out=True),
)  # fmt: skip


def gather(
    pool: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Return the ranges of bytes that have these starts and lengths, one after the other.

    >>> gather(np.frombuffer(b"abcdef", np.uint8), np.array([4, 0]), np.array([2, 1])).tobytes()
    b'efa'
    """
    if len(starts) != len(lengths):
        raise ValueError(f"there are {len(starts)} starts and {len(lengths)} lengths")
    if ((starts < 0) | (lengths < 0) | (starts > len(pool) - lengths)).any():
        raise ValueError(f"ranges must be within the {len(pool)} bytes")
    target = np.empty(int(lengths.sum()), np.uint8)
    contiguous = map(np.ascontiguousarray, (starts, lengths))
    _copy_ranges(pool, *contiguous, len(starts), target)
    return target
