"""Offsets between two files that rare features suggest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import FeaturePair

# A feature votes if it occurs at most this often in each file: the first of these numbers that
# gives at most MOST_VOTES votes for each line. Texts with few different words have no rarer ones.
RARE, MOST_VOTES = (64, 32, 16, 8), 40
# Offsets with the most votes that are candidates, and offsets that always are: -NEAR to NEAR.
MOST_OFFSETS, NEAR = 24, 3


class OffsetVotes:
    """Votes of rare features for offsets.

    A feature that occurs in line i of the left file and in line j of the right one votes for the
    offset j - i. Its vote is divided among all its pairs of occurrences.
    """

    def __init__(self, features: FeaturePair) -> None:
        self._features = features
        self._is_rare = _rare_features(features)
        kept = np.flatnonzero(self._is_rare[features.right.ids])
        ids = features.right.ids[kept]
        order = np.argsort(ids, kind="stable")
        lines = np.searchsorted(features.right.offsets, kept, side="right") - 1
        self._lines = lines[order]
        self._starts = np.searchsorted(ids[order], np.arange(len(self._is_rare) + 1))

    def candidates(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Return the offsets with the most votes of lines `lo` to `hi - 1`, in ascending order."""
        features = self._features
        left, right = features.left, features.right
        first, last = left.offsets[lo], left.offsets[hi]
        ids = left.ids[first:last]
        lines = np.repeat(np.arange(lo, hi), np.diff(left.offsets[lo : hi + 1]))
        kept = self._is_rare[ids]
        ids, lines = ids[kept], lines[kept]
        sizes = self._starts[ids + 1] - self._starts[ids]
        votes = np.repeat(1.0 / np.maximum(sizes * features.counts[0][ids], 1), sizes)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        partners = self._lines[np.repeat(self._starts[ids], sizes) + within]
        offsets, place = np.unique(partners - np.repeat(lines, sizes), return_inverse=True)
        totals = np.bincount(place, votes, len(offsets))
        best = offsets[np.argsort(-totals, kind="stable")[:MOST_OFFSETS]]
        near = np.arange(-NEAR, NEAR + 1)
        return np.unique(np.concatenate([best, near, [len(right) - len(left)]]))


def _rare_features(features: FeaturePair) -> NDArray[np.bool_]:
    """Return which features vote."""
    left, right = features.counts
    most = np.maximum(left, right)
    for limit in RARE:
        if (left * right)[most <= limit].sum() <= MOST_VOTES * len(features.left):
            break
    return np.asarray(most <= limit)
