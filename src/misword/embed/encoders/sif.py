"""Smooth inverse frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings, options_of
from misword.embed import frequencies as word_frequencies
from misword.embed.averages import WordWeight, largest_component, weighted_means
from misword.embed.encoders import Encode
from misword.embed.encoders.word_vector_encoder import WordVectorEncoder
from misword.embed.fitting import GramSum, WordCounts
from misword.embed.frequencies import Frequencies, FrequencySource
from misword.embed.principal_directions import principal_directions, remove_directions
from misword.embed.vectors.words import Case, word_vectors


@dataclass(frozen=True, slots=True)
class SIF(WordVectorEncoder):
    """Word vectors weighted by a / (a + p(word)), without the direction that all sentences share.

    Why: rare words carry more of the meaning of a sentence than frequent words. The direction that
    all sentences share is mostly grammar, not meaning.

    p is the relative frequency of the word in the references (`frequencies=corpus`) or in the
    language's list of the package wordfreq. The common direction is the first principal component
    (not centred) of the vectors of the references, so a system's score does not depend on the
    outputs of other systems.

    Known problems: a score depends on the whole set of references; with few references, neither the
    frequencies nor the common direction are reliable.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=sif`
    Reference: S. Arora et al., A simple but tough-to-beat baseline for sentence embeddings,
    ICLR 2017.
    """

    name: ClassVar[str] = "sif"
    title: ClassVar[str] = "SIF"
    cites: ClassVar[tuple[str, ...]] = ("arora2017",)
    fitted: ClassVar[bool] = True

    a: float = 1e-3
    frequencies: FrequencySource = "corpus"
    case: Case = "auto"

    def check(self, context: Context) -> None:
        """Raise unless `a` is positive and the vectors and frequencies are available."""
        if not (isfinite(self.a) and self.a > 0):
            raise OptionError(f"a is {self.a}", fix="use a number above 0, such as 0.001")
        self.check_sources(context)

    def check_sources(self, context: Context) -> None:
        """Raise unless the vectors and the word frequencies are available."""
        WordVectorEncoder.check(self, context)
        word_frequencies.check(self.frequencies, context.lang)

    def option_settings(self, context: Context) -> Settings:
        """The options; the frequencies with the version of their source."""
        others = tuple(pair for pair in options_of(self) if pair[0] != "frequencies")
        return *others, *word_frequencies.settings(self.frequencies, context.lang)

    @property
    def fit_passes(self) -> int:
        """One pass counts words, one adds up the vectors of sentences."""
        return 2

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Count words; then add up the products of the weighted means of texts."""
        if not sums:
            return WordCounts.of(texts)
        counts: WordCounts = sums[0]
        weight = self._weight(counts, context)
        vectors = word_vectors(context)
        means = weighted_means(texts, vectors, self.case, weight)
        return GramSum.of(means, largest_component(counts.counts, vectors, self.case, weight))

    def fit_to(self, sums: Sequence[Any], context: Context) -> Encode:
        """Return the encoder with the word frequencies and common directions of a corpus."""
        counts, products = sums
        vectors, weight = word_vectors(context), self._weight(counts, context)
        directions, shares = self.common_directions(products.matrix())

        def encode(texts: Sequence[str]) -> NDArray[np.float32]:
            rows = weighted_means(texts, vectors, self.case, weight)
            return remove_directions(rows, directions, shares).astype(np.float32)

        return encode

    def _weight(self, counts: WordCounts, context: Context) -> WordWeight:
        frequencies = word_frequencies.load(self.frequencies, context.lang, counts.lower())
        return self.word_weight(frequencies, counts)

    def word_weight(self, frequencies: Frequencies, counts: WordCounts) -> WordWeight:
        """Return the function that gives the weight of a word."""
        return lambda word: self.a / (self.a + frequencies.of(word))

    def common_directions(
        self, products: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the directions to remove, and the share of each that is removed.

        Here the first direction is removed completely. `products` is the sum of the outer products
        of the weighted means of the corpus.
        """
        directions, _ = principal_directions(products, 1)
        return directions, np.ones(len(directions))
