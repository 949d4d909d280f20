"""Counting of concordant pairs of rows, for Kendall's tau, by a compiled kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, TOO_LARGE, array, kernel

Integers = NDArray[np.int64]

_count_concordance = kernel(
    "misword_count_concordance", array(np.int32), INTEGER, INTEGER, array(np.int64),
    array(np.int64), array(np.int64, out=True),
)  # fmt: skip


def concordance(weights: NDArray[np.int32], left: Integers, right: Integers) -> Integers:
    """Count concordant minus discordant pairs of rows, in each of several resamples.

    `weights` has the number of times that each row is drawn, one resample per row. `left` and
    `right` hold the ranks of the values among the distinct values of their column, from 0.
    """
    draws, rows = weights.shape
    if not len(left) == len(right) == rows:
        raise ValueError(f"the weights have {rows} rows, the columns {len(left)} and {len(right)}")
    if any(rows and (ranks.min() < 0 or ranks.max() >= rows) for ranks in (left, right)):
        raise ValueError("ranks must be from 0 to the number of rows minus 1")
    scores = np.zeros(draws, np.int64)
    contiguous = np.ascontiguousarray(weights)
    status = _count_concordance(contiguous, draws, rows, left, right, scores)
    if status == TOO_LARGE:
        raise ValueError("weights must not be negative and must add up to less than 2^31")
    return scores
