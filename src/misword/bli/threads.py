"""Rows in blocks of a fixed size, on threads with one BLAS thread each.

BLAS sums in another order when it has more threads or other shapes. Blocks that do not depend on
the number of workers give the same bits on any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from misword.core.workers import run


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this context, BLAS and LAPACK use one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield


def by_rows(
    work: Callable[[int, int], None], count: int, block: int, workers: int | None = None
) -> None:
    """Call `work(lo, hi)` for each block of `range(count)`, side by side."""
    starts = range(0, count, block)

    def several(first: int, last: int) -> None:
        for lo in starts[first:last]:
            work(lo, min(lo + block, count))

    with one_blas_thread():
        run(several, np.ones(len(starts), np.int64), workers)
