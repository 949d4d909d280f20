"""Embedding error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from misword.asr.costs import Cost
from misword.asr.costs.near import Near
from misword.asr.metrics.edit_rate import EmbeddingRate, ratio
from misword.asr.views import View
from misword.asr.views.word import Word
from misword.core.context import Context
from misword.stat.resampling import Statistics


@dataclass(frozen=True, slots=True)
class EmbER(EmbeddingRate):
    """Word error rate where a substitution by a near word costs 0.1 instead of 1.

    Near is a cosine above `threshold` (strictly). Words are lower-cased before they are aligned and
    looked up, as in the paper (`lower=false`: not). `norm` is what the cost is divided by: the
    reference's words, as the paper says, or all places of the alignment, as its authors' program
    does.

    Known problems: a step, so a cosine of 0.39 and one of 0.41 differ by 0.9; the threshold was
    chosen for one set of French vectors.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics ember:norm=alignment`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    threshold: float = 0.4
    weight: float = 0.1
    norm: Literal["reference", "alignment"] = "reference"
    lower: bool = True

    def view(self, context: Context) -> View:
        """Words in lower case."""
        return Word(self.lower)

    @property
    def pricing(self) -> Cost:
        """A step at the threshold."""
        return Near(self.case, self.threshold, self.weight)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What it is divided by, beside the rest."""
        inherited = EmbeddingRate.settings(self, context)
        return *inherited[:1], ("divisor", self.norm), *inherited[1:]

    def terms(self, statistics: Statistics) -> Statistics:
        """Cost, what it is divided by, and reference words."""
        reference = self.reference(statistics)
        size = reference if self.norm == "reference" else statistics[..., :4].sum(axis=-1)
        return np.stack([statistics[..., 4], size, reference], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Undefined without a reference, also where the alignment has places."""
        return np.where(terms[..., 2] > 0, ratio(terms[..., 0], terms[..., 1]), np.nan)
