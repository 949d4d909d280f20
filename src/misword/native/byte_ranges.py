"""Ranges of bytes copied by a compiled kernel; hashes of words and ids; random bits of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.native.library import INTEGER, array, procedure

Hashes = NDArray[np.uint64]

# Constants of the hash: two odd multipliers and a shift.
SPREAD, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)
EIGHT = 8
# MASKS[n] keeps the first n of eight bytes (little-endian).
MASKS = np.array([(1 << 8 * left) - 1 for left in range(EIGHT + 1)], np.uint64)

_copy_ranges = procedure(
    "misword_copy_ranges", array(np.uint8), array(np.int64), array(np.int64), INTEGER,
    array(np.uint8, out=True),
)  # fmt: skip


def gather(
    pool: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Return the ranges of bytes that have these starts and lengths, one after the other.

    >>> gather(np.frombuffer(b"abcdef", np.uint8), np.array([4, 0]), np.array([2, 1])).tobytes()
    b'efa'
    """
    if len(starts) != len(lengths):
        raise ValueError(f"there are {len(starts)} starts and {len(lengths)} lengths")
    if ((starts < 0) | (lengths < 0) | (starts > len(pool) - lengths)).any():
        raise ValueError(f"ranges must be within the {len(pool)} bytes")
    target = np.empty(int(lengths.sum()), np.uint8)
    contiguous = map(np.ascontiguousarray, (starts, lengths))
    _copy_ranges(pool, *contiguous, len(starts), target)
    return target


# Constants of SplitMix64: the increment, and the two multipliers of its mixing function.
INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix_bits(states: Hashes) -> Hashes:
    """Return random bits for each state: the mixing function of SplitMix64.

    States that differ by multiples of `INCREMENT` give the numbers of one generator. The n-th
    number is computed without those before it, so neither threads nor the order of the work matter.

    Reference: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA
    2014.
    """
    first, second = MULTIPLIERS
    states = (states ^ (states >> np.uint64(30))) * first
    states = (states ^ (states >> np.uint64(27))) * second
    return states ^ (states >> np.uint64(31))


def hash_words(text: bytes, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a hash of each word, the same on every machine.

    Each step takes the next eight bytes of all words at once.
    """
    padded = text + bytes(EIGHT)
    eights = np.ndarray((len(text) + 1,), "<u8", padded, strides=(1,))
    at, left = offsets[:-1].copy(), np.diff(offsets)
    hashes = left.astype(np.uint64) * SPREAD
    pending = np.flatnonzero(left > 0)
    while len(pending):
        chunk = eights[at[pending]] & MASKS[np.minimum(left[pending], EIGHT)]
        mixed = (hashes[pending] ^ chunk) * MIX
        hashes[pending] = (mixed ^ (mixed >> SHIFT)) * SPREAD
        at[pending] += EIGHT
        left[pending] -= EIGHT
        pending = pending[left[pending] > 0]
    return hashes


def hash_texts(texts: pl.Series) -> Hashes:
    """Return a hash of each text of a column.

    >>> bool(hash_texts(pl.Series(["a", "b"]))[1] == hash_texts(pl.Series(["b"]))[0])
    True
    """
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return hash_words(texts.str.join("").item().encode(), offsets)
