"""The probabilities and ranks that a channel gives to real substitutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from misword.core.context import Context
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.candidates.table import CandidateTable
from misword.noise.channels import Channel
from misword.noise.learnt.aligned_corpus import AlignedCorpus


@dataclass(frozen=True, slots=True, eq=False)
class ChannelRanks:
    """Of each substitution: its probability, its rank, and whether the word has candidates.

    The rank is the place of the substitute among all words by falling probability, from 1. Equal
    probabilities share their mean rank.
    """

    probability: Floats
    rank: Floats
    has_candidates: Flags

    @classmethod
    def of(
        cls,
        channel: Channel,
        words: list[str],
        corpus: AlignedCorpus,
        vocabulary_size: int,
        context: Context,
    ) -> Self:
        """Look up the substitutions of a corpus in the table that a channel gives for `words`.

        `words` must have all words that are substituted. A substitute of probability 0 ranks after
        all words of a higher probability, with the mean rank of the rest of a vocabulary of
        `vocabulary_size` words.
        """
        table = channel.error_model(words, context).candidates
        table_row = {word: row for row, word in enumerate(words)}
        substitute_id = _ids_in_table(corpus.vocabulary, table)
        pairs = corpus.substitutions()
        probability, rank = np.zeros(len(pairs)), np.zeros(len(pairs))
        has_candidates = np.zeros(len(pairs), bool)
        for group in _groups(pairs.reference):
            row = table_row[corpus.vocabulary[pairs.reference[group[0]]]]
            distribution = table.distribution(row)
            ids = substitute_id[pairs.hypothesis[group]]
            likely = np.where(ids >= 0, distribution[ids], 0.0)
            positive = np.sort(distribution[distribution > 0])
            above = len(positive) - np.searchsorted(positive, likely, side="right")
            equal = len(positive) - above - np.searchsorted(positive, likely)
            rest = max(vocabulary_size - len(positive), 1)
            probability[group], has_candidates[group] = likely, len(positive) > 0
            last = len(positive) + (rest + 1) / 2
            rank[group] = np.where(likely > 0, above + (equal + 1) / 2, last)
        return cls(probability, rank, has_candidates)


def _ids_in_table(words: list[str], table: CandidateTable) -> Ints:
    """Return the id of each word in the vocabulary of a table, -1 if it is not there."""
    ids = {word: number for number, word in enumerate(table.vocabulary)}
    return np.array([ids.get(word, -1) for word in words], np.int64)


def _groups(values: Ints) -> list[Ints]:
    """Return the places of each distinct value."""
    if not len(values):
        return []
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
