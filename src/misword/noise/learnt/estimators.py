"""Estimators: the mixing weight of two distributions, and smoothed error rates of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, lgamma

import numpy as np

from misword.noise.arrays import Floats, Ints

# The strengths of the beta prior that are tried.
STRENGTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
# Log likelihoods that differ by less than this share are equal but for rounding.
EQUALLY_LIKELY = 1e-9
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
    is one of `STRENGTHS`; the greatest of those that are equally likely, as all are where every
    word occurs once.
    """
    total = np.array(list(occurrences.values()), np.int64)
    wrong = np.minimum(np.array([errors.get(w, 0) for w in occurrences], np.int64), total)
    mean = float(wrong.sum() / total.sum())
    if not 0 < mean < 1:
        return STRENGTHS[-1]
    counts = [np.unique(c, return_counts=True) for c in (wrong, total - wrong, total)]

    def log_likelihood(strength: float) -> float:
        starts = strength * mean, strength * (1 - mean), strength
        wrong, right, both = (log_rising(s, *c) for s, c in zip(starts, counts, strict=True))
        return wrong + right - both

    likelihoods = [log_likelihood(strength) for strength in STRENGTHS]
    most = max(likelihoods)
    least = most - EQUALLY_LIKELY * abs(most)
    return max(s for s, value in zip(STRENGTHS, likelihoods, strict=True) if value >= least)


def log_rising(start: float, counts: Ints, times: Ints) -> float:
    """Sum the logarithm of `start (start + 1) ... (start + n - 1)` over counts `n`.

    `times` says how often each count occurs. The product is Γ(start + n) / Γ(start). The quotient
    of beta functions B(a + k, b + n - k) / B(a, b) is made of three such products.
    """
    first = lgamma(start)
    pairs = zip(counts.tolist(), times.tolist(), strict=True)
    return fsum(often * (lgamma(start + count) - first) for count, often in pairs)


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
