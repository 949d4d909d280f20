"""The error model of a channel: which errors it makes in the words of a list, and how likely.

Channels return an `ErrorModel`; its table of candidates has the words by which each word may be
substituted. `corruption/sampler.py` draws errors from it, and `realism.py` looks up the
probabilities of real errors in it.
"""

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


# The model.


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of substitutions, deletions and insertions among all errors; their sum is 1."""

    substitutions: float = 1.0
    deletions: float = 0.0
    insertions: float = 0.0

    @property
    def shares(self) -> tuple[float, float, float]:
        """Substitutions, deletions, insertions."""
        return self.substitutions, self.deletions, self.insertions


@dataclass(frozen=True, slots=True, eq=False)
class ErrorModel:
    """The substitutions, deletions and insertions of a channel, for the words of a vocabulary.

    `candidates` has P(substitute | word) for each word. `substitution_weight` and
    `deletion_weight` have one number for each word of `candidates.words`: how likely the word is to
    be substituted or deleted, relative to the other words. A word without candidates has the
    substitution weight 0. `insertion_probability` is the probability of each word of
    `candidates.vocabulary` to be the inserted word of an insertion. `mix` has the shares of the
    three kinds of errors.
    """

    candidates: CandidateTable
    substitution_weight: Floats
    deletion_weight: Floats
    insertion_probability: Floats
    mix: Mix = Mix()

    @classmethod
    def unweighted(
        cls, candidates: CandidateTable, insertion_probability: Floats | None = None
    ) -> Self:
        """Make a model in which all words with candidates are equally likely to be substituted.

        All words are equally likely to be deleted and, unless `insertion_probability` is given, to
        be inserted.
        """
        size = len(candidates.vocabulary)
        if insertion_probability is None:
            insertion_probability = np.full(size, 1 / max(size, 1))
        return cls(
            candidates,
            candidates.has_candidates.astype(np.float64),
            np.ones(len(candidates.words)),
            insertion_probability,
        )
