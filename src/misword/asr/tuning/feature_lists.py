"""N-best lists with the features of their hypotheses, and the choice that weights make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.asr.tuning.envelopes import Numbers, Rows
from misword.core.types import Statistics, join_ranges
from misword.stat.measure import Measure


def weighted_sum(features: Numbers, weights: Numbers) -> Numbers:
    """Return the sum of the rows of `features` times their weights.

    The features are added one after the other, so that hypotheses with the same features have the
    same score to the last bit.
    """
    total = np.zeros(features.shape[1])
    for weight, values in zip(weights.tolist(), features, strict=True):
        if weight:
            total += weight * values
    return total


def highest(scores: Numbers, offsets: Rows) -> Rows:
    """Return the row of each list with the highest score; the first one if several have it.

    >>> highest(np.array([1.0, 2, 2, 5]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    most = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), np.diff(offsets))
    places = np.flatnonzero(scores == most)
    return np.asarray(places[np.searchsorted(places, offsets[:-1])], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureLists:
    """The features of the hypotheses of N-best lists, and what a metric says of each.

    List `k` has the rows `offsets[k]` to `offsets[k + 1] - 1`, in the order of the ranks.
    `features` has a row for each feature and a column for each hypothesis. `terms` are the terms
    of the metric, a row for each hypothesis.
    """

    features: Numbers
    offsets: Rows
    terms: Statistics
    measure: Measure

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, lists: Rows) -> FeatureLists:
        """Return some of the lists, in the given order; a list may occur several times."""
        lengths = np.diff(self.offsets)[lists]
        rows = join_ranges(self.offsets[lists], lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        features = np.ascontiguousarray(self.features[:, rows])
        return FeatureLists(features, offsets, self.terms[rows], self.measure)

    def spreads(self) -> Numbers:
        """Return the standard deviation of each feature within the lists; 0 if it is constant.

        Differences between lists do not count, because they change no choice.
        """
        return np.array([self._spread(values) for values in self.features])

    def _spread(self, values: Numbers) -> float:
        starts, lengths = self.offsets[:-1], np.diff(self.offsets)
        highest, lowest = (f.reduceat(values, starts) for f in (np.maximum, np.minimum))
        if not (highest > lowest).any():
            return 0.0
        means = np.add.reduceat(values, starts) / lengths
        return float(np.sqrt(np.mean(np.square(values - np.repeat(means, lengths)))))

    def scaled(self, spreads: Numbers) -> FeatureLists:
        """Return the lists with each feature divided by its spread."""
        return FeatureLists(
            self.features / spreads[:, None], self.offsets, self.terms, self.measure
        )

    def scores(self, weights: Numbers) -> Numbers:
        """Return the score of each hypothesis: the sum of its features times their weights."""
        return weighted_sum(self.features, weights)

    def choice(self, weights: Numbers) -> Rows:
        """Return the row of each list with the highest score; the first one if several have it."""
        return highest(self.scores(weights), self.offsets)

    def rate(self, weights: Numbers) -> float:
        """Return the rate of the hypotheses that weights choose; nan if it is undefined."""
        return float(self.measure.rate(self.terms[self.choice(weights)].sum(axis=0)))
