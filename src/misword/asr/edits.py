"""What the unit-cost error rates share: one alignment, four counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from misword.alignment.engine import Ties
from misword.asr.views import View
from misword.asr.views.word import Word
from misword.stat.resampling import Statistics

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class EditRate:
    """A rate over the edit counts of an alignment under a view.

    A subclass says which `view`, which `terms` it needs of the counts and how they make a rate;
    the default is errors over reference tokens.
    """

    ties: Ties = "misword"
    statistics: ClassVar[tuple[str, ...]] = (
        "hits", "substitutions", "insertions", "deletions",
    )  # fmt: skip

    @property
    def view(self) -> View:
        """What a token is."""
        return Word()

    def measure(self, pairs: Pairs) -> Statistics:
        """Hits, substitutions, insertions and deletions of each pair."""
        return pairs.alignment(self.view, self.ties).counts

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference tokens."""
        return np.stack([statistics[..., 1:].sum(axis=-1), self.reference(statistics)], axis=-1)

    def reference(self, statistics: Statistics) -> Statistics:
        """Reference tokens: all but the insertions."""
        hits, substitutions, _, deletions = np.moveaxis(statistics, -1, 0)
        return np.asarray(hits + substitutions + deletions)

    def rate(self, terms: Statistics) -> Statistics:
        """Errors over reference tokens; undefined (nan) where there are none."""
        return ratio(terms[..., 0], terms[..., 1])


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """A quotient that is nan, without a warning, where nothing can be divided."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient
