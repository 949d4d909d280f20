"""Whether the lines of two texts that are paired are more alike than other lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAMPLE = 2_000  # pairs that are compared
FEWEST = 30  # pairs that a statement needs
LOW = 0.25  # a similarity below this is that of different texts
# Standard errors by which paired lines are more alike than lines paired at random.
ALIKE = 2.5
PERMUTATIONS = 5

Words = Sequence[Sequence[str]]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike paired lines are: the mean share of common words, as paired and at random.

    `is_random` says that the paired lines are no more alike than lines paired at random.
    """

    paired: float
    at_random: float
    is_random: bool


def likeness(left: Words, right: Words, rows: Rows) -> Likeness:
    """Compare the pairs of rows of two texts with random pairs."""
    rows = sampled(rows)
    similarities = _similarities(left, right, rows)
    paired = _mean(similarities)
    if paired >= LOW or len(rows) < FEWEST:
        return Likeness(paired, 0.0, False)
    random = np.mean(list(_random_similarities(left, right, rows)), axis=0)
    differences = (similarities - random)[~np.isnan(similarities - random)]
    if len(differences) < FEWEST:
        return Likeness(paired, _mean(random), False)
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    return Likeness(paired, _mean(random), bool(differences.mean() < ALIKE * error))


def mean_similarity(left: Words, right: Words, rows: Rows) -> float:
    """Return the mean share of common words of pairs of rows; 1 if it is not defined."""
    return _mean(_similarities(left, right, sampled(rows)))


def sampled(rows: Rows) -> Rows:
    """Return some of the rows, evenly spaced."""
    return rows[:: max(1, len(rows) // SAMPLE)]


def _random_similarities(left: Words, right: Words, rows: Rows) -> Iterator[NDArray[np.float64]]:
    """Yield the similarities of the left texts to right texts in random order."""
    generator = np.random.default_rng(0)
    for _ in range(PERMUTATIONS):
        mates = generator.permutation(rows[:, 1])
        yield _similarities(left, right, np.stack([rows[:, 0], mates], axis=1))


def _similarities(left: Words, right: Words, rows: Rows) -> NDArray[np.float64]:
    """Return the share of common words of each pair of rows; nan if a text is empty."""
    return np.array([_common(left[i], right[j]) for i, j in rows.tolist()])


def _mean(similarities: NDArray[np.float64]) -> float:
    """Return the mean of those that are defined; 1 if none is."""
    defined = similarities[~np.isnan(similarities)]
    return float(defined.mean()) if len(defined) else 1.0


def _common(left: Sequence[str], right: Sequence[str]) -> float:
    """Return twice the common words divided by all words; nan if a text is empty."""
    if not left or not right:
        return float("nan")
    ours, theirs = set(left), set(right)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))
