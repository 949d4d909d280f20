"""The error model of a channel: which errors it makes in the words of a list, and how likely.

Channels return an `ErrorModel`. `corruption/sampler.py` draws errors from it, and
`judging/channel_ranks.py` looks up the probabilities of real errors in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from misword.noise.arrays import Floats
from misword.noise.candidates.table import CandidateTable


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
