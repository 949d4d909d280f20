"""The correlation coefficients of two columns: Pearson's, Spearman's and Kendall's (tau-b).

The operations and their order are those of scipy, so that the numbers are those of scipy to the
last bit where both run with the same numpy.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from misword.stat.kernels import concordance
from misword.stat.weighted_correlation import Numbers, RankedColumn


def three_coefficients(left: RankedColumn, right: RankedColumn) -> tuple[float, float, float]:
    """Compute the three coefficients; nan if a column is constant."""
    if len(left.starts) < 2 or len(right.starts) < 2:
        return np.nan, np.nan, np.nan
    return pearson(left.raw, right.raw), spearman(left, right), kendall(left, right)


def pearson(left: Numbers, right: Numbers) -> float:
    """Compute Pearson's coefficient of two columns that are not constant."""
    return float(np.clip(_unit(left) @ _unit(right), -1, 1))


def _unit(values: Numbers) -> Numbers:
    """Return the values with mean 0 and length 1."""
    centred = values - values.mean()
    largest = np.abs(centred).max()  # the squares of large numbers would overflow
    length = np.linalg.norm(centred / largest, axis=0)  # with an axis, numpy adds in pairs
    return np.asarray(centred / (largest * length))


def spearman(left: RankedColumn, right: RankedColumn) -> float:
    """Compute Spearman's coefficient: Pearson's coefficient of the ranks."""
    ranks = np.column_stack([left.ranks(), right.ranks()])
    return float(np.asarray(np.corrcoef(ranks, rowvar=False))[1, 0])


def kendall(left: RankedColumn, right: RankedColumn) -> float:
    """Compute Kendall's tau-b from exact numbers of pairs of rows."""
    once = np.ones((1, len(left.places)), np.int32)
    score = int(concordance(once, left.places, right.places)[0])
    tau = score / sqrt(left.untied_pairs()) / sqrt(right.untied_pairs())
    return min(1.0, max(-1.0, tau))
