"""Random numbers of rows: they depend on the seed, the target WER and the row alone.

A row has a key: a hash of its id or, without ids, its number in all shards. The numbers of its
words come from SplitMix64, a generator whose n-th number is computed without those before it. So
neither the division into shards nor the order of the work has an influence.

Reference: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.embed.vectors.vocabulary import hash_words
from misword.noise.arrays import Floats, Ints
from misword.noise.corruption.place_queue import WER_UNIT

if TYPE_CHECKING:
    import polars as pl

Keys = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
PURPOSES = SUBSTITUTED, DELETED, INSERTED, SUBSTITUTE, INSERTION = tuple(range(5))


def id_keys(ids: pl.Series) -> Keys:
    """Return the key of each id."""
    data = ids.str.join("").item().encode()
    offsets = np.concatenate([[0], np.cumsum(ids.str.len_bytes().to_numpy(), dtype=np.int64)])
    return _mixed(hash_words(data, offsets))


def number_keys(first: int, count: int) -> Keys:
    """Return the keys of `count` rows without ids, of which the first has the number `first`."""
    return _mixed(np.arange(first, first + count, dtype=np.uint64) + STEP)


def seeded(keys: Keys, seed: int, target_wer: float) -> Keys:
    """Return the keys of rows for a seed and a target WER.

    >>> (seeded(number_keys(0, 2), 0, 0.1) == seeded(number_keys(0, 2), 1, 0.1)).any()
    np.False_
    """
    state = np.random.SeedSequence([seed, round(target_wer * WER_UNIT)])
    return _mixed(keys ^ state.generate_state(1, np.uint64)[0])


def uniform_numbers(keys: Keys, positions: Ints, purpose: int) -> Floats:
    """Return a random number in (0, 1) for each pair of a row's key and a position in the row.

    `purpose` says what the number decides, so that the decisions are independent.

    >>> uniform_numbers(number_keys(7, 1), np.array([0]), SUBSTITUTED).round(6)
    array([0.455897])
    """
    steps = (positions.astype(np.uint64) * np.uint64(len(PURPOSES)) + np.uint64(purpose)) * STEP
    raw = _mixed(keys + steps)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _mixed(states: Keys) -> Keys:
    """Return the output of SplitMix64 for each state."""
    first, second, last = SHIFTS
    states = (states ^ (states >> first)) * FIRST_FACTOR
    states = (states ^ (states >> second)) * SECOND_FACTOR
    return states ^ (states >> last)
