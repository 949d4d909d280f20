"""Running an encoder over many texts: sorted by length, in batches, on all cores.

On a processor each core gets batches of its own and runs them with one thread. Threads that share a
batch wait for each other after each of a hundred small steps: on two cores that costs twice the
time. On a graphics card one batch after the other fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import Step
from misword.core.workers import cores

Ids = NDArray[np.int64]
States = NDArray[np.float32]
# What is left of a batch: made of its states and of how many pieces each row has.
Reduce = Callable[[States, Ids], States]

BATCH = 1024  # pieces, padding included: they and their states fit the processor's cache


class Network(Protocol):
    """A model that gives a vector for each piece of each text of a batch."""

    @property
    def parallel(self) -> bool:
        """Whether it runs several batches side by side."""
        ...

    def run(self, ids: Ids, mask: Ids) -> States:
        """The states of the last layer: texts x pieces x numbers."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Within this context a batch is run by one thread, since others run beside it."""
        ...


def run(
    network: Network,
    rows: Sequence[Ids],
    padding: int,
    reduce: Reduce,
    *,
    step: Step,
    workers: int | None = None,
) -> Iterator[tuple[NDArray[np.int64], States]]:
    """Batches of rows of about one length: which rows, and what `reduce` left of their states.

    `step` is told how many are done.
    """
    order = np.argsort([len(row) for row in rows], kind="stable")
    # The longest first: what is run last should not keep one core waiting for long.
    batches = list(_batches([len(rows[i]) for i in order.tolist()]))[::-1]

    def work(span: tuple[int, int]) -> tuple[NDArray[np.int64], States]:
        which = order[span[0] : span[1]]
        ids, mask = pad([rows[i] for i in which.tolist()], padding)
        return which, reduce(network.run(ids, mask), mask.sum(axis=1))

    with (
        network.alone() if network.parallel else nullcontext(),
        ThreadPoolExecutor((workers or cores()) if network.parallel else 1) as pool,
    ):
        for which, left in pool.map(work, batches):
            yield which, left
            step(len(which))


def pad(rows: Sequence[Ids], padding: int) -> tuple[Ids, Ids]:
    """Rows as one matrix, and where in it there is something."""
    lengths = np.array([len(row) for row in rows])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, padding, np.int64)
    ids[mask] = np.concatenate(rows)
    return ids, mask.astype(np.int64)


def _batches(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Spans of rows, sorted by length, that are BATCH pieces or one row."""
    start = 0
    for at, length in enumerate(lengths):
        if at > start and (at + 1 - start) * length > BATCH:
            yield start, at
            start = at
    if lengths:
        yield start, len(lengths)
