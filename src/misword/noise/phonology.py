"""Phonological distance of two words: a weighted edit distance over their phonemes.

The costs come from phonological features. In the substitution of one phoneme by another, a feature
that is + in one and - in the other costs 1, and a feature that only one of them specifies costs
0.25. Inserting or deleting a phoneme costs 0.25 for each feature that it specifies
(`edits=features`). With `edits=single` each of these costs 1: the single-feature edits of
Sanders & Chin 2009.

Reference: Voleti et al. 2019; Hayes 2009, Introductory Phonology; Sanders & Chin 2009, Phonological
distance measures, Journal of Quantitative Linguistics 16
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from misword.alignment.costs import Costs
from misword.alignment.distances import Closest, closest, distances
from misword.core.context import Context
from misword.core.parts import Requirement, Settings, version_of
from misword.core.types import Tokens
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.error_model import CandidateTable, Entries
from misword.text.features import (
    HALF_SPECIFIED,
    HAYES,
    MISMATCH,
    PANPHON,
    FeatureTable,
    feature_table,
)
from misword.text.phonemizers import Phonemizer, phonemizer_for
from misword.text.tokens import encode_lists

Edits = Literal["features", "single"]


@dataclass(frozen=True, eq=False)
class Pronunciations:
    """The phonemes of a list of words, and the phonological distances between the words.

    Words are addressed by their number in the list. No distance is defined for a word without
    phonemes, or with a phoneme that has no features: `has_distances` is False there.
    """

    tokens: Tokens
    table: FeatureTable
    edits: Edits = "features"

    @cached_property
    def has_distances(self) -> Flags:
        """Which words have phonemes, all of them with features."""
        word = np.repeat(np.arange(len(self.tokens)), self.tokens.lengths)
        without = np.bincount(word[~self.table.known[self.tokens.ids]], minlength=len(self.tokens))
        flags: Flags = (self.tokens.lengths > 0) & (without == 0)
        return flags

    @cached_property
    def costs(self) -> Costs:
        """The costs of substituting, inserting and deleting each phoneme."""
        half = HALF_SPECIFIED if self.edits == "features" else MISMATCH
        insertion = self.table.insertions(half)
        return Costs.table(self.table.substitutions(half), insertion, insertion)

    def distances(self, pairs: Ints, workers: int | None = None) -> Floats:
        """Return the distance of each pair of word numbers; both words must have distances."""
        return distances(self.tokens, self.tokens, pairs, self.costs, workers)

    def nearest(
        self,
        words: Ints,
        among: Ints,
        k: int,
        limit: float,
        workers: int | None = None,
    ) -> Closest:
        """Return the `k` words of `among` with the least distance to each of `words`.

        `words` and `among` are numbers of words with distances. A word is not a neighbour of
        itself; its homophones are. Words farther than `limit` are left out. The ids in the result
        are places in `among`.
        """
        places = np.full(len(self.tokens), -1, np.int64)
        places[among] = np.arange(len(among))
        sides = self.tokens.take(words), self.tokens.take(among)
        return closest(*sides, self.costs, k, limit=limit, own=places[words], workers=workers)


@dataclass(frozen=True, slots=True)
class Phonology:
    """The phonemizer, the feature table and the edit costs of a language.

    `phonemizer` is the name of a part; `auto` is the default one of the language.
    """

    lang: str
    phonemizer: str = "auto"
    edits: Edits = "features"

    @property
    def part(self) -> Phonemizer:
        """The phonemizer; an error is raised if it is not installed or does not know `lang`."""
        return phonemizer_for(self.lang, "" if self.phonemizer == "auto" else self.phonemizer)

    def check(self) -> None:
        """Raise an error if the language has no phonemizer, or no features for its phonemes."""
        _feature_package(self.part).check("phonological distance")

    @property
    def settings(self) -> Settings:
        """Phonemizer, feature table and edit costs, for a signature."""
        part = self.part
        package = _feature_package(part).modules[0]
        features = ("features", f"{package}-{version_of(package)}")
        return *part.settings(Context(self.lang)), features, ("edits", self.edits)

    def pronounce(self, words: Sequence[str]) -> Pronunciations:
        """Return the pronunciations of words.

        >>> words = Phonology("en").pronounce(["see", "sea", "zee"])
        >>> words.distances(np.array([[0, 1], [0, 2]])).tolist()  # S and Z differ in voice
        [0.0, 1.0]
        """
        part = self.part
        tokens = encode_lists(part.phonemes(words))
        return Pronunciations(tokens, feature_table(tokens.vocabulary, part.alphabet), self.edits)


def _feature_package(phonemizer: Phonemizer) -> Requirement:
    """Return the package that has the features of a phonemizer's alphabet."""
    return HAYES if phonemizer.alphabet == "arpabet" else PANPHON


