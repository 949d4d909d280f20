"""Distinct sequences of words, so that work on equal sequences is done once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Ids

Numbers = NDArray[np.int64]
ID = np.dtype(np.int32)


@dataclass(slots=True)
class Sequences:
    """Distinct sequences of word ids, numbered in the order in which they are added.

    >>> sequences, ids = Sequences(), np.array([7, 8, 9, 7, 8], np.int32)
    >>> sequences.add(ids, np.array([0, 2, 3]), np.array([2, 3, 5])).tolist()
    [0, 1, 0]
    >>> list(sequences)
    [[7, 8], [9]]
    """

    numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, ids: Ids, starts: Numbers, ends: Numbers) -> Numbers:
        """Return the numbers of the sequences `ids[start:end]`."""
        data, numbers = np.asarray(ids, ID).tobytes(), self.numbers
        bounds = zip((starts * ID.itemsize).tolist(), (ends * ID.itemsize).tolist(), strict=True)
        found = (numbers.setdefault(data[start:end], len(numbers)) for start, end in bounds)
        return np.fromiter(found, np.int64, len(starts))

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the ids of each sequence."""
        return (np.frombuffer(data, ID).tolist() for data in self.numbers)
