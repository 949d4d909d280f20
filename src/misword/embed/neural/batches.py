"""Run a network over many texts: sorted by length, in batches, on all cores.

On a CPU each core runs batches of its own with one thread. Threads that share a batch must wait for
each other after each of about a hundred small operations, which doubles the time on two cores. On a
GPU the batches are run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import Step
from misword.core.workers import cores

Number = TypeVar("Number", bound=np.number[Any])
TokenIds = NDArray[np.int64]
# Texts x tokens x components, or tokens x components for one text.
HiddenStates = NDArray[np.float32]
# Reduces the hidden states of a batch, given the number of tokens of each text.
Reduce = Callable[[HiddenStates, NDArray[np.int64]], NDArray[np.float32]]

# Tokens in a batch, padding included: their hidden states fit into the CPU's cache.
BATCH = 1024


class Network(Protocol):
    """A model that gives a vector for each token of each text of a batch."""

    @property
    def parallel(self) -> bool:
        """Whether several batches can be run at the same time."""
        ...

    def run(self, ids: TokenIds, mask: TokenIds) -> HiddenStates:
        """Return the hidden states of the last layer: texts x tokens x components."""
        ...

    def single_threaded(self) -> AbstractContextManager[None]:
        """Return a context within which each batch is run by one thread."""
        ...


def run(
    network: Network,
    texts_ids: Sequence[TokenIds],
    padding: int,
    reduce: Reduce,
    *,
    step: Step,
    workers: int | None = None,
    batch: int = BATCH,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Yield for each batch the numbers of its texts and its hidden states, reduced by `reduce`.

    A batch has texts of similar length, with at most `batch` tokens or one text. `step` is called
    with the number of texts of each batch.
    """
    order = np.argsort([len(ids) for ids in texts_ids], kind="stable")
    # The longest texts come first, so that the last batches are short and the cores end together.
    batches = list(_batches([len(texts_ids[i]) for i in order.tolist()], batch))[::-1]

    def work(span: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        numbers = order[span[0] : span[1]]
        ids, mask = pad([texts_ids[i] for i in numbers.tolist()], padding)
        return numbers, reduce(network.run(ids, mask.astype(np.int64)), mask.sum(axis=1))

    with (
        network.single_threaded() if network.parallel else nullcontext(),
        ThreadPoolExecutor((workers or cores()) if network.parallel else 1) as pool,
    ):
        for numbers, reduced in pool.map(work, batches):
            yield numbers, reduced
            step(len(numbers))


def pad(
    arrays: Sequence[NDArray[Number]], padding: int = 0
) -> tuple[NDArray[Number], NDArray[np.bool_]]:
    """Return arrays of different lengths as one padded array, and its mask (false for padding)."""
    lengths = np.array([len(array) for array in arrays])
    mask = np.arange(lengths.max()) < lengths[:, None]
    padded = np.full((*mask.shape, *arrays[0].shape[1:]), padding, arrays[0].dtype)
    padded[mask] = np.concatenate(arrays)
    return padded, mask


def _batches(lengths: Sequence[int], batch: int) -> Iterator[tuple[int, int]]:
    """Yield spans of texts, sorted by length, of at most `batch` tokens or one text."""
    start = 0
    for at, length in enumerate(lengths):
        if at > start and (at + 1 - start) * length > batch:
            yield start, at
            start = at
    if lengths:
        yield start, len(lengths)
