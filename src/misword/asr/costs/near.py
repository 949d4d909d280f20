"""A small price for near words, the full one for others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.costs.cosine import Cosine
from misword.asr.views import View
from misword.core.context import Context
from misword.core.errors import OptionError


@dataclass(frozen=True, slots=True)
class Near(Cosine):
    """`weight` (0.1) where the cosine of the words is above `threshold` (0.4), else 1.

    Known problems: a step: words just above and just below it differ by 0.9. It prices an alignment
    and does not make one.
    """

    threshold: float = 0.4
    weight: float = 0.1

    def check(self, context: Context, view: View) -> None:
        """There must be vectors, a threshold that a cosine can pass, and a weight of at most 1."""
        if not -1 <= self.threshold <= 1:
            raise OptionError(f"threshold is {self.threshold}", fix="a cosine is from -1 to 1")
        if not 0 <= self.weight <= 1:
            raise OptionError(f"weight is {self.weight}", fix="use a number from 0 to 1")
        Cosine.check(self, context, view)

    def prices(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weight above the threshold."""
        return np.where(cosines > self.threshold, self.weight, 1.0)
