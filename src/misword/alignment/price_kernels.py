"""Compiled costs of substitutions; imported for large inputs only.

A function that is called for each cell gets few arrays, one by one, because passing many arguments
takes longer than computing the cost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.alignment.arrays import Bits, Flags, Units
from misword.core.compiled import compiled, reordered
from misword.core.types import Ids

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ONE = np.uint64(1)

# The same values as in `alignment/costs.py`. They are repeated here because numba's cache notices
# changes of this file only.
STEPS, LEAST = float(1 << 40), 1e-6
# A distance that rounding cannot cause in a component of a unit vector, see `apart`.
FAR = 0.01


@reordered
def dot(units: Units, left: int, right: int) -> float:
    """Return the dot product of two rows; it is exact, since `Costs.vectors` rounds them."""
    total = 0.0
    for k in range(units.shape[1]):
        total += np.float64(units[left, k]) * np.float64(units[right, k])
    return total


@compiled
def measure(left: int, right: int, units: Units, known: Flags, default: float) -> float:
    """Return the cost of a pair of different tokens by the cosine of their vectors."""
    if not (known[left] and known[right]):
        return default
    cosine = dot(units, left, right)
    cost = float(np.rint((1.0 - cosine) * STEPS) / STEPS)
    return 0.0 if cost < LEAST else cost


@compiled
def look_up(
    token: int,
    other: int,
    prices: Floats,
    starts: Integers,
    partners: Integers,
    default: float,
    sieve: Bits,
) -> float:
    """Return the cost of a pair of different tokens from the list of pairs."""
    bit = other & (sieve.shape[1] * 64 - 1)
    if (sieve[token, bit >> 6] >> np.uint64(bit & 63)) & ONE:
        at, top = starts[token], starts[token + 1]
        while at < top:
            middle = (at + top) >> 1
            if partners[middle] < other:
                at = middle + 1
            else:
                top = middle
        if at < starts[token + 1] and partners[at] == other:
            listed: float = prices[0, at]
            return listed
    return default


@compiled
def price(
    token: int,
    other: int,
    prices: Floats,
    starts: Integers,
    partners: Integers,
    default: float,
    sieve: Bits,
    units: Units,
    known: Flags,
) -> float:
    """Return the cost of substituting one token by another; equal tokens cost nothing."""
    if token == other:
        return 0.0
    cost: float
    if len(units):
        cost = measure(token, other, units, known, default)
    elif len(starts):
        cost = look_up(token, other, prices, starts, partners, default, sieve)
    else:
        cost = prices[token, other]
    return cost


@compiled
def apart(left: int, right: int, units: Units, known: Flags) -> bool:
    """Whether two tokens certainly have a cost above 0, found without their dot product.

    A cost of 0 means that the vectors are equal but for rounding, which changes no component by as
    much as FAR.
    """
    if not (known[left] and known[right]):
        return False
    for k in range(min(units.shape[1], 4)):
        if abs(units[left, k] - units[right, k]) > FAR:
            return True
    return False


@compiled
def cosines(units: Units, left: Ids, right: Ids, products: Floats) -> None:
    """Write the dot product of the rows of each pair to `products`."""
    for p in range(len(products)):
        products[p] = dot(units, left[p], right[p])
