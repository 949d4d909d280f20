"""Counts for each headword of a gold lexicon, from which every rate is computed.

A headword is a source word of the lexicon with all its gold pairs. Counts are additive: a rate is a
quotient of their sums, and the bootstrap resamples headwords.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
PairFlags = NDArray[np.bool_]  # one truth value for each pair of a lexicon


@dataclass(frozen=True, slots=True, eq=False)
class HeadwordCounts:
    """Counts of some headwords, one entry for each.

    `headwords` are their numbers in the lexicon. `known` is 1 if the headword has a vector, else 0.
    `pairs` is the number of its gold pairs, `reachable` the number of its pairs of which both words
    have a vector, `listed` the number of its candidates, and `found[k]` the number of its pairs
    found among the first k candidates.
    """

    headwords: Counts
    known: Counts
    pairs: Counts
    reachable: Counts
    listed: Counts
    found: dict[int, Counts]

    def __len__(self) -> int:
        return len(self.headwords)
