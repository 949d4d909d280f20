"""Compiled selection of products that can enter a running top k. Imported for large tiles only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled

LANES = 16  # products compared at once


@compiled
def pack_key(score: np.float32, row: int) -> np.uint64:
    """Return score and row number as one uint64; see `neighbors.pack_keys`."""
    bits = np.int64(np.float32(score + np.float32(0)).view(np.uint32))
    bits = bits ^ 0x7FFFFFFF if bits < 0x80000000 else bits
    return (np.uint64(bits) << np.uint64(32)) | np.uint64(row)


@compiled
def collect(
    products: NDArray[np.float32],
    first: int,
    thresholds: NDArray[np.float32],
    keys: NDArray[np.uint64],
    k: int,
    empty: np.uint64,
) -> int:
    """Append to the first `k` keys of each query the keys of its products above its threshold.

    Shorter lists are filled with `empty` up to the length of the longest list, which is returned.
    """
    queries, width = products.shape
    counts = np.empty(queries, np.int64)
    longest = k
    for query in range(queries):
        counts[query] = _collect_row(
            products[query], width, first, thresholds[query], keys[query], k
        )
        longest = max(longest, counts[query])
    for query in range(queries):
        keys[query, counts[query] : longest] = empty
    return longest


@compiled
def _collect_row(
    products: NDArray[np.float32],
    width: int,
    first: int,
    threshold: np.float32,
    keys: NDArray[np.uint64],
    count: int,
) -> int:
    """Append keys after the first `count` and return the new count."""
    whole = width - width % LANES
    for lo in range(0, whole, LANES):
        above = False
        for lane in range(LANES):
            above |= products[lo + lane] > threshold
        if above:
            for at in range(lo, lo + LANES):
                if products[at] > threshold:
                    keys[count] = pack_key(products[at], first + at)
                    count += 1
    for at in range(whole, width):
        if products[at] > threshold:
            keys[count] = pack_key(products[at], first + at)
            count += 1
    return count
