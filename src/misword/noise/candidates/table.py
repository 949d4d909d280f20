"""The table of candidates: by which words each word may be substituted, and how likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets
from misword.noise.arrays import Flags, Floats, Ints


def _no_numbers() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """The candidates of each word with their probabilities: a sparse matrix, one row for each word.

    The candidates of `words[w]` are `vocabulary[i]` for each `i` in
    `ids[offsets[w]:offsets[w + 1]]`. `probability`, `phonological` and `semantic` have one value
    for each entry of `ids`: P(candidate | word), and the phonological and the semantic distance of
    the candidate to the word, nan where a distance is not known.
    The candidates of a row are sorted by falling probability, then by id. A word is never a
    candidate of itself.

    `background` is one distribution over the whole vocabulary that all rows share, so that it need
    not be stored in each of them. With probability `background_weight[w]` the substitute of
    `words[w]` is drawn from `background` without `words[w]` itself; otherwise it is drawn from the
    row. `background` is empty if no row uses it. The probabilities of a row and its background
    weight add up to 1, or to 0 where a word has no candidates.
    """

    words: Sequence[str]
    vocabulary: Sequence[str]
    offsets: Offsets
    ids: NDArray[np.int32]
    probability: Floats
    phonological: NDArray[np.float32]
    semantic: NDArray[np.float32]
    background: Floats = field(default_factory=_no_numbers)
    background_weight: Floats = field(default_factory=_no_numbers)

    def __post_init__(self) -> None:
        if not len(self.background_weight):
            object.__setattr__(self, "background_weight", np.zeros(len(self.words)))

    @classmethod
    def from_entries(
        cls,
        words: Sequence[str],
        vocabulary: Sequence[str],
        entries: Entries,
        background: Floats | None = None,
        background_weight: Floats | None = None,
    ) -> Self:
        """Make a table of entries in any order; each (row, id) must be there once."""
        order = np.lexsort((entries.ids, -entries.probability, entries.rows))
        return cls(
            list(words),
            vocabulary,
            np.searchsorted(entries.rows[order], np.arange(len(words) + 1)).astype(np.int64),
            entries.ids[order].astype(np.int32),
            entries.probability[order],
            entries.phonological[order].astype(np.float32),
            entries.semantic[order].astype(np.float32),
            _no_numbers() if background is None else background,
            _no_numbers() if background_weight is None else background_weight,
        )

    @property
    def has_candidates(self) -> Flags:
        """Which words have candidates, in their row or in the background distribution."""
        flags: Flags = (np.diff(self.offsets) > 0) | (self.background_weight > 0)
        return flags

    @cached_property
    def own_ids(self) -> Ints:
        """The id of each word itself in the vocabulary, -1 if it is not there."""
        ids = {word: number for number, word in enumerate(self.vocabulary)}
        return np.fromiter((ids.get(word, -1) for word in self.words), np.int64, len(self.words))

    @property
    def entry_rows(self) -> Ints:
        """The row of each entry of `ids`."""
        return np.repeat(np.arange(len(self.words)), np.diff(self.offsets))

    def distribution(self, row: int) -> Floats:
        """Return P(substitute | word) for the whole vocabulary, given the number of a word."""
        dense = np.zeros(len(self.vocabulary))
        if weight := self.background_weight[row]:
            dense += self.background
            if self.own_ids[row] >= 0:
                dense[self.own_ids[row]] = 0.0
            dense *= weight / dense.sum()
        entries = slice(self.offsets[row], self.offsets[row + 1])
        dense[self.ids[entries]] += self.probability[entries]
        return dense


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Entries of a `CandidateTable` in any order, as columns of equal length."""

    rows: Ints
    ids: Ints
    probability: Floats
    phonological: NDArray[np.floating]
    semantic: NDArray[np.floating]
