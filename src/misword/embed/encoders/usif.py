"""Unsupervised smooth inverse frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.embed import frequencies as lists
from misword.embed.averages import Weigh
from misword.embed.encoders.sif import SIF, Rows, components
from misword.embed.frequencies import Frequencies
from misword.embed.vectors.words import Case

LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class USIF(SIF):
    """Word vectors weighed by a / (a/2 + p(word)), where `a` follows from the vocabulary.

    Why: SIF without a number to choose. Up to five common directions are taken out, each by its
    share of their variance, as the paper says (its program squares the shares).

    Known problems: those of SIF.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=usif`
    Reference: K. Ethayarajh, Unsupervised random walk sentence embeddings: a strong but simple
    baseline, RepL4NLP 2018.
    """

    name: ClassVar[str] = "usif"

    a: float = 0.0  # 0: computed
    frequencies: lists.Source = "corpus"
    case: Case = "auto"
    components: int = 5

    def check(self, context: Context) -> None:
        """As for SIF, but `a` may be left to be computed."""
        if not (isfinite(self.a) and self.a >= 0):
            raise OptionError(f"a is {self.a}", fix="use a number above 0; 0: it is computed")
        if self.components < 0:
            raise OptionError(f"components is {self.components}", fix="use 0 or more")
        self.check_sources(context)

    def weigh(self, frequencies: Frequencies, corpus: Sequence[str]) -> Weigh:
        """What a word weighs."""
        words = sum(len(text.split()) for text in corpus)
        a = self.a or smoothing(frequencies, words / max(len(corpus), 1))
        return lambda word: a / (a / 2 + frequencies.of(word))

    def common(self, rows: Rows) -> tuple[Rows, Rows]:
        """The first directions, each by its share of their variance."""
        directions, singular = components(rows, self.components)
        squares = singular**2
        return directions, squares / max(squares.sum(), LEAST)


def smoothing(frequencies: Frequencies, length: float) -> float:
    """The constant `a` for a vocabulary and a mean sentence length.

    A word is likely to be in a random sentence of `length` words if its share is above what each
    word would have by chance; of alpha, the share of such words, a = (1 - alpha) / (alpha Z) with Z
    half the vocabulary.
    """
    size = max(len(frequencies), 1)
    threshold: float = 1 - (1 - 1 / size) ** length
    frequent = sum(share > threshold for share in frequencies.shares.values())
    alpha = max(frequent, 1) / size
    return max((1 - alpha) / (alpha * size / 2), LEAST)
