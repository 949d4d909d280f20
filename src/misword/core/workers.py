"""Run work on several threads, with a result that does not depend on their number.

The compiled kernels and BLAS release the interpreter lock, so plain threads use every core and
share the arrays. Each piece of work writes to a slice of its own.

BLAS rounds differently when it uses more threads or gets matrices of another shape. Where matrices
are multiplied, each thread therefore has one BLAS thread, and the pieces do not depend on the
number of workers: the result is the same to the last bit.
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
    """Return the number of cores that this process may use, by its affinity mask if it has one."""
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
    """Call `work(lo, hi)` on threads, over runs of about equal weight of `range(len(weights))`.

    Only for work whose result does not depend on where the runs are cut.
    """
    chunks = split(weights, workers or cores())
    if len(chunks) <= 1:
        for lo, hi in chunks:
            work(lo, hi)
        return
    with ThreadPoolExecutor(len(chunks)) as pool:
        for future in [pool.submit(work, lo, hi) for lo, hi in chunks]:
            future.result()


def pieces(
    start: Callable[[], Callable[[int], None]],
    count: int,
    workers: int | None = None,
    what: str = "",
) -> None:
    """Process pieces of work, numbered from 0 to `count` - 1, on threads with one BLAS thread each.

    Each thread calls `start` once, to set up its own memory, and calls the function that `start`
    returned with the number of each piece. `what` names the work in the progress bar; without it
    there is none.
    """
    numbers, lock = iter(range(count)), Lock()

    def next_piece(finished: int) -> int | None:
        with lock:
            step(finished)
            return next(numbers, None)

    def work() -> None:
        process, number = start(), next_piece(0)
        while number is not None:
            process(number)
            number = next_piece(1)

    threads = max(1, min(workers or cores(), count))
    with one_blas_thread(), progress(what, count) if what else nullcontext(int) as step:
        if threads == 1:
            work()
            return
        with ThreadPoolExecutor(threads) as pool:
            for future in [pool.submit(work) for _ in range(threads)]:
                future.result()


def row_blocks(
    work: Callable[[int, int], None], count: int, block: int, workers: int | None = None
) -> None:
    """Call `work(lo, hi)` on threads, as `pieces` does, for each block of rows of `range(count)`.

    All blocks have `block` rows, the last one perhaps fewer.
    """

    def start() -> Callable[[int], None]:
        return lambda number: work(number * block, min((number + 1) * block, count))

    pieces(start, -(-count // block), workers)


def one_blas_thread() -> AbstractContextManager[object]:
    """Within this context, BLAS and LAPACK run in the calling thread alone."""
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> ThreadpoolController:
    """Return the controller of the BLAS that numpy loaded; finding it takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
