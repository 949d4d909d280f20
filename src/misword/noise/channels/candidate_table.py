"""From distances to probabilities, and from rows of neighbours to a table of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.noise.hearing import Candidates, Weights

Kernel = Literal["gaussian", "paper"]
MANDELBROT = 3.7  # 1 / (rank + 2.7), ranks from 1 on


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Words that some said words may be taken for: row `i` is about the said word `rows[i]`.

    `ids` are places in a vocabulary; `sound` is infinite where a row has no more.
    """

    rows: NDArray[np.int64]
    ids: NDArray[np.int64]
    sound: NDArray[np.float64]
    meaning: NDArray[np.float64]


def likelihood(distances: NDArray[np.float64], kernel: Kernel) -> Weights:
    """The probability of each candidate of each row, by its distance; infinite ones have none.

    `paper` is exp(-d / sigma^2), equation 1 of Voleti et al. 2019; `gaussian` is
    exp(-d^2 / (2 sigma^2)), which they computed with. Sigma is the mean distance in the row; where
    it is 0 all candidates sound like the word, and none is preferred.

    >>> likelihood(np.array([[1.0, 3.0]]), "gaussian").round(4).tolist()
    [[0.7311, 0.2689]]
    """
    kept = np.isfinite(distances)
    known = np.where(kept, distances, 0.0)
    sigma = known.sum(axis=1, keepdims=True) / np.maximum(kept.sum(axis=1, keepdims=True), 1)
    squares = np.where(sigma > 0, sigma, 1.0) ** 2
    powers = known / squares if kernel == "paper" else known**2 / (2 * squares)
    return softmax(np.where(kept, -powers, -np.inf))


def softmax(powers: NDArray[np.float64]) -> Weights:
    """Shares in proportion to exp(power), row by row; all 0 where there is none."""
    top = powers.max(axis=1, keepdims=True, initial=-np.inf)
    weights = np.exp(powers - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    shares: Weights = weights / np.where(total > 0, total, 1.0)
    return shares


def table(
    said: Sequence[str], vocabulary: Sequence[str], found: Neighbours, probability: Weights
) -> Candidates:
    """Candidates of all said words; those that are in no row of `found` have none."""
    kept = np.isfinite(found.sound)
    owner = np.repeat(found.rows, kept.sum(axis=1))
    used = np.unique(found.ids[kept])
    heard = sorted(vocabulary[i] for i in used.tolist())
    places = {word: place for place, word in enumerate(heard)}
    moved = np.zeros(len(vocabulary), np.int64)
    moved[used] = [places[vocabulary[i]] for i in used.tolist()]
    ids, shares = moved[found.ids[kept]], probability[kept]
    order = np.lexsort((ids, -shares, owner))
    return Candidates(
        list(said),
        heard,
        np.searchsorted(owner[order], np.arange(len(said) + 1)),
        ids[order].astype(np.int32),
        shares[order],
        found.sound[kept][order].astype(np.float32),
        found.meaning[kept][order].astype(np.float32),
    )


def joined(parts: Sequence[Neighbours], width: int) -> Neighbours:
    """Neighbours of several runs of words, rows filled up to one width."""

    def column(name: str, empty: float) -> NDArray[np.float64]:
        found = np.full((sum(len(part.rows) for part in parts), width), empty)
        at = 0
        for part in parts:
            rows = getattr(part, name)
            found[at : at + len(rows), : rows.shape[1]] = rows
            at += len(rows)
        return found

    rows = [np.zeros(0, np.int64), *(part.rows for part in parts)]
    ids = column("ids", 0).astype(np.int64)
    return Neighbours(np.concatenate(rows), ids, column("sound", np.inf), column("meaning", np.nan))


def zipf(heard: Sequence[str], ranked: Sequence[str]) -> Weights:
    """How often words are said, guessed from their places in a list by frequency.

    Reference: B. Mandelbrot, An informational theory of the statistical structure of language, 1953
    """
    places = {word: place for place, word in enumerate(ranked)}
    weights: Weights = 1 / (np.array([places[word] for word in heard]) + MANDELBROT)
    shares: Weights = weights / weights.sum()
    return shares


def check_numbers(**options: float) -> None:
    """Refuse numbers of words and distances that make no sense; `most` may be 0, for all."""
    for name, value in options.items():
        if not value >= (name != "most"):
            raise OptionError(f"{name} is {value:g}", fix="use a number from 1 on")
