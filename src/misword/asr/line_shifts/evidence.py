"""The evidence that two lines belong together: a log-likelihood ratio.

The ratio compares lines that belong together with lines drawn at random. It is learnt from the
files themselves: a logistic regression separates the pairs of a given pairing from random pairs.
With equal weights of both classes, its logit is the log of the ratio of the two densities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.similarity import CandidatePairs, Similarity

# The most pairs that belong together that the regression uses.
MOST_PAIRS = 20_000
# Bounds of the evidence of one pair of lines, in nats.
GREATEST, LEAST = 8.0, -4.0
# The most that the logs of two ratios of lengths count as different.
MOST_DIFFERENT = 2.0
# Steps of Newton's method, and the weight of the penalty of large coefficients.
STEPS, PENALTY = 12, 2.0

Floats = NDArray[np.float64]
Lines = NDArray[np.int64]


class Evidence:
    """Log-likelihood ratios of pairs of lines, learnt from a pairing.

    `of_random` is the mean ratio of random pairs.
    """

    def __init__(self, similarity: Similarity, lefts: Lines, rights: Lines) -> None:
        self._similarity = similarity
        used = np.flatnonzero(similarity.has_text(lefts, rights))
        used = used[:: max(1, len(used) // MOST_PAIRS)]
        lefts, rights = lefts[used], rights[used]
        ratios = similarity.length_ratios(lefts, rights)
        self._usual_ratio = float(np.median(ratios)) if len(ratios) else 0.0
        paired = self._columns(lefts, rights)
        random = self._columns(*similarity.random_pairs(lefts, rights))
        self._coefficients = fit(paired, random)
        self.of_random = float(self._logits(random).mean()) if len(random) else 0.0

    def __call__(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the log-likelihood ratio of each pair; 0 if a line has no letters."""
        logits = self._logits(self._columns(lefts, rights))
        return np.where(self._similarity.has_text(lefts, rights), logits, 0.0)

    def table(self, pairs: CandidatePairs) -> Floats:
        """Return the ratios of all candidate pairs; lines without a partner count as random."""
        table = np.full(pairs.exists.shape, self.of_random)
        for column, (exists, similarities) in enumerate(pairs.similarities()):
            differences = self._differences(pairs.length_ratios(column))
            logits = self._logits(np.column_stack([similarities, differences]))
            table[exists, column] = np.where(pairs.has_text(column), logits, 0.0)
        return table

    def _columns(self, lefts: Lines, rights: Lines) -> Floats:
        differences = self._differences(self._similarity.length_ratios(lefts, rights))
        return np.column_stack([self._similarity.columns(lefts, rights), differences])

    def _differences(self, ratios: Floats) -> Floats:
        return np.minimum(np.abs(ratios - self._usual_ratio), MOST_DIFFERENT)

    def _logits(self, columns: Floats) -> Floats:
        logits = self._coefficients[0] + columns @ self._coefficients[1:]
        return np.asarray(np.clip(logits, LEAST, GREATEST))


def fit(paired: Floats, random: Floats) -> Floats:
    """Return intercept and slopes of a logistic regression with equal weights of both classes.

    The slopes of standardized columns have a penalty, so that separable classes have finite ones.
    """
    width = paired.shape[1] + 1
    if not len(paired) or not len(random):
        return np.zeros(width)
    table = np.concatenate([paired, random])
    mean, scale = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-6)
    design = np.column_stack([np.ones(len(table)), (table - mean) / scale])
    is_paired = np.repeat([1.0, 0.0], [len(paired), len(random)])
    size = min(len(paired), len(random))
    weights = np.where(is_paired > 0, size / len(paired), size / len(random))
    penalty = PENALTY * np.diag([0.0, *[1.0] * (width - 1)])
    coefficients = np.zeros(width)
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-np.clip(design @ coefficients, -30, 30)))
        gradient = design.T @ (weights * (is_paired - expected)) - penalty @ coefficients
        curvature = (design * (weights * expected * (1 - expected))[:, None]).T @ design
        step = np.linalg.solve(curvature + penalty + 1e-6 * np.eye(width), gradient)
        coefficients += np.clip(step, -4, 4)
    slopes = coefficients[1:] / scale
    return np.concatenate([[coefficients[0] - slopes @ mean], slopes])
