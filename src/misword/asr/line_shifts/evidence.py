"""The evidence that two lines belong together: a log-likelihood ratio.

The ratio compares lines that belong together with lines drawn at random. It is learnt from the
files themselves, by a logistic regression that separates the pairs of a given pairing from random
pairs; with equal weights of both classes, the logit is the log of the ratio of their densities.

The similarity of a pair is the cosine of their features minus the similarity of each line to
random lines: "thank you" is similar to many lines, so that its similarity to one says little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import FeaturePair
from misword.asr.line_shifts.kernels import shared_weights

# Random lines that each line is compared with; half of them are within LOCAL lines.
RANDOM_LINES, LOCAL = 16, 500
# Random pairs that the regression uses.
RANDOM_PAIRS = 20_000
# Bounds of the evidence of one pair of lines, in nats.
MOST, LEAST = 7.0, -4.0
STEPS, RIDGE = 12, 2.0

Floats = NDArray[np.float64]
Lines = NDArray[np.int64]


class Similarity:
    """Measures of pairs of lines: columns for the regression."""

    def __init__(
        self,
        features: FeaturePair,
        vectors: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
        seed: int = 0,
    ) -> None:
        self.features, self._vectors = features, vectors
        self._rng = np.random.default_rng(seed)
        count = len(features.left), len(features.right)
        self._to_random = [
            self._similarity_to_random(count[side], count[1 - side], side) for side in (0, 1)
        ]
        self._length_ratio = 0.0

    def cosine(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the cosine of the features of each pair."""
        norms = self.features.left.norms[lefts] * self.features.right.norms[rights]
        shared = shared_weights(self.features, lefts, rights)
        return np.asarray(shared / np.maximum(norms, 1e-6), np.float64)

    def columns(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the measures of each pair: similarity beyond chance, difference of lengths."""
        chance = (self._to_random[0][lefts] + self._to_random[1][rights]) / 2
        columns = [
            self.cosine(lefts, rights) - chance,
            np.minimum(np.abs(self._length_ratios(lefts, rights) - self._length_ratio), 2.0),
        ]
        if self._vectors is not None:
            left, right = self._vectors
            columns.append(np.einsum("ij,ij->i", left[lefts], right[rights]))
        return np.column_stack(columns)

    def center_lengths(self, lefts: Lines, rights: Lines) -> None:
        """Set the usual ratio of lengths to that of these pairs."""
        if len(lefts):
            self._length_ratio = float(np.median(self._length_ratios(lefts, rights)))

    def defined(self, lefts: Lines, rights: Lines) -> NDArray[np.bool_]:
        """Whether both lines of each pair have letters."""
        left, right = self.features.left.lengths, self.features.right.lengths
        return (left[lefts] > 0) & (right[rights] > 0)

    def random_pairs(self) -> tuple[Lines, Lines]:
        """Draw pairs of lines at random."""
        left, right = len(self.features.left), len(self.features.right)
        size = min(RANDOM_PAIRS, left * right)
        return self._rng.integers(0, left, size), self._rng.integers(0, right, size)

    def _length_ratios(self, lefts: Lines, rights: Lines) -> Floats:
        left, right = self.features.left.lengths, self.features.right.lengths
        return np.asarray(np.log((left[lefts] + 2.0) / (right[rights] + 2.0)))

    def _similarity_to_random(self, count: int, others: int, side: int) -> Floats:
        """Return the mean of the second and third greatest similarity to random lines.

        The greatest may be that of the line's partner.
        """
        if not others:
            return np.zeros(count)
        lines = np.repeat(np.arange(count), RANDOM_LINES)
        drawn = self._rng.integers(0, others, (count, RANDOM_LINES))
        half = RANDOM_LINES // 2
        near = np.arange(count)[:, None] + self._rng.integers(-LOCAL, LOCAL + 1, (count, half))
        drawn[:, :half] = np.abs(near) % others
        pairs = (lines, drawn.ravel()) if side == 0 else (drawn.ravel(), lines)
        table = np.sort(self.cosine(*pairs).reshape(count, RANDOM_LINES), axis=1)
        return np.asarray(table[:, -3:-1].mean(axis=1))


class Evidence:
    """Log-likelihood ratios of pairs of lines, learnt from a pairing."""

    def __init__(self, similarity: Similarity, lefts: Lines, rights: Lines) -> None:
        self._similarity = similarity
        used = similarity.defined(lefts, rights)
        lefts, rights = lefts[used], rights[used]
        similarity.center_lengths(lefts, rights)
        paired = similarity.columns(lefts, rights)
        drawn = similarity.random_pairs()
        used = similarity.defined(*drawn)
        random = similarity.columns(drawn[0][used], drawn[1][used])
        self._coefficients = _fit(paired, random)
        design = np.column_stack([np.ones(len(random)), random])
        self.of_random = float(
            np.clip(design @ self._coefficients, LEAST, MOST).mean() if len(random) else 0.0
        )

    def __call__(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the log-likelihood ratio of each pair; 0 if a line has no letters."""
        columns = self._similarity.columns(lefts, rights)
        logits = np.column_stack([np.ones(len(columns)), columns]) @ self._coefficients
        used = self._similarity.defined(lefts, rights)
        return np.where(used, np.clip(logits, LEAST, MOST), 0.0)


def _fit(paired: Floats, random: Floats) -> Floats:
    """Return the coefficients of a logistic regression with equal weights of both classes."""
    width = paired.shape[1] + 1
    if not len(paired) or not len(random):
        return np.zeros(width)
    table = np.concatenate([paired, random])
    mean, scale = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-6)
    design = np.column_stack([np.ones(len(table)), (table - mean) / scale])
    is_paired = np.repeat([1.0, 0.0], [len(paired), len(random)])
    size = min(len(paired), len(random))
    weights = np.where(is_paired > 0, size / len(paired), size / len(random))
    penalty = RIDGE * np.diag([0.0, *[1.0] * (width - 1)])
    coefficients = np.zeros(width)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ coefficients, -30, 30)))
        gradient = design.T @ (weights * (is_paired - chance)) - penalty @ coefficients
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design
        change = np.linalg.solve(curvature + penalty + 1e-6 * np.eye(width), gradient)
        coefficients = coefficients + np.clip(change, -4, 4)
    slopes = coefficients[1:] / scale
    return np.concatenate([[coefficients[0] - slopes @ mean], slopes])
