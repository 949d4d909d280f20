"""Rates of errors that give a target WER, found on a sample of the rows.

The alignment of noisy text with the original may count fewer errors than were drawn, because
neighbouring errors can align at a lower cost. How many fewer depends on the text. So errors are
drawn into a sample of the rows, and the rates are changed until the sample has the target WER with
the shares of the mix. Random numbers do not change with the rates: the words that are edited at a
lower rate are also edited at a higher one, so the number of errors follows the rates closely.

The sample has the rows with the smallest keys, which do not depend on the shards. If a corpus is no
larger than the sample, its WER is the target to a few errors; of a larger corpus it differs by
chance, by about the square root of p (1 - p) / words of the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from misword.core.errors import OptionError
from misword.noise.arrays import Floats, Ints
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import TOLERANCE, Target
from misword.noise.corruption.text_block import TextBlock
from misword.noise.sharding.row_drawing import ErrorRates, RowNoise, edit_probability
from misword.noise.sharding.row_random import Keys

ROUNDS = 20  # at most, of drawing errors into the sample
ROUNDS_BY_KIND = 6  # rounds in which each kind of error is adapted on its own
CLOSE = 1e-4  # a difference of the WER from the target that is small enough
FASTEST = 2.0  # by which factor the wanted number of errors may change in a round
HIGHEST_RATE = 64.0  # at this rate, a word of weight 1 is edited with certainty


@dataclass(frozen=True, eq=False)
class PlaceCounts:
    """How many words have each weight, for substitutions and deletions, and the number of gaps."""

    sampler: Sampler
    tokens: Sequence[str]
    counts: Ints
    gaps: int

    @classmethod
    def of(cls, words: Mapping[str, int], rows: int, sampler: Sampler) -> PlaceCounts:
        """Count the places of a corpus, given how often it has each token, and its rows."""
        tokens = sorted(words)
        counts = np.array([words[token] for token in tokens], np.int64)
        return cls(sampler, tokens, counts, int(counts.sum()) + rows)

    @cached_property
    def _weights(self) -> tuple[Floats, Floats]:
        rows = self.sampler.shapes(list(self.tokens)).row
        return self.sampler.substitution_weight[rows], self.sampler.deletion_weight[rows]

    def rates(self, errors: Sequence[float]) -> ErrorRates:
        """Return the rates at which so many errors of each kind are expected to be drawn."""
        (substituted, deleted), counts = self._weights, self.counts
        gaps = np.array([self.gaps])
        return ErrorRates(
            _rate(errors[0], substituted, counts),
            _rate(errors[1], deleted, counts),
            _rate(errors[2], np.ones(1), gaps),
        )


def _rate(errors: float, weights: Floats, counts: Ints) -> float:
    """Return the rate at which `errors` places are expected to be drawn, by bisection.

    >>> round(_rate(1.0, np.array([1.0]), np.array([10])), 4)
    0.1054
    """
    if not errors:
        return 0.0
    low, high = 0.0, HIGHEST_RATE / float(weights.max(initial=0.0) or 1.0)
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if float(counts @ edit_probability(middle, weights)) < errors:
            low = middle
        else:
            high = middle
    return high


def calibrate(target: Target, places: PlaceCounts, sample: TextBlock, keys: Keys) -> RowNoise:
    """Return the noise whose WER on the sample is the target; raise if it cannot be reached.

    `target` and `places` are of the whole corpus; `keys` are those of the rows of the sample.
    """
    words = int(sample.counts.sum())
    scale = target.capacity.words / max(words, 1)
    wanted = np.array([target.wer * words * share for share in target.mix.shares])
    aim, best, least = wanted.copy(), None, np.inf
    for number in range(ROUNDS):
        rates = places.rates((aim * scale).tolist())
        noise = RowNoise(places.sampler, rates, target.seed, target.wer)
        realised = _by_kind(noise.draw(sample, keys).counts)
        difference = abs(float(realised.sum() - wanted.sum()))
        if difference < least:
            best, least = noise, difference
        by_kind = number < ROUNDS_BY_KIND
        missed = float(np.abs(realised - wanted).sum()) if by_kind else difference
        if missed <= max(CLOSE * words, 1):
            break
        aim *= _factors(wanted, realised) if by_kind else _factors(wanted.sum(), realised.sum())
    assert best is not None
    if least > max(TOLERANCE * words, 1):  # in few words, one error is more than the tolerance
        raise OptionError(
            f"a WER of {target.wer:g} cannot be reached: drawing comes to within "
            f"{least / words:.4f} of it",
            fix="ask for less, or add deletions and insertions (--mix)",
        )
    return best


def _by_kind(counts: Ints) -> Floats:
    """Return the substitutions, deletions and insertions of all rows."""
    _, substitutions, insertions, deletions = counts.sum(axis=0).astype(np.float64)
    return np.array([substitutions, deletions, insertions])


def _factors(wanted: Floats | float, realised: Floats | float) -> Floats:
    """Return by which factor the wanted number of errors changes."""
    ratio = np.divide(wanted, np.maximum(realised, 1))
    factors: Floats = np.clip(ratio, 1 / FASTEST, FASTEST)
    return factors
