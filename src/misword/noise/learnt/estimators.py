"""Estimators: the mixing weight of two distributions, and smoothed error rates of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from misword.noise.arrays import Floats

# The strengths of the beta prior that are tried.
STRENGTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
BISECTIONS = 60  # each halves the interval: enough for all digits of a float


def mixing_weight(first: Floats, second: Floats) -> float:
    """Return the weight of the first of two distributions that makes events most likely.

    `first` and `second` have the probability of each event. The likelihood of the mixture has one
    maximum, where its slope is 0; bisection finds it. The weight is at most n / (n + 1) for n
    events, since the next event may be impossible under the first distribution.

    >>> round(mixing_weight(np.array([0.4, 0.4, 0.0]), np.array([0.1, 0.1, 0.1])), 3)
    0.556
    """
    possible = (first > 0) | (second > 0)
    first, second = first[possible], second[possible]
    low, high = 0.0, len(first) / (len(first) + 1)
    for _ in range(BISECTIONS):
        weight = (low + high) / 2
        rises = ((first - second) / (weight * first + (1 - weight) * second)).sum() > 0
        low, high = (weight, high) if rises else (low, weight)
    return low


def prior_strength(occurrences: Mapping[str, int], errors: Mapping[str, int]) -> float:
    """Return the strength of the beta prior under which the words' errors are most likely.

    Each word has an error rate of its own, drawn from a beta distribution around the mean rate (a
    beta-binomial model). The greater the strength, the nearer the rates are to the mean. The result
    is one of `STRENGTHS`.
    """
    from scipy.special import betaln

    total = np.array(list(occurrences.values()), np.float64)
    wrong = np.minimum(np.array([errors.get(w, 0) for w in occurrences], np.float64), total)
    mean = wrong.sum() / total.sum()
    if not 0 < mean < 1:
        return STRENGTHS[-1]

    def log_likelihood(strength: float) -> float:
        a, b = strength * mean, strength * (1 - mean)
        return float((betaln(wrong + a, total - wrong + b) - betaln(a, b)).sum())

    return max(STRENGTHS, key=log_likelihood)


def error_rates(
    words: Sequence[str],
    occurrences: Mapping[str, int],
    errors: Mapping[str, int],
    strength: float,
) -> Floats:
    """Return the error rate of each word, smoothed towards the mean rate by a beta prior."""
    mean = sum(errors.values()) / max(sum(occurrences.values()), 1)
    total = np.array([occurrences.get(word, 0) for word in words], np.float64)
    wrong = np.array([errors.get(word, 0) for word in words], np.float64)
    return (wrong + strength * mean) / np.maximum(total + strength, 1e-9)
