"""What words may be heard as: the table that channels make and corruption draws from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets

Weights = NDArray[np.float64]


def _none() -> Weights:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What each said word may be heard as, a sparse table with a row for each word.

    The candidates of `said[w]` are `heard[i]` for each `i` in `ids[offsets[w]:offsets[w + 1]]`,
    with `probability` and how far each is from the said word in sound and in meaning; nan where
    that is not known. Best first; equals in the order of `heard`.

    Beside its own list a row may have a part in one distribution over all of `heard`, `common`,
    which would be too large to write into every row: with probability `share[w]` a word is drawn
    from there, any but `said[w]` itself. Both are empty where no row has. A row and its share add
    up to 1, or to 0 where nothing is known of the word.
    """

    said: Sequence[str]
    heard: Sequence[str]
    offsets: Offsets
    ids: NDArray[np.int32]
    probability: Weights
    phonological: NDArray[np.float32]
    semantic: NDArray[np.float32]
    common: Weights = field(default_factory=_none)
    share: Weights = field(default_factory=_none)

    @property
    def shares(self) -> Weights:
        """The share of each row, also where no row has one."""
        return self.share if len(self.share) else np.zeros(len(self.said))

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Which said words can be heard as anything else."""
        found: NDArray[np.bool_] = (np.diff(self.offsets) > 0) | (self.shares > 0)
        return found

    def own(self) -> NDArray[np.int64]:
        """Where each said word is in `heard`, -1 where it is not."""
        places = {word: place for place, word in enumerate(self.heard)}
        return np.fromiter((places.get(word, -1) for word in self.said), np.int64, len(self.said))

    def row(self, word: int) -> Weights:
        """The probability of all of `heard`, given a said word by its number."""
        found = np.zeros(len(self.heard))
        if share := self.shares[word]:
            others = self.common.copy()
            if self.said[word] in self.heard:
                others[self.heard.index(self.said[word])] = 0
            found += share * others / others.sum()
        cut = slice(self.offsets[word], self.offsets[word + 1])
        found[self.ids[cut]] += self.probability[cut]
        return found


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

    @classmethod
    def even(cls, candidates: Candidates, inserted: Weights | None = None) -> Self:
        """All words are hit alike; if not said by `inserted`, so are those that come in."""
        size = len(candidates.heard)
        return cls(
            candidates,
            candidates.filled.astype(np.float64),
            np.ones(len(candidates.said)),
            np.full(size, 1 / max(size, 1)) if inserted is None else inserted,
        )
