"""Numbers with intervals from resampled utterances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from misword.core.types import Statistics
from misword.stat.bootstrap import (
    DEFAULT,
    Bootstrap,
    Rate,
    distinct,
    jackknife,
    percentiles,
    resample,
)


class Estimate(NamedTuple):
    """A number and the ends of its interval."""

    value: float
    low: float
    high: float


def estimate(terms: Statistics, rate: Rate, bootstrap: Bootstrap = DEFAULT) -> Estimate:
    """Return a number that follows from sums of terms, which have a row for each utterance.

    >>> rows = np.array([[1, 2], [2, 2], [3, 2], [2, 2]])
    >>> estimate(rows, lambda terms: terms[..., 0] / terms[..., 1]).value
    1.0
    """
    sample = distinct(terms)
    levels = jackknife(sample, rate).symmetric_levels(bootstrap.confidence)
    ends = percentiles(np.asarray(rate(resample(sample, bootstrap))), levels)
    return Estimate(float(rate(terms.sum(axis=0))), *ends)
