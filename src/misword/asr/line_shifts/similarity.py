"""How similar two lines are, and the evidence that they belong together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import FeaturePair, shared_weights

# How similar two lines are, beyond what random lines are.

# Random lines that each line is compared with; half of them are within LOCAL lines.
RANDOM_LINES, LOCAL = 16, 500
# Random lines are drawn for this number of lines together.
BLOCK = 100_000
# Random pairs of each kind that are drawn, and the most lines from a partner to its neighbours.
RANDOM_PAIRS, NEIGHBOURS = 10_000, 8

Floats = NDArray[np.float64]
Lines = NDArray[np.int64]
Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


class Similarity:
    """The similarity of lines of two files.

    The similarity of a pair is the cosine of their features minus the similarity of both lines to
    random lines: "thank you" is similar to many lines, so a high similarity is weak evidence.
    If there are `vectors` of the lines, the cosine of these is a second column.
    """

    def __init__(
        self,
        features: FeaturePair,
        vectors: Vectors | None,
        seed: int = 0,
        random_pairs: int = RANDOM_PAIRS,
    ) -> None:
        self.features, self._vectors, self._random_pairs = features, vectors, random_pairs
        self._rng = np.random.default_rng(seed)
        self._chance = [np.concatenate(list(self._chances(side))) for side in (0, 1)]
        lengths = features.left.lengths, features.right.lengths
        self._logs = [np.log(length + 2.0) for length in lengths]
        self._has_text = [length > 0 for length in lengths]

    def cosine(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the cosine of the features of each pair."""
        norms = self.features.left.norms[lefts] * self.features.right.norms[rights]
        shared = shared_weights(self.features, lefts, rights)
        return np.asarray(shared / np.maximum(norms, 1e-6), np.float64)

    def columns(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the similarity of each pair by features and, if there are any, by vectors."""
        chance = (self._chance[0][lefts] + self._chance[1][rights]) / 2
        columns = [self.cosine(lefts, rights) - chance]
        if self._vectors is not None:
            left, right = self._vectors
            columns.append(np.einsum("ij,ij->i", left[lefts], right[rights], dtype=np.float64))
        return np.column_stack(columns)

    def length_ratios(self, lefts: Lines, rights: Lines) -> Floats:
        """Return the logs of the ratios of the lengths."""
        return np.asarray(self._logs[0][lefts] - self._logs[1][rights])

    def has_text(self, lefts: Lines, rights: Lines) -> NDArray[np.bool_]:
        """Whether both lines of each pair have letters."""
        return np.asarray(self._has_text[0][lefts] & self._has_text[1][rights])

    def random_pairs(self, lefts: Lines, rights: Lines) -> tuple[Lines, Lines]:
        """Draw pairs of lines with text: half of all lines, half of a pairing's neighbours.

        Where the lines of a topic follow each other, neighbours are more similar than others.
        """
        sizes = len(self.features.left), len(self.features.right)
        count = min(self._random_pairs, sizes[0] * sizes[1])
        drawn = [self._rng.integers(0, size, count) for size in sizes]
        if len(lefts):
            place = self._rng.integers(0, len(lefts), count)
            steps = self._rng.integers(1, NEIGHBOURS + 1, count) * self._rng.choice((-1, 1), count)
            drawn = [
                np.concatenate([drawn[0], lefts[place]]),
                np.concatenate([drawn[1], rights[place] + steps]),
            ]
        exists = (drawn[1] >= 0) & (drawn[1] < sizes[1])
        found = drawn[0][exists], drawn[1][exists]
        used = self.has_text(*found)
        return found[0][used], found[1][used]

    def _chances(self, side: int) -> Iterator[Floats]:
        """Yield, for blocks of lines, the mean of the second and third greatest random similarity.

        The greatest similarity is left out, because it may be that of the line's partner.
        """
        sizes = len(self.features.left), len(self.features.right)
        others, half = sizes[1 - side], RANDOM_LINES // 2
        for lo in range(0, sizes[side], BLOCK):
            lines = np.arange(lo, min(lo + BLOCK, sizes[side]))[:, None]
            drawn = self._rng.integers(0, others, (len(lines), RANDOM_LINES))
            near = lines + self._rng.integers(-LOCAL, LOCAL + 1, (len(lines), half))
            drawn[:, :half] = np.abs(near) % others
            repeated = np.repeat(lines.ravel(), RANDOM_LINES)
            pairs = (repeated, drawn.ravel()) if side == 0 else (drawn.ravel(), repeated)
            table = np.sort(self.cosine(*pairs).reshape(drawn.shape), axis=1)
            yield table[:, -3:-1].mean(axis=1)


class CandidatePairs:
    """A range of lines of the left file, paired with the right one at several offsets.

    The tables have a row for each line and a column for each offset.
    """

    def __init__(self, similarity: Similarity, lo: int, hi: int, offsets: Lines) -> None:
        self._lines, self.offsets = np.arange(lo, hi), offsets
        self._similarity = similarity
        rights = self._lines[:, None] + offsets
        self.exists = (rights >= 0) & (rights < len(similarity.features.right))
        # float16 halves the memory; a similarity needs no more digits.
        self._tables = [
            similarity.columns(*self._pairs(column)).astype(np.float16)
            for column in range(len(offsets))
        ]

    def similarities(self) -> Iterator[tuple[NDArray[np.bool_], Floats]]:
        """Yield, for each offset, the lines with a partner and the columns of their similarity."""
        for column, table in enumerate(self._tables):
            yield self.exists[:, column], table.astype(np.float64)

    def length_ratios(self, column: int) -> Floats:
        """Return the logs of the ratios of the lengths, for lines with a partner at an offset."""
        return self._similarity.length_ratios(*self._pairs(column))

    def has_text(self, column: int) -> NDArray[np.bool_]:
        """Whether both lines have letters, for lines with a partner at an offset."""
        return self._similarity.has_text(*self._pairs(column))

    def _pairs(self, column: int) -> tuple[Lines, Lines]:
        lefts = self._lines[self.exists[:, column]]
        return lefts, lefts + self.offsets[column]


# The evidence that two lines belong together: a log-likelihood ratio.
#
# The ratio compares lines that belong together with lines drawn at random. It is learnt from the
# files themselves: a logistic regression separates the pairs of a given pairing from random pairs.
# With equal weights of both classes, its logit is the log of the ratio of the two densities.

# The most pairs that belong together that the regression uses.
MOST_PAIRS = 20_000
# Bounds of the evidence of one pair of lines, in nats.
GREATEST, LEAST = 8.0, -4.0
# The most that the logs of two ratios of lengths count as different.
MOST_DIFFERENT = 2.0
# Steps of Newton's method, and the weight of the penalty of large coefficients.
STEPS, PENALTY = 12, 2.0


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
        self._coefficients = fit_logistic(paired, random)
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


def fit_logistic(paired: Floats, random: Floats) -> Floats:
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
