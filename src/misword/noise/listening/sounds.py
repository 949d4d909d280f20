"""How a listener hears phonemes: probabilities of other phonemes, of missing and of added ones.

Without data they come from articulatory features: a phoneme is heard as itself or, the more
likely the fewer features differ, as another one. `learn_sounds` counts the edits of the best
alignments of error spans and smooths the counts with these probabilities.

Reference: E. S. Ristad, P. N. Yianilos, Learning string-edit distance, IEEE PAMI 20, 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from misword.alignment import align
from misword.alignment.costs import Costs
from misword.alignment.engine import steps
from misword.core.types import Op, Tokens, offsets_of
from misword.noise.arrays import Floats, Ints
from misword.text.features import Alphabet, phoneme_distances

REACH = 0.15  # distances, of which the largest is 1, by which a probability falls to 1 / e
SAME, MISSED, ADDED = 0.7, 0.1, 0.08  # shares within error spans, before anything is learnt
PRIOR = 10.0  # the weight of these shares, in phonemes
ROUNDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Sounds:
    """The costs (-log probabilities) of hearing each phoneme as each other, of none and for none.

    `symbols` are the phonemes of the rows and columns.
    """

    symbols: tuple[str, ...]
    substitution: Floats
    deletion: Floats
    insertion: Floats

    @classmethod
    def of_features(cls, symbols: Sequence[str], alphabet: Alphabet) -> Sounds:
        """Return the sounds by articulatory features alone."""
        return cls.of_counts(symbols, *(np.zeros(0),) * 3, alphabet)

    @classmethod
    def of_counts(
        cls,
        symbols: Sequence[str],
        heard: Floats,
        missed: Floats,
        added: Floats,
        alphabet: Alphabet,
    ) -> Sounds:
        """Smooth counts of phonemes heard (said x heard), missed and added with the features."""
        size = len(symbols)
        weights = np.exp(-phoneme_distances(symbols, alphabet) / REACH)
        np.fill_diagonal(weights, 0.0)
        others = weights.sum(axis=1, keepdims=True)
        prior = (1 - SAME - MISSED) * weights / np.where(others > 0, others, 1.0)
        np.fill_diagonal(prior, SAME)
        if not len(heard):
            heard, missed, added = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        total = heard.sum(axis=1) + missed
        # What all phonemes have in common is learnt from all of them.
        overall = float(total.sum()) + PRIOR
        same = (float(np.trace(heard)) + PRIOR * SAME) / overall
        gone = (float(missed.sum()) + PRIOR * MISSED) / overall
        off = prior.copy()
        np.fill_diagonal(off, 0.0)
        off *= (1 - same - gone) / (1 - SAME - MISSED)
        np.fill_diagonal(off, same)
        denominator = total + PRIOR
        probability = (heard + PRIOR * off) / denominator[:, None]
        deletion = (missed + PRIOR * gone) / denominator
        often = (float(added.sum()) + PRIOR * ADDED) / overall
        share = (added + PRIOR / size) / (added.sum() + PRIOR)
        return cls(
            tuple(symbols),
            -np.log(np.maximum(probability, 1e-7)),
            -np.log(np.maximum(deletion, 1e-7)),
            -np.log(np.maximum(often * share, 1e-7)),
        )


def learn_sounds(
    symbols: Sequence[str], alphabet: Alphabet, said: list[Ints], heard: list[Ints]
) -> tuple[Floats, Floats, Floats]:
    """Return the counts of phonemes heard (said x heard), missed and added in pairs of spans."""
    size = len(symbols)
    sounds = Sounds.of_features(symbols, alphabet)
    sides = [_tokens(rows, symbols) for rows in (said, heard)]
    pairs = np.stack([np.arange(len(said))] * 2, axis=1)
    counts = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for _ in range(ROUNDS):
        costs = Costs.table(sounds.substitution, sounds.insertion, sounds.deletion)
        table = steps(align(*sides, costs=costs), sides[0], sides[1], pairs)
        both = (table.ops == Op.HIT) | (table.ops == Op.SUBSTITUTION)
        keys = table.reference[both] * size + table.hypothesis[both]
        missed = table.reference[table.ops == Op.DELETION]
        added = table.hypothesis[table.ops == Op.INSERTION]
        counts = (
            np.bincount(keys, minlength=size * size).reshape(size, size).astype(np.float64),
            np.bincount(missed, minlength=size).astype(np.float64),
            np.bincount(added, minlength=size).astype(np.float64),
        )
        sounds = Sounds.of_counts(symbols, *counts, alphabet)
    return counts


def _tokens(rows: list[Ints], symbols: Sequence[str]) -> Tokens:
    ids = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int32)
    return Tokens(ids, offsets_of([len(row) for row in rows]), list(symbols))
