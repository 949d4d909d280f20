"""Unsupervised smooth inverse frequency."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.embed.averages import WordWeight
from misword.embed.encoders.sif import SIF
from misword.embed.fitting import WordCounts
from misword.embed.frequencies import Frequencies, FrequencySource
from misword.embed.principal_directions import principal_directions
from misword.embed.vectors.words import Case

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