# From phonological distances and frequency ranks to probabilities.

Kernel = Literal["gaussian", "paper"]
# Mandelbrot's frequency of the word at rank r is 1 / (r + 2.7); places are counted from 0.
MANDELBROT_OFFSET = 3.7


def distance_probabilities(distances: Floats, kernel: Kernel) -> Floats:
    """Return the probability of each candidate of each row, given its phonological distance d.

    `paper` is exp(-d / sigma^2), equation 1 of Voleti et al. 2019; `gaussian` is
    exp(-d^2 / (2 sigma^2)), which their released notebook computes. Sigma is the mean distance of
    the row; where it is 0 all candidates are homophones and equally likely. An infinite distance
    marks an empty cell, whose probability is 0.

    >>> distance_probabilities(np.array([[1.0, 3.0]]), "gaussian").round(4).tolist()
    [[0.7311, 0.2689]]
    """
    present = np.isfinite(distances)
    finite = np.where(present, distances, 0.0)
    sigma = finite.sum(axis=1, keepdims=True) / np.maximum(present.sum(axis=1, keepdims=True), 1)
    squares = np.where(sigma > 0, sigma, 1.0) ** 2
    exponents = finite / squares if kernel == "paper" else finite**2 / (2 * squares)
    return softmax(np.where(present, -exponents, -np.inf))


def softmax(exponents: Floats) -> Floats:
    """Return exp(exponent) divided by its sum in each row; all 0 in a row of minus infinities."""
    top = exponents.max(axis=1, keepdims=True, initial=-np.inf)
    weights = np.exp(exponents - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    shares: Floats = weights / np.where(total > 0, total, 1.0)
    return shares


def zipf(words: Sequence[str], by_frequency: Sequence[str]) -> Floats:
    """Return the relative frequency of words, estimated from their ranks by Zipf's law.

    `by_frequency` lists all of `words`, the most frequent first.

    Reference: B. Mandelbrot, An informational theory of the statistical structure of language, 1953
    """
    places = {word: place for place, word in enumerate(by_frequency)}
    weights: Floats = 1 / (np.array([places[word] for word in words]) + MANDELBROT_OFFSET)
    shares: Floats = weights / weights.sum()
    return shares


# The nearest words of each word as a matrix, and the table of candidates made from it.


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The neighbours of words as matrices: row `i` is for the word number `rows[i]`.

    `ids` are places in a vocabulary. `phonological` and `semantic` are distances; a phonological
    distance is infinite in the cells after the last neighbour of a row.
    """

    rows: Ints
    ids: Ints
    phonological: Floats
    semantic: Floats


def concatenate(blocks: Sequence[Neighbours], width: int) -> Neighbours:
    """Put blocks of neighbours below each other; all rows are filled up to `width` cells."""

    def column(matrices: Sequence[Floats], empty: float) -> Floats:
        joined = np.full((sum(map(len, matrices)), width), empty)
        start = 0
        for matrix in matrices:
            joined[start : start + len(matrix), : matrix.shape[1]] = matrix
            start += len(matrix)
        return joined

    rows = [np.zeros(0, np.int64), *(block.rows for block in blocks)]
    return Neighbours(
        np.concatenate(rows),
        column([block.ids.astype(np.float64) for block in blocks], 0).astype(np.int64),
        column([block.phonological for block in blocks], np.inf),
        column([block.semantic for block in blocks], np.nan),
    )


def candidate_table(
    words: Sequence[str],
    vocabulary: Sequence[str],
    neighbours: Neighbours,
    probability: Floats,
) -> CandidateTable:
    """Make the table of candidates of all `words`; words without a row have no candidates.

    The vocabulary of the table has only the words that are a candidate of some word, sorted.
    """
    present = np.isfinite(neighbours.phonological)
    used = np.unique(neighbours.ids[present])
    chosen = sorted(vocabulary[i] for i in used.tolist())
    places = {word: place for place, word in enumerate(chosen)}
    new_ids = np.zeros(len(vocabulary), np.int64)
    new_ids[used] = [places[vocabulary[i]] for i in used.tolist()]
    entries = Entries(
        np.repeat(neighbours.rows, present.sum(axis=1)),
        new_ids[neighbours.ids[present]],
        probability[present],
        neighbours.phonological[present],
        neighbours.semantic[present],
    )
    return CandidateTable.from_entries(words, chosen, entries)
