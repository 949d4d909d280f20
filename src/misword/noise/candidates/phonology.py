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
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.core.types import Tokens
from misword.noise.arrays import Flags, Floats, Ints
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
