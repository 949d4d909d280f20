"""Smooth inverse frequency (`sif`, `usif`): weighted means without their common directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings, options_of
from misword.core.workers import one_blas_thread
from misword.embed import frequencies as word_frequencies
from misword.embed.encoders import Encode
from misword.embed.encoders.averages import (
    WordVectorEncoder,
    WordWeight,
    largest_component,
    weighted_means,
)
from misword.embed.fitting import GramSum, WordCounts
from misword.embed.frequencies import Frequencies, FrequencySource
from misword.embed.vectors import Case
from misword.embed.vectors.words import word_vectors

# Principal directions of a set of vectors, and their removal.

# A row or a singular value below this share of the whole is a rounding error.
ROUNDING = 1e-6


def principal_directions(
    products: NDArray[np.float64], number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the first right singular vectors of rows (not centred) and their singular values.

    `products` is the sum of the outer products of the rows with themselves, whose eigenvectors are
    the directions. Directions whose singular value is zero are left out.
    """
    with one_blas_thread():
        squares, directions = np.linalg.eigh(products)
    singular = np.sqrt(np.maximum(squares[::-1][:number], 0))
    nonzero = singular > ROUNDING * singular.max(initial=0)
    return directions.T[::-1][:number][nonzero], singular[nonzero]


def remove_directions(
    rows: NDArray[np.float64], directions: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Subtract from each row its projection on the directions, multiplied by their `shares`."""
    residuals = np.asarray(rows - (rows @ directions.T * shares) @ directions)
    # The residual of a row that lies in the directions is a rounding error in a random direction.
    lengths = np.linalg.norm(residuals, axis=1)
    residuals[lengths < ROUNDING * np.linalg.norm(rows, axis=1)] = 0
    return residuals


# The encoders.


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
        word_frequencies.check_frequencies(self.frequencies, context.lang)

    def option_settings(self, context: Context) -> Settings:
        """The options; the frequencies with the version of their source."""
        others = tuple(pair for pair in options_of(self) if pair[0] != "frequencies")
        return *others, *word_frequencies.frequency_settings(self.frequencies, context.lang)

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
        frequencies = word_frequencies.load_frequencies(
            self.frequencies, context.lang, counts.lower()
        )
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


LEAST = 1e-9  # keeps divisors and `a` above zero


@dataclass(frozen=True, slots=True)
class USIF(SIF):
    """Word vectors weighted by a / (a/2 + p(word)), where `a` follows from the vocabulary.

    Why: it is SIF without a parameter to choose. Up to five common directions are removed, each by
    its share of their variance, as the paper defines it (the paper's program squares the shares).

    Known problems: those of SIF.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=usif`
    Reference: K. Ethayarajh, Unsupervised random walk sentence embeddings: a strong but simple
    baseline, RepL4NLP 2018.
    """

    name: ClassVar[str] = "usif"
    title: ClassVar[str] = "uSIF"
    cites: ClassVar[tuple[str, ...]] = ("ethayarajh2018",)

    a: float = 0.0  # 0: computed
    frequencies: FrequencySource = "corpus"
    case: Case = "auto"
    components: int = 5

    def check(self, context: Context) -> None:
        """Raise unless `a` is 0 (computed) or positive and the sources are available."""
        if not (isfinite(self.a) and self.a >= 0):
            raise OptionError(f"a is {self.a}", fix="use a number above 0; 0: it is computed")
        if self.components < 0:
            raise OptionError(f"components is {self.components}", fix="use 0 or more")
        self.check_sources(context)

    def word_weight(self, frequencies: Frequencies, counts: WordCounts) -> WordWeight:
        """Return the function that gives the weight of a word."""
        length = counts.counts.total() / max(counts.texts, 1)
        a = self.a or smoothing_constant(frequencies, length)
        return lambda word: a / (a / 2 + frequencies.of(word))

    def common_directions(
        self, products: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the first directions and the share of each in their variance."""
        directions, singular = principal_directions(products, self.components)
        squares = singular**2
        return directions, squares / max(squares.sum(), LEAST)


def smoothing_constant(frequencies: Frequencies, length: float) -> float:
    """Compute `a` for a vocabulary and a mean sentence length.

    A word counts as frequent if its relative frequency is above the probability that a sentence of
    `length` random words contains a given word. With alpha, the share of frequent words in the
    vocabulary, and Z, half the size of the vocabulary: a = (1 - alpha) / (alpha Z).
    """
    size = max(len(frequencies), 1)
    threshold: float = 1 - (1 - 1 / size) ** length
    frequent = sum(share > threshold for share in frequencies.shares.values())
    alpha = max(frequent, 1) / size
    return max((1 - alpha) / (alpha * size / 2), LEAST)
