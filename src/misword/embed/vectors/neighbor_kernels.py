"""Compiled choice of the products that can reach a running top k. Imported only for large tiles."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled

LANES = 16  # products compared at once


@compiled
def key(score, row):
    """Score and row number as one integer: the better pair is the smaller (see `neighbors`)."""
    bits = np.int64(np.float32(score + np.float32(0)).view(np.uint32))
    bits = bits ^ 0x7FFFFFFF if bits < 0x80000000 else bits
    return (np.uint64(bits) << np.uint64(32)) | np.uint64(row)


@compiled
def collect(products, first, bars, keys, k, empty):
    """Append the keys of products above each query's bar to its first `k`.

    Shorter lists are filled up with `empty` to the length of the longest, which is returned.
    """
    queries, width = products.shape
    counts = np.empty(queries, np.int64)
    most = k
    for query in range(queries):
        counts[query] = _collect_row(products[query], width, first, bars[query], keys[query], k)
        most = max(most, counts[query])
    for query in range(queries):
        keys[query, counts[query] : most] = empty
    return most


@compiled
def _collect_row(row, width, first, bar, keys, count):
    whole = width - width % LANES
    for lo in range(0, whole, LANES):
        some = False
        for lane in range(LANES):
            some |= row[lo + lane] > bar
        if some:
            for at in range(lo, lo + LANES):
                if row[at] > bar:
                    keys[count] = key(row[at], first + at)
                    count += 1
    for at in range(whole, width):
        if row[at] > bar:
            keys[count] = key(row[at], first + at)
            count += 1
    return count
