"""From phonological distances and frequency ranks to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from misword.noise.arrays import Floats

Kernel = Literal["gaussian", "paper"]
# Mandelbrot's frequency of the word at rank r is 1 / (r + 2.7); places are counted from 0.
MANDELBROT_OFFSET = 3.7


def distance_probabilities(distances: Floats, kernel: Kernel) -> Floats:
    """Return the probability of each candidate of each row, given its phonological distance d.

    `paper` is exp(-d / sigma^2), equation 1 of Voleti et al. 2019; `gaussian` is
    exp(-d^2 / (2 sigma^2)), which their released notebook computes. Sigma is the mean distance of
    the row; where it is 0 all candidates are homophones and equally likely. An infinite distance
    marks an empty cell, whose probability is 0.

    >>> distance_probabilities(np.array([[1.0, 3.0]]), "gaussian").round(4).tolist()
    [[0.7311, 0.2689]]
    """
    present = np.isfinite(distances)
    finite = np.where(present, distances, 0.0)
    sigma = finite.sum(axis=1, keepdims=True) / np.maximum(present.sum(axis=1, keepdims=True), 1)
    squares = np.where(sigma > 0, sigma, 1.0) ** 2
    exponents = finite / squares if kernel == "paper" else finite**2 / (2 * squares)
    return softmax(np.where(present, -exponents, -np.inf))


def softmax(exponents: Floats) -> Floats:
    """Return exp(exponent) divided by its sum in each row; all 0 in a row of minus infinities."""
    top = exponents.max(axis=1, keepdims=True, initial=-np.inf)
    weights = np.exp(exponents - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    shares: Floats = weights / np.where(total > 0, total, 1.0)
    return shares


def zipf(words: Sequence[str], by_frequency: Sequence[str]) -> Floats:
    """Return the relative frequency of words, estimated from their ranks by Zipf's law.

    `by_frequency` lists all of `words`, the most frequent first.

    Reference: B. Mandelbrot, An informational theory of the statistical structure of language, 1953
    """
    places = {word: place for place, word in enumerate(by_frequency)}
    weights: Floats = 1 / (np.array([places[word] for word in words]) + MANDELBROT_OFFSET)
    shares: Floats = weights / weights.sum()
    return shares
