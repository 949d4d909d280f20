"""Compiled copying of byte ranges. Imported only where the text is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled
from misword.noise.arrays import Ints


@compiled
def copy_ranges(
    pool: NDArray[np.uint8],
    starts: Ints,
    ends: Ints,
    target: NDArray[np.uint8],
) -> None:
    """Copy `pool[starts[i]:ends[i]]` for each `i` into `target`, one after the other."""
    at = 0
    for i in range(len(starts)):
        for byte in range(starts[i], ends[i]):
            target[at] = pool[byte]
            at += 1
