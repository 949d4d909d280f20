"""Digests of the word pairs that a mapping was learnt from: are words of a lexicon among them?

A mapping keeps digests instead of the words, so that its file stays small, and so that a lexicon
that may not be copied is not copied into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.uint64]
BYTES = 8  # of a digest: among a million words, an accidental match has a chance of 1 in 10^13
NAMES = ("training.pairs", "training.source", "training.target")  # arrays in a mapping's file


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPairs:
    """Sorted digests of the training pairs, and of the words of both sides, each once.

    Words are compared in lower case, since a word of a lexicon that has no vector is looked up in
    lower case. `swapped` is true if the languages of the mapping were exchanged.

    >>> trained = TrainingPairs.of([("dog", "chien"), ("dog", "chienne"), ("cat", "chat")])
    >>> len(trained), trained.has_pairs(["dog", "dog"], ["Chien", "chat"]).tolist()
    (3, [True, False])
    >>> trained.has_source(["Cat", "cow"]).tolist()
    [True, False]
    """

    pairs: Digests
    source: Digests
    target: Digests
    swapped: bool = False

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> TrainingPairs:
        """Make the digests of pairs of words."""
        kept = list(pairs)
        return cls(
            np.unique(_digests(_joined(kept))),
            np.unique(_digests(source for source, _ in kept)),
            np.unique(_digests(target for _, target in kept)),
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> TrainingPairs | None:
        """Return the digests that the file of a mapping has, None if it is of an older version.

        Raises a ValueError if the arrays are damaged.
        """
        found = [arrays[name] for name in NAMES if name in arrays]
        if not found:
            return None
        if len(found) < len(NAMES) or any(
            array.dtype != np.uint64 or array.ndim != 1 for array in found
        ):
            raise ValueError("the digests of the training pairs are no lists of numbers")
        pairs, source, target = found
        return cls(pairs, source, target)

    def arrays(self) -> dict[str, Digests]:
        """Return the arrays that the file of a mapping has."""
        return dict(zip(NAMES, (self.pairs, self.source, self.target), strict=True))

    def __len__(self) -> int:
        return len(self.pairs)

    def swap(self) -> TrainingPairs:
        """Return the digests for the opposite direction of translation."""
        return TrainingPairs(self.pairs, self.target, self.source, not self.swapped)

    def has_pairs(self, source: Sequence[str], target: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each pair of words whether it was in the training."""
        sides = (target, source) if self.swapped else (source, target)
        return np.isin(_digests(_joined(zip(*sides, strict=True))), self.pairs)

    def has_source(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each word whether it was the source of a training pair."""
        return np.isin(_digests(words), self.source)

    def has_target(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each word whether it was the target of a training pair."""
        return np.isin(_digests(words), self.target)


def _joined(pairs: Iterable[tuple[str, str]]) -> Iterable[str]:
    return (f"{source}\t{target}" for source, target in pairs)


def _digests(texts: Iterable[str]) -> Digests:
    data = b"".join(
        sha256(text.lower().encode("utf-8", "surrogatepass")).digest()[:BYTES] for text in texts
    )
    return np.frombuffer(data, "<u8").astype(np.uint64)
