"""Errors drawn into single rows: the errors of a row depend on the row, not on the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from misword.core.errors import OptionError
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.corruption.drawing import (
    DELETED,
    UNCHANGED,
    CorruptedBlock,
    WordEdits,
    gaps_beside_deletions,
    write_rows,
)
from misword.noise.corruption.row_keys import (
    DRAW_DELETED,
    DRAW_INSERTED,
    DRAW_INSERTION,
    DRAW_SUBSTITUTE,
    DRAW_SUBSTITUTED,
    Keys,
    row_random_numbers,
    seeded_rows,
)
from misword.noise.corruption.sampler import Sampler, TokenShapes
from misword.noise.corruption.targets import TOLERANCE, Target
from misword.noise.corruption.text_block import TextBlock

# Draw errors into rows of text, each row on its own.
#
# `corruption/drawing.py` draws an exact number of errors into a block of rows, so a row depends on
# the others. Here a word is edited if its random number is below a probability, which depends on
# the weight of the word in the error model. The probabilities are those of an exponential clock: a
# word of weight w is edited with probability 1 - exp(-rate * w). `calibrate` finds the rates of
# the three kinds of errors that give the target WER.


class KindRates(NamedTuple):
    """The rates of the three kinds of errors; an insertion may follow each word and begin a row."""

    substitution: float
    deletion: float
    insertion: float


def edit_probability(rate: float, weight: Floats) -> Floats:
    """Return the probability of an error in words of given weights.

    >>> edit_probability(0.1, np.array([0.0, 1.0, 2.0])).round(4)
    array([0.    , 0.0952, 0.1813])
    """
    probability: Floats = -np.expm1(-rate * weight)
    return probability


@dataclass(frozen=True, slots=True, eq=False)
class RowNoise:
    """Draws errors into rows at given rates; `seed` and `target_wer` decide the random numbers."""

    sampler: Sampler
    rates: KindRates
    seed: int
    target_wer: float

    def draw(self, block: TextBlock, keys: Keys) -> CorruptedBlock:
        """Draw errors into the rows of a block, which have the given keys."""
        seeded = seeded_rows(keys, self.seed, self.target_wer)
        shapes = self.sampler.shapes(block.vocabulary)
        edits = WordEdits.none(block)
        word_keys = seeded[block.row_of]
        positions = np.arange(len(edits.words)) - block.offsets[block.row_of] + 1
        self._edit_words(block, shapes, edits, word_keys, positions)
        gap_keys = np.concatenate([word_keys, seeded])
        gap_positions = np.concatenate([positions, np.zeros(len(block), np.int64)])
        self._insert(block, edits, gap_keys, gap_positions)
        changed = _changed_rows(block, edits)
        counts = np.zeros((len(block), 4), np.int64)
        counts[:, 0] = block.counts
        spellings = self.sampler.spellings
        noisy = write_rows(block, shapes, edits, changed, spellings)
        counts[changed] = block.count_errors(changed, noisy)
        text = write_rows(block, shapes, edits, np.arange(len(block)), spellings)
        return CorruptedBlock(edits, counts, text)

    def _edit_words(
        self,
        block: TextBlock,
        shapes: TokenShapes,
        edits: WordEdits,
        keys: Keys,
        positions: Ints,
    ) -> None:
        """Substitute and delete words; a word that both are drawn for is substituted."""
        sampler, ids = self.sampler, block.tokens.ids
        protection = sampler.protection
        free = np.ones(len(ids), bool) if protection is None else ~protection.barred(block)
        if self.rates.deletion:
            deleted = edit_probability(self.rates.deletion, sampler.deletion_weight[shapes.row])
            drawn = row_random_numbers(keys, positions, DRAW_DELETED) < deleted[ids]
            edits.words[drawn & free] = DELETED
        if self.rates.substitution:
            weight = sampler.substitution_weight[shapes.row]
            substituted = edit_probability(self.rates.substitution, weight)[ids]
            drawn = row_random_numbers(keys, positions, DRAW_SUBSTITUTED) < substituted
            words = np.flatnonzero(drawn & free)
            random = row_random_numbers(keys[words], positions[words], DRAW_SUBSTITUTE)
            edits.words[words] = sampler.substitutes(shapes.row[ids[words]], random)

    def _insert(self, block: TextBlock, edits: WordEdits, keys: Keys, positions: Ints) -> None:
        """Insert words where no neighbour is deleted."""
        if not self.rates.insertion or not self.sampler.model.insertion_probability.any():
            return
        probability = float(edit_probability(self.rates.insertion, np.ones(1))[0])
        drawn = row_random_numbers(keys, positions, DRAW_INSERTED) < probability
        drawn &= ~_barred_gaps(block, edits)
        if self.sampler.protection is not None:
            drawn &= ~self.sampler.protection.barred_gaps(block)
        gaps = np.flatnonzero(drawn)
        random = row_random_numbers(keys[gaps], positions[gaps], DRAW_INSERTION)
        edits.insertions[gaps] = self.sampler.insertions(random)


def _barred_gaps(block: TextBlock, edits: WordEdits) -> Flags:
    """Return the gaps beside deleted words of the same row, and those of rows without words."""
    barred = gaps_beside_deletions(block, edits)
    last = block.offsets[1:][block.has_words] - 1
    barred[last] = edits.words[last] == DELETED
    barred[len(edits.words) :] |= ~block.has_words
    return barred


def _changed_rows(block: TextBlock, edits: WordEdits) -> Ints:
    """Return the rows that have errors."""
    changed = edits.before_rows >= 0
    words = (edits.words != UNCHANGED) | (edits.after_words >= 0)
    changed[block.row_of[words]] = True
    return np.flatnonzero(changed)


# Rates of errors that give a target WER, found on a sample of the rows.
#
# The alignment of noisy text with the original may count fewer errors than were drawn, because
# neighbouring errors can align at a lower cost. How many fewer depends on the text. So errors are
# drawn into a sample of the rows, and the rates are changed until the sample has the target WER
# with the shares of the mix. Random numbers do not change with the rates: the words that are
# edited at a lower rate are also edited at a higher one, so the number of errors follows the rates
# closely.
#
# The sample has the rows with the smallest keys, which do not depend on the shards. If a corpus is
# no larger than the sample, its WER is the target to a few errors; of a larger corpus it differs
# by chance, by about the square root of p (1 - p) / words of the sample.

ROUNDS = 20  # at most, of drawing errors into the sample
ROUNDS_BY_KIND = 6  # rounds in which each kind of error is adapted on its own
CLOSE = 1e-4  # the calibration ends if the WER differs from the target by less
MOST_CHANGE = 2.0  # the largest factor by which the wanted number of errors changes in a round
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

    def rates(self, errors: Sequence[float]) -> KindRates:
        """Return the rates at which so many errors of each kind are expected to be drawn."""
        (substituted, deleted), counts = self._weights, self.counts
        gaps = np.array([self.gaps])
        return KindRates(
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
    factors: Floats = np.clip(ratio, 1 / MOST_CHANGE, MOST_CHANGE)
    return factors
