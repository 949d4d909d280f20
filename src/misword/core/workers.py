"""Split a corpus into chunks of equal work and run them on threads.

The compiled kernels release the interpreter lock, so plain threads use every core and share the
arrays. Chunks write to disjoint slices: the result does not depend on the number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


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


def pieces(
    start: Callable[[], Callable[[int], None]],
    count: int,
    workers: int | None = None,
    what: str = "",
) -> None:
    """Hand out the numbers below `count` to threads that multiply matrices, one BLAS thread each.

    Each thread calls `start` once, for what it keeps to itself, and gets the function that takes
    the numbers. How often BLAS splits a product decides its last bits: with one thread each, the
    result depends on the pieces alone, not on the workers. Progress is told as `what`, if given.
    """
    numbers, turn = iter(range(count)), Lock()

    def draw(done: int) -> int | None:
        with turn:
            step(done)
            return next(numbers, None)

    def work() -> None:
        piece, number = start(), draw(0)
        while number is not None:
            piece(number)
            number = draw(1)

    threads = max(1, min(workers or cores(), count))
    with one_blas_thread(), progress(what, count) if what else nullcontext(int) as step:
        if threads == 1:
            work()
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work) for _ in range(threads)]:
                done.result()


def one_blas_thread() -> AbstractContextManager[object]:
    """Within this context each product of matrices is the work of the thread that asks for it."""
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> ThreadpoolController:
    """The linear algebra that is loaded; looking for it takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
