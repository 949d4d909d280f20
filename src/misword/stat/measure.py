"""The contract between a metric and the table of scores: statistics that add up, and a rate."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.parts.contract import Part

Statistics = NDArray[Any]  # integers where a metric counts, else float64


class Measure(Part):
    """A part whose rate follows from statistics that add up over utterances.

    `statistics` names the columns that are stored for each pair of reference and hypothesis. They
    are whole numbers except those named in `fractional`. For the statistics named in `means`, a
    summary shows the mean per utterance instead of the sum.
    """

    __slots__ = ()

    statistics: ClassVar[tuple[str, ...]] = ()
    fractional: ClassVar[frozenset[str]] = frozenset()
    means: ClassVar[frozenset[str]] = frozenset()

    def terms(self, statistics: Statistics) -> Statistics:
        """Return the sums that the rate needs: a linear function of the last axis."""
        return statistics

    def rate(self, terms: Statistics) -> Statistics:
        """Compute the rate from the terms; nan where it is undefined."""
        raise NotImplementedError

    def reference(self, statistics: Statistics) -> Statistics:
        """Return the size of the reference: its tokens, or the number of utterances."""
        raise NotImplementedError

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Describe what the rate does not show, from the sums of the whole-number statistics.

        `pairs` is the number of pairs of reference and hypothesis that were added up.
        """
        return ()


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """Divide; nan, without a warning, where the denominator is 0."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient


def ratio_of_terms(terms: Statistics) -> Statistics:
    """Return the first term divided by the second; nan where the second is 0."""
    return ratio(terms[..., 0], terms[..., 1])
