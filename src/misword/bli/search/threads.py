"""Rows in blocks of a fixed size, on threads with one BLAS thread each.

BLAS sums in another order when it has more threads or other shapes. Blocks that do not depend on
the number of workers give the same bits on any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from misword.core.workers import pieces


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

    def start() -> Callable[[int], None]:
        return lambda number: work(number * block, min((number + 1) * block, count))

    pieces(start, -(-count // block), workers)
