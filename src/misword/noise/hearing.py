"""What words may be heard as: the table that channels make and corruption draws from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What each said word may be heard as, a sparse table with a row for each word.

    The candidates of `said[w]` are `heard[i]` for each `i` in `ids[offsets[w]:offsets[w + 1]]`,
    with `probability` (the sum of a row is 1, or 0 where it is empty) and how far each is from the
    said word in sound and in meaning; nan where that is not known.
    """

    said: Sequence[str]
    heard: Sequence[str]
    offsets: Offsets
    ids: NDArray[np.int32]
    probability: Weights
    phonological: NDArray[np.float32]
    semantic: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of substitutions, deletions and insertions among all errors; their sum is 1."""

    substitutions: float = 1.0
    deletions: float = 0.0
    insertions: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Hearing:
    """How a channel hears a vocabulary.

    `substituted` and `deleted` say of each said word how likely it is to be hit, relative to the
    others (a word without candidates has 0 in the first); `inserted` is the probability of each
    word of `candidates.heard` to be the one that is inserted.
    """

    candidates: Candidates
    substituted: Weights
    deleted: Weights
    inserted: Weights
    mix: Mix = Mix()
