"""Random numbers of rows: they depend on the seed, the target WER and the row alone.

A row has a key: a hash of its id or, without ids, its number in all shards. The numbers of its
words come from SplitMix64 (`mix_bits`). So neither the division into shards nor the order of the
work has an influence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.native.byte_ranges import INCREMENT, hash_texts, mix_bits
from misword.noise.arrays import Floats, Ints

WER_UNIT = 10**9  # the random key has the target WER as a whole number, in units of 1e-9
Keys = NDArray[np.uint64]

PURPOSES = DRAW_SUBSTITUTED, DRAW_DELETED, DRAW_INSERTED, DRAW_SUBSTITUTE, DRAW_INSERTION = tuple(
    range(5)
)


def id_keys(ids: pl.Series) -> Keys:
    """Return the key of each id."""
    return mix_bits(hash_texts(ids))


def number_keys(first: int, count: int) -> Keys:
    """Return the keys of `count` rows without ids, of which the first has the number `first`."""
    return mix_bits(np.arange(first, first + count, dtype=np.uint64) + INCREMENT)


def seeded_rows(keys: Keys, seed: int, target_wer: float) -> Keys:
    """Return the keys of rows for a seed and a target WER.

    >>> (seeded_rows(number_keys(0, 2), 0, 0.1) == seeded_rows(number_keys(0, 2), 1, 0.1)).any()
    np.False_
    """
    state = np.random.SeedSequence([seed, round(target_wer * WER_UNIT)])
    return mix_bits(keys ^ state.generate_state(1, np.uint64)[0])


def row_random_numbers(keys: Keys, positions: Ints, purpose: int) -> Floats:
    """Return a random number in (0, 1) for each pair of a row's key and a position in the row.

    `purpose` says what the number decides, so that the decisions are independent.

    >>> row_random_numbers(number_keys(7, 1), np.array([0]), DRAW_SUBSTITUTED).round(6)
    array([0.455897])
    """
    steps = (
        positions.astype(np.uint64) * np.uint64(len(PURPOSES)) + np.uint64(purpose)
    ) * INCREMENT
    raw = mix_bits(keys + steps)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
