"""Prices of edits: a table over token ids, a short list of pairs, or the distance of two vectors.

Prices are whole multiples of 2^-40 and vectors are rounded so that their dot products are exact.
Sums of either therefore come out the same in whatever order they are taken, on any machine, however
the work is cut: equal alignments have equal costs to the last bit. The rounding itself changes a
cosine by about 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from misword.core import kernel_thresholds

Prices = NDArray[np.float64]
Index = NDArray[np.int64]
Units = NDArray[np.float32]

# Steps of prices: what an utterance costs, up to 8,192, stays exact in float64.
STEPS = float(1 << 40)
DEAREST = float(1 << 12)
# Less than the rounding of two equal vectors may leave between them.
LEAST = 1e-6
# Steps of the vectors' components: products are multiples of 2^-52, and no partial sum of the dot
# product of two unit vectors passes 1, so each is exact in float64.
COMPONENT_STEPS = float(1 << 26)
# Pairs that are priced at once: what numpy needs in between stays within some megabytes.
BLOCK = 4096

NO_INDEX = np.zeros(0, np.int64)
NO_TABLE = np.zeros((0, 0), np.float64)
NO_SIEVE = np.zeros((1, 1), np.uint64)
NO_UNITS = np.zeros((0, 0), np.float32)
NO_FLAGS = np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What an edit costs. Equal tokens are a hit and cost nothing, whatever the prices say.

    Made by `table`, `pairs` or `vectors`. `insertion` and `deletion` are prices by token id.

    `prices` is a table `[reference id, hypothesis id]`, or, where `starts` is filled, the flat
    prices of listed pairs: reference id `r` has the hypothesis ids
    `partners[starts[r]:starts[r + 1]]` in rising order, and any other pair costs `default`.
    `sieve` has a bit set at `h` modulo its width for each listed pair `(r, h)`: most pairs are
    found not to be listed without a search. Where `units` is filled, a pair costs one minus the
    dot product of its rows, or `default` if a token is not `known`.

    >>> Costs.table([[0, 0.5], [0.5, 0]]).insertion
    array([1., 1.])
    """

    insertion: Prices
    deletion: Prices
    prices: Prices = field(default_factory=lambda: NO_TABLE)
    starts: Index = field(default_factory=lambda: NO_INDEX)
    partners: Index = field(default_factory=lambda: NO_INDEX)
    default: float = 1.0
    sieve: NDArray[np.uint64] = field(default_factory=lambda: NO_SIEVE)
    units: Units = field(default_factory=lambda: NO_UNITS)
    known: NDArray[np.bool_] = field(default_factory=lambda: NO_FLAGS)

    @property
    def parts(self) -> tuple[Any, ...]:
        """All fields, as the kernel takes them."""
        listed = self.prices, self.starts, self.partners, self.default, self.sieve
        return self.insertion, self.deletion, *listed, self.units, self.known

    @property
    def cheapest(self) -> tuple[float, float]:
        """The least that an insertion and a deletion cost."""
        return float(self.insertion.min(initial=np.inf)), float(self.deletion.min(initial=np.inf))

    @property
    def even(self) -> bool:
        """Whether all insertions cost the same, all deletions too, and not both nothing."""
        sides = self.insertion, self.deletion
        same = all(bool((side == side[:1]).all()) for side in sides)
        return same and sum(self.cheapest) > 0

    @classmethod
    def table(
        cls, substitution: ArrayLike, insertion: ArrayLike = 1.0, deletion: ArrayLike = 1.0
    ) -> Costs:
        """Price every pair: for small vocabularies such as phonemes."""
        prices = np.ascontiguousarray(substitution, np.float64)
        if prices.ndim != 2:
            raise ValueError(f"a cost table has two dimensions, this one has {prices.ndim}")
        inserted = _per_token(insertion, prices.shape[1])
        return cls(inserted, _per_token(deletion, prices.shape[0]), stepped(prices))

    @classmethod
    def pairs(
        cls,
        reference: ArrayLike,
        hypothesis: ArrayLike,
        prices: ArrayLike,
        *,
        size: int,
        default: float = 1.0,
        insertion: ArrayLike = 1.0,
        deletion: ArrayLike = 1.0,
    ) -> Costs:
        """Price the listed pairs of ids, all below `size`; any other costs `default`."""
        ref, hyp = np.asarray(reference, np.int64), np.asarray(hypothesis, np.int64)
        if len(ref) and (min(ref.min(), hyp.min()) < 0 or max(ref.max(), hyp.max()) >= size):
            raise ValueError(f"ids must be from 0 to {size - 1}")
        order = np.lexsort((hyp, ref))
        ref, hyp = ref[order], hyp[order]
        if np.any((ref[1:] == ref[:-1]) & (hyp[1:] == hyp[:-1])):
            raise ValueError("a pair of ids is priced twice")
        return cls(
            _per_token(insertion, size),
            _per_token(deletion, size),
            stepped(np.asarray(prices, np.float64)[order]).reshape(1, -1),
            np.searchsorted(ref, np.arange(size + 1)).astype(np.int64),
            hyp,
            float(stepped(default)),
            _sieve(ref, hyp, size),
        )

    @classmethod
    def vectors(
        cls,
        units: Units,
        known: NDArray[np.bool_],
        *,
        default: float = 1.0,
    ) -> Costs:
        """Price a pair by the cosine of its tokens' vectors; `units` are rows of length one."""
        rounded = np.multiply(units, np.float32(COMPONENT_STEPS), dtype=np.float32)
        np.rint(rounded, out=rounded)
        rounded *= np.float32(1 / COMPONENT_STEPS)
        one = np.ones(len(units))
        return cls(
            one,
            one,
            default=float(stepped(default)),
            units=rounded,
            known=np.ascontiguousarray(known, np.bool_),
        )

    def of(self, reference: NDArray[Any], hypothesis: NDArray[Any]) -> Prices:
        """The prices of pairs of ids, one by one."""
        if len(self.units):
            found = self.priced(self.cosines(reference, hypothesis), reference, hypothesis)
        elif len(self.starts):
            found = self._look_up(np.asarray(reference, np.int64), hypothesis)
        else:
            found = self.prices[reference, hypothesis]
        return np.where(np.equal(reference, hypothesis), 0.0, found)

    def grid(self, reference: NDArray[Any], hypothesis: NDArray[Any]) -> Prices:
        """The prices of each reference id (rows) against each hypothesis id (columns)."""
        left, right = reference[:, None], hypothesis[None, :]
        if not len(self.units):
            pairs = np.broadcast_arrays(left, right)
            return self.of(pairs[0].ravel(), pairs[1].ravel()).reshape(pairs[0].shape)
        wide = self.units[reference].astype(np.float64)
        found = self.priced(wide @ self.units[hypothesis].T.astype(np.float64), left, right)
        return np.where(left == right, 0.0, found)

    def cosines(self, reference: NDArray[Any], hypothesis: NDArray[Any]) -> Prices:
        """Dot products of the vectors of pairs of ids; 0 where one has none."""
        found = np.empty(len(reference))
        if found.size * self.units.shape[1] >= kernel_thresholds.PAIR_COSINES:
            from misword.alignment.weighted_kernels import cosines

            cosines(self.units, reference, hypothesis, found)
            return found
        for lo in range(0, len(found), BLOCK):
            left = self.units[reference[lo : lo + BLOCK]].astype(np.float64)
            right = self.units[hypothesis[lo : lo + BLOCK]]
            found[lo : lo + BLOCK] = np.einsum("ij,ij->i", left, right)
        return found

    def priced(self, cosines: Prices, left: NDArray[Any], right: NDArray[Any]) -> Prices:
        """The prices that follow from the cosines of pairs of ids."""
        return np.where(self.priceable(left, right), of_cosines(cosines), self.default)

    def priceable(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether both tokens of a pair have a vector."""
        found: NDArray[np.bool_] = self.known[left] & self.known[right]
        return found

    def _look_up(self, reference: Index, hypothesis: NDArray[Any]) -> Prices:
        size = len(self.deletion)
        listed = np.repeat(np.arange(size), np.diff(self.starts)) * size + self.partners
        keys = reference * size + hypothesis
        at = np.searchsorted(listed, keys)
        hit = np.append(listed, -1)[at] == keys
        found = np.full(len(keys), self.default)
        found[hit] = self.prices[0, at[hit]]
        return found


def _sieve(ref: NDArray[np.int64], hyp: NDArray[np.int64], size: int) -> NDArray[np.uint64]:
    """About eight bits for each listed partner, a power of two of them, within 16 MB in all."""
    wanted = 8 * len(ref) // max(size, 1)
    width = 64
    while width < wanted and 2 * width * size <= 1 << 27:
        width *= 2
    bits = np.zeros((size, width), np.bool_)
    bits[ref, hyp % width] = True
    return np.packbits(bits, axis=1, bitorder="little").view(np.dtype("<u8"))


def _per_token(price: ArrayLike, size: int) -> Prices:
    prices: Prices = stepped(np.broadcast_to(np.asarray(price, np.float64), size))
    return prices


def of_cosines(cosines: Prices) -> Prices:
    """One minus the cosine, on the grid of prices; what rounding leaves of nothing is nothing."""
    prices = np.rint((1.0 - cosines) * STEPS) / STEPS
    return np.where(prices < LEAST, 0.0, prices)


def stepped(prices: ArrayLike) -> Any:
    """Prices as whole multiples of 2^-40, checked."""
    prices = np.asarray(prices, np.float64)
    if prices.size and not (prices.min() >= 0 and prices.max() <= DEAREST):
        raise ValueError(f"costs must be from 0 to {DEAREST:g}")
    return np.rint(prices * STEPS) / STEPS
