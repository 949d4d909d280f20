"""Exact sums of fractions that can be added in any order, as whole numbers in columns.

A float64 is a whole number of 53 bits times a power of two. It is cut into limbs of 24 bits at
fixed powers of two, and the limbs are added up as integers. Such sums have no rounding, so it does
not matter how a corpus is divided into shards; only the value of the whole sum is rounded, once. It
is then the value of `math.fsum`. An integer of 64 bits holds the sum of 2^39 limbs.

Reference: Y. Uguen, F. de Dinechin, Design-space exploration for the Kulisch accumulator, 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Statistics
from misword.stat.bootstrap import DistinctRows

BITS = 24  # of a limb
MASK = (1 << BITS) - 1
MANTISSA = 53  # bits of a float64
LIMBS = 4  # that a float64 can touch

Limbs = dict[int, NDArray[np.int64]]


def limbs(values: NDArray[np.float64]) -> Limbs:
    """Return the limbs of each value by their place: place p counts multiples of 2^(24 p).

    >>> {place: limb.tolist() for place, limb in limbs(np.array([1.5, 2.0**-24])).items()}
    {-1: [8388608, 1], 0: [1, 0]}
    """
    fraction, exponent = np.frexp(values)
    whole = np.abs(np.ldexp(fraction, MANTISSA)).astype(np.int64)
    place, shift = np.divmod(exponent.astype(np.int64) - MANTISSA, BITS)
    found: Limbs = {}
    # The whole number times 2^shift, 24 bits at a time: it need not fit in 64 bits.
    left, low = whole >> (BITS - shift), whole << shift & MASK
    for step in range(LIMBS):
        part = low if step == 0 else left >> BITS * (step - 1) & MASK
        signed = np.where(values < 0, -part, part)
        for at in np.unique(place[part != 0] + step).tolist():
            limb = found.setdefault(at, np.zeros(len(values), np.int64))
            limb += np.where(place + step == at, signed, 0)
    return dict(sorted(found.items()))


def value_of(sums: Mapping[int, int]) -> float:
    """Return the value of sums of limbs, by place, rounded once.

    >>> value_of({-1: 8388608, 0: 1})
    1.5
    """
    base = Fraction(2) ** BITS
    return float(sum((int(total) * base**place for place, total in sums.items()), Fraction(0)))


def exact_sums(sample: DistinctRows) -> Statistics:
    """Sum the rows of a sample without rounding, so that their order does not matter.

    >>> from misword.stat.bootstrap import distinct
    >>> exact_sums(distinct(np.array([[0.1], [0.1], [0.1], [1e16], [-1e16]])))
    array([0.3])
    """
    rows, counts = sample.rows, sample.counts
    if rows.dtype.kind != "f":
        return np.asarray(counts @ rows)
    columns = (limbs(np.ascontiguousarray(column)) for column in rows.T)
    return np.array(
        [value_of({at: int(counts @ limb) for at, limb in found.items()}) for found in columns]
    )
