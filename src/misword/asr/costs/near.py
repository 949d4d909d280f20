"""A low cost for words with near vectors, the full cost for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.asr.costs import Substituted, ViewVocabulary
from misword.asr.costs.cosine import Cosine
from misword.core.context import Context
from misword.core.errors import OptionError

# Rows of cosines that are in memory at once while the near pairs of a vocabulary are listed.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Near(Cosine):
    """`weight` (0.1) where the cosine of the words is above `threshold` (0.4), else 1.

    Known problems: a step function: words just above and just below the threshold differ by 0.9.
    Where it decides the alignment, the cosines of all pairs of the vocabulary are computed: some
    seconds for ten thousand distinct tokens.
    """

    name: ClassVar[str] = "near"

    threshold: float = 0.4
    weight: float = 0.1

    def check(self, context: Context) -> None:
        """Raise unless there are vectors, and threshold and weight are possible values."""
        if not -1 <= self.threshold <= 1:
            raise OptionError(f"threshold is {self.threshold}", fix="a cosine is from -1 to 1")
        if not 0 <= self.weight <= 1:
            raise OptionError(f"weight is {self.weight}", fix="use a number from 0 to 1")
        Cosine.check(self, context)

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """List the pairs of tokens whose cosine is above the threshold; all others cost 1."""
        vectors = vocabulary.vectors(self.case)
        ids = np.flatnonzero(vectors.known)
        units = vectors.units[ids].astype(np.float64)
        references, hypotheses = [ids[:0]], [ids[:0]]
        for start in range(0, len(ids), BLOCK):
            rows, columns = np.nonzero(units[start : start + BLOCK] @ units.T > self.threshold)
            references.append(ids[start + rows])
            hypotheses.append(ids[columns])
        left, right = np.concatenate(references), np.concatenate(hypotheses)
        prices = np.full(len(left), self.weight)
        return Costs.pairs(left, right, prices, size=len(vocabulary.tokens))

    def prices(self, substituted: Substituted) -> NDArray[np.float64]:
        """Return the weight where the cosine is above the threshold, else 1."""
        return np.where(substituted.cosines(self.case) > self.threshold, self.weight, 1.0)
