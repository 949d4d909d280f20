"""What models learn from the references of a corpus, as sums that add up in any order.

A model is fitted in passes over the references. Each pass gives a sum; a later pass may use the
sums of those before it. The sums of shards are added up, so a model that is fitted to shards is the
same, to the last bit, as one that is fitted to all references at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import frexp
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.workers import one_blas_thread

BITS = 22  # of a component in a sum of products
BLOCK = 1 << 9  # rows whose products float64 adds without rounding: 2 * BITS + 9 = 53
LOW = 32  # bits of the lower half of a sum

Rows = NDArray[np.float64]


class Fitted(Protocol):
    """A model that is fitted in `fit_passes` passes; 0 if it can only be fitted at once."""

    @property
    def fit_passes(self) -> int:
        """The number of passes over the references."""
        ...

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Return the sum of some references for the pass after those that gave `sums`."""
        ...


def fit_sums(part: Fitted, texts: Sequence[str], context: Context) -> list[Any]:
    """Return the sums of all passes over texts."""
    sums: list[Any] = []
    for _ in range(part.fit_passes):
        sums.append(part.collect(texts, sums, context))
    return sums


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often each word is in texts, and the number of the texts."""

    counts: Counter[str]
    texts: int

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordCounts:
        """Count the words between white space."""
        return cls(Counter(word for text in texts for word in text.split()), len(texts))

    @classmethod
    def of_sets(cls, texts: Iterable[Iterable[Any]]) -> WordCounts:
        """Count in how many texts each element is; each text is given by its distinct elements."""
        listed = [list(elements) for elements in texts]
        return cls(Counter(element for elements in listed for element in elements), len(listed))

    def __add__(self, other: WordCounts) -> WordCounts:
        return WordCounts(self.counts + other.counts, self.texts + other.texts)

    def lower(self) -> Counter[str]:
        """Return the counts of the words in lower case."""
        counts: Counter[str] = Counter()
        for word, count in self.counts.items():
            counts[word.lower()] += count
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class GramSum:
    """The sum of the outer products of rows with themselves, without rounding.

    The components of rows are rounded to multiples of `step`, so that their products are whole
    numbers. A sum is `high` times 2^32 plus `low`.
    """

    step: float
    high: NDArray[np.int64]
    low: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows, largest: float) -> GramSum:
        """Add up rows whose components are at most `largest` in size, which all shards share.

        >>> GramSum.of(np.array([[1.0, 2.0], [0.5, 0.0]]), 2.0).matrix()
        array([[1.25, 2.  ],
               [2.  , 4.  ]])
        """
        step = 2.0 ** (frexp(largest)[1] - BITS)
        width = rows.shape[1]
        high, low = np.zeros((width, width), np.int64), np.zeros((width, width), np.int64)
        with one_blas_thread():
            for start in range(0, len(rows), BLOCK):
                whole = np.rint(rows[start : start + BLOCK] / step)
                products = (whole.T @ whole).astype(np.int64)
                high += products >> LOW
                low += products & ((1 << LOW) - 1)
        return cls(step, high, low)

    def __add__(self, other: GramSum) -> GramSum:
        return GramSum(self.step, self.high + other.high, self.low + other.low)

    def matrix(self) -> Rows:
        """Return the sum, rounded once."""
        high, low = self.high + (self.low >> LOW), self.low & ((1 << LOW) - 1)
        sums: Rows = (high.astype(np.float64) * 2.0**LOW + low) * self.step**2
        return sums


def sum_of_hashes(texts: Iterable[str]) -> int:
    """Return a number that identifies texts in any order; those of shards are added up."""
    hashes = (blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return sum(int.from_bytes(digest, "big") for digest in hashes)


def shown_digest(total: int) -> str:
    """Return a sum of hashes as it is shown in a signature.

    >>> shown_digest(sum_of_hashes(["a", "b"])) == shown_digest(sum_of_hashes(["b", "a"]))
    True
    """
    return f"{total % (1 << 128):032x}"[:12]
