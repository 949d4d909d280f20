"""Prices of edits: a full table over token ids, or a short list of pairs with a default."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Prices = NDArray[np.float64]
Index = NDArray[np.int64]
NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What an edit costs. Equal tokens are a hit and cost nothing, whatever the table says.

    `prices` is a table `[reference id, hypothesis id]`, or, where `starts` is filled, the flat
    prices of listed pairs: reference id `r` has the hypothesis ids
    `partners[starts[r]:starts[r + 1]]` in rising order, and any other pair costs `default`.
    `insertion` and `deletion` are prices by token id. `sieve` has a bit set at `h` modulo its width
    for each listed pair `(r, h)`: most pairs are found not to be listed without a search.

    >>> Costs.table([[0, 0.5], [0.5, 0]]).insertion
    array([1., 1.])
    """

    prices: Prices
    insertion: Prices
    deletion: Prices
    starts: NDArray[np.int64]
    partners: NDArray[np.int64]
    default: float
    sieve: NDArray[np.uint64]

    @property
    def parts(self) -> tuple[Prices, Prices, Prices, Index, Index, float, NDArray[np.uint64]]:
        """All fields, as the kernel takes them."""
        rows = self.starts, self.partners, self.default, self.sieve
        return self.prices, self.insertion, self.deletion, *rows

    @classmethod
    def table(
        cls, substitution: ArrayLike, insertion: ArrayLike = 1.0, deletion: ArrayLike = 1.0
    ) -> Costs:
        """Price every pair: for small vocabularies such as phonemes."""
        prices = np.ascontiguousarray(substitution, np.float64)
        if prices.ndim != 2:
            raise ValueError(f"a cost table has two dimensions, this one has {prices.ndim}")
        return cls(
            _checked(prices),
            _per_token(insertion, prices.shape[1]),
            _per_token(deletion, prices.shape[0]),
            NOTHING,
            NOTHING,
            1.0,
            np.zeros((1, 1), np.uint64),
        )

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
            _checked(np.asarray(prices, np.float64)[order]).reshape(1, -1),
            _per_token(insertion, size),
            _per_token(deletion, size),
            np.searchsorted(ref, np.arange(size + 1)).astype(np.int64),
            hyp,
            float(_checked(np.array([default]))[0]),
            _sieve(ref, hyp, size),
        )


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
    return _checked(np.broadcast_to(np.asarray(price, np.float64), size).copy())


def _checked(prices: Prices) -> Prices:
    if prices.size and not (np.isfinite(prices).all() and prices.min() >= 0):
        raise ValueError("costs must be finite and not negative")
    return prices
