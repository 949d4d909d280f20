"""How similar two lines are, beyond what random lines are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import FeaturePair
from misword.asr.line_shifts.kernels import shared_weights

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
    random lines: "thank you" is similar to many lines, so that its similarity to one says little.
    If there are `vectors` of the lines, the cosine of these is a second column.
    """

    def __init__(self, features: FeaturePair, vectors: Vectors | None, seed: int = 0) -> None:
        self.features, self._vectors = features, vectors
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
        count = min(RANDOM_PAIRS, sizes[0] * sizes[1])
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
        """Give the mean of the second and third greatest similarity to random lines.

        The greatest may be that of the line's partner.
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
        """Give, for each offset, the lines with a partner and the columns of their similarity."""
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
