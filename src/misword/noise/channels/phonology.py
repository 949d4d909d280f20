"""How far apart two words are in the mouth: the cheapest alignment of their phonemes by features.

A feature that is + in one phoneme and - in the other costs 1, one that only one of them specifies
0.25, and inserting or deleting a phoneme 0.25 for each feature it specifies (`edits=features`).
With `edits=single` each of these costs 1: the single-feature edits of Sanders & Chin 2009.

Reference: Voleti et al. 2019; Hayes 2009, Introductory Phonology; Sanders & Chin 2009, Phonological
distance measures, Journal of Quantitative Linguistics 16
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.distances import Closest, closest, distances
from misword.core.context import Context
from misword.core.requirements import version_of
from misword.core.types import Tokens
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
class Sounds:
    """The phonemes of words, and what it costs to take them for one another.

    `known` is False for words without phonemes, or with a phoneme that has no features: no
    distance is defined for them.
    """

    tokens: Tokens
    table: FeatureTable
    edits: Edits = "features"

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which words have phonemes, all of them with features."""
        owner = np.repeat(np.arange(len(self.tokens)), self.tokens.lengths)
        strange = np.bincount(owner[~self.table.known[self.tokens.ids]], minlength=len(self.tokens))
        found: NDArray[np.bool_] = (self.tokens.lengths > 0) & (strange == 0)
        return found

    @cached_property
    def costs(self) -> Costs:
        """Prices of phonemes for one another."""
        half = HALF_SPECIFIED if self.edits == "features" else MISMATCH
        inserted = self.table.insertions(half)
        return Costs.table(self.table.substitutions(half), inserted, inserted)

    def between(self, pairs: NDArray[np.int64], workers: int | None = None) -> NDArray[np.float64]:
        """The distances of pairs of words by their numbers; both must be known."""
        return distances(self.tokens, self.tokens, pairs, self.costs, workers)

    def nearest(
        self,
        words: NDArray[np.int64],
        among: NDArray[np.int64],
        k: int,
        limit: float,
        workers: int | None = None,
    ) -> Closest:
        """The `k` words of `among` that sound most like each of `words`, itself left out.

        All are numbers of known words; the ids that come back are places in `among`.
        """
        places = np.full(len(self.tokens), -1, np.int64)
        places[among] = np.arange(len(among))
        sides = self.tokens.take(words), self.tokens.take(among)
        return closest(*sides, self.costs, k, limit=limit, own=places[words], workers=workers)


@dataclass(frozen=True, slots=True)
class Phonology:
    """A language's way to say words; `phonemizer` is a part's name, `auto` the language's usual."""

    lang: str
    phonemizer: str = "auto"
    edits: Edits = "features"

    @property
    def part(self) -> Phonemizer:
        """The part that says words; refused if it is not installed or has not the language."""
        return phonemizer_for(self.lang, "" if self.phonemizer == "auto" else self.phonemizer)

    def check(self) -> None:
        """Refuse a language that cannot be said, or whose phonemes have no features here."""
        (HAYES if self.part.alphabet == "arpabet" else PANPHON).check("phonological distance")

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Phonemizer, table of features and prices, for a signature."""
        part = self.part
        package = (HAYES if part.alphabet == "arpabet" else PANPHON).modules[0]
        features = ("features", f"{package}-{version_of(package)}")
        return *part.settings(Context(self.lang)), features, ("edits", self.edits)

    def sounds(self, words: Sequence[str]) -> Sounds:
        """Say words.

        >>> sounds = Phonology("en").sounds(["see", "sea", "zee"])
        >>> sounds.between(np.array([[0, 1], [0, 2]])).tolist()  # S and Z differ in voice
        [0.0, 1.0]
        """
        part = self.part
        tokens = encode_lists(part.phonemes(words))
        return Sounds(tokens, feature_table(tokens.vocabulary, part.alphabet), self.edits)
