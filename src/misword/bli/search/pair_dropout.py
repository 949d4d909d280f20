"""Random dropout of word pairs in VecMap's stochastic dictionary induction.

Artetxe et al. 2018b, section 3.3, keep each pair of words with a probability that grows during the
training, so that self-learning can leave poor local optima. Here the decision for a pair is a hash
(SplitMix64, Steele et al. 2014) of seed, iteration, direction and the two row numbers. It needs no
matrix of random numbers, can be computed for single pairs in any order, and does not depend on the
number of threads. The hash of a pair is computed in the kernels (`native/products.h`), only for
pairs that can change the result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# The limit of the hash at which every pair is kept.
ALL_PAIRS = 1 << 53

# Constants of SplitMix64: the increment, and the two multipliers of its mixing function.
INCREMENT = np.uint64(0x9E3779B97F4A7C15)
FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)

# The keys of the directions source to target and target to source, and the limit below which the
# upper 53 bits of a pair's hash must be for the pair to be kept.
DropoutKeys = tuple[np.uint64, np.uint64, np.uint64]


def dropout_keys(keep: float, seed: int, iteration: int) -> DropoutKeys:
    """Return the hash keys of an iteration, for pairs that are kept with probability `keep`."""
    start = _mix(np.array([seed % 2**64], np.uint64) + INCREMENT)
    keys = _mix(start ^ np.arange(2 * iteration, 2 * iteration + 2).astype(np.uint64))
    return keys[0], keys[1], np.uint64(round(keep * 2**53))


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the mixing function of SplitMix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MULTIPLIER
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MULTIPLIER
    return bits ^ (bits >> np.uint64(31))
