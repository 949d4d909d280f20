"""Draw errors into rows of text, each row on its own.

`corruption/drawing.py` draws an exact number of errors into a block of rows, so a row depends on
the others. Here a word is edited if its random number is below a probability, which depends on the
weight of the word in the error model. The probabilities are those of an exponential clock: a word
of weight w is edited with probability 1 - exp(-rate * w). `calibration.py` finds the rates of the
three kinds of errors that give the target WER.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.corruption.drawing import CorruptedBlock
from misword.noise.corruption.sampler import Sampler, TokenShapes
from misword.noise.corruption.splice import (
    DELETED,
    UNCHANGED,
    WordEdits,
    gaps_beside_deletions,
    write_rows,
)
from misword.noise.corruption.text_block import TextBlock
from misword.noise.sharding import row_random
from misword.noise.sharding.row_random import Keys, uniform_numbers


class ErrorRates(NamedTuple):
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
    rates: ErrorRates
    seed: int
    target_wer: float

    def draw(self, block: TextBlock, keys: Keys) -> CorruptedBlock:
        """Draw errors into the rows of a block, which have the given keys."""
        seeded = row_random.seeded(keys, self.seed, self.target_wer)
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
        if self.rates.deletion:
            deleted = edit_probability(self.rates.deletion, sampler.deletion_weight[shapes.row])
            drawn = uniform_numbers(keys, positions, row_random.DELETED) < deleted[ids]
            edits.words[drawn] = DELETED
        if self.rates.substitution:
            weight = sampler.substitution_weight[shapes.row]
            substituted = edit_probability(self.rates.substitution, weight)[ids]
            drawn = uniform_numbers(keys, positions, row_random.SUBSTITUTED) < substituted
            words = np.flatnonzero(drawn)
            random = uniform_numbers(keys[words], positions[words], row_random.SUBSTITUTE)
            edits.words[words] = sampler.substitutes(shapes.row[ids[words]], random)

    def _insert(self, block: TextBlock, edits: WordEdits, keys: Keys, positions: Ints) -> None:
        """Insert words where no neighbour is deleted."""
        if not self.rates.insertion or not self.sampler.model.insertion_probability.any():
            return
        probability = float(edit_probability(self.rates.insertion, np.ones(1))[0])
        drawn = uniform_numbers(keys, positions, row_random.INSERTED) < probability
        drawn &= ~_barred_gaps(block, edits)
        gaps = np.flatnonzero(drawn)
        random = uniform_numbers(keys[gaps], positions[gaps], row_random.INSERTION)
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
