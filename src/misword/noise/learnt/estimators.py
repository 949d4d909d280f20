"""Small estimates: the share of one distribution beside another, and rates of rare events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from misword.noise.hearing import Weights

STRENGTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
HALVINGS = 60


def mixing_weight(one: Weights, other: Weights) -> float:
    """The share of the first of two distributions under which events are most likely.

    `one` and `other` have the probability of each event. The likelihood has one peak, where its
    slope is 0. Of n events, n / (n + 1) is the most: the next one may be another.

    >>> round(mixing_weight(np.array([0.4, 0.4, 0.0]), np.array([0.1, 0.1, 0.1])), 3)
    0.556
    """
    possible = (one > 0) | (other > 0)
    one, other = one[possible], other[possible]
    low, high = 0.0, len(one) / (len(one) + 1)
    for _ in range(HALVINGS):
        share = (low + high) / 2
        rises = ((one - other) / (share * one + (1 - share) * other)).sum() > 0
        low, high = (share, high) if rises else (low, share)
    return low


def strength_of(seen: Mapping[str, int], hit: Mapping[str, int]) -> float:
    """How strongly the rates of words are drawn to their mean: a beta-binomial distribution."""
    from scipy.special import betaln

    times = np.array(list(seen.values()), np.float64)
    hits = np.minimum(np.array([hit.get(word, 0) for word in seen], np.float64), times)
    mean = hits.sum() / times.sum()
    if not 0 < mean < 1:
        return STRENGTHS[-1]

    def value(strength: float) -> float:
        a, b = strength * mean, strength * (1 - mean)
        return float((betaln(hits + a, times - hits + b) - betaln(a, b)).sum())

    return max(STRENGTHS, key=value)


def rates(
    words: Sequence[str], seen: Mapping[str, int], hit: Mapping[str, int], strength: float
) -> Weights:
    """How likely each word is to be hit."""
    mean = sum(hit.values()) / max(sum(seen.values()), 1)
    times = np.array([seen.get(word, 0) for word in words], np.float64)
    hits = np.array([hit.get(word, 0) for word in words], np.float64)
    return (hits + strength * mean) / np.maximum(times + strength, 1e-9)
