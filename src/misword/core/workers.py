"""Split a corpus into chunks of equal work and run them on threads.

The compiled kernels release the interpreter lock, so plain threads use every core and share the
arrays. Chunks write to disjoint slices: the result does not depend on the number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def cores() -> int:
    """Cores this process may use (its affinity mask where the system has one)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def split(weights: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Cut `range(len(weights))` into at most `parts` contiguous runs of about equal weight."""
    total = np.cumsum(weights)
    if not len(total):
        return []
    marks = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
    edges = [0, *(int(mark) + 1 for mark in marks), len(total)]
    return [(lo, hi) for lo, hi in pairwise(edges) if lo < hi]


def run(
    work: Callable[[int, int], None], weights: NDArray[np.int64], workers: int | None = None
) -> None:
    """Call `work(lo, hi)` over all of `range(len(weights))`, side by side."""
    chunks = split(weights, workers or cores())
    if len(chunks) <= 1:
        for lo, hi in chunks:
            work(lo, hi)
        return
    with ThreadPoolExecutor(len(chunks)) as pool:
        for done in [pool.submit(work, lo, hi) for lo, hi in chunks]:
            done.result()
