"""Costs of edits: a table over token ids, a list of pairs, or the cosine distance of two vectors.

The cost of one edit is also called its price here. Prices are whole multiples of 2^-40, and vectors
are rounded so that their dot products are exact. Sums are therefore exact in any order: the cost of
an alignment is the same to the last bit on every machine and with any number of threads. The
rounding changes a cosine by about 1e-8.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from misword.native.library import INTEGER, REAL, SMALL, array, procedure

Prices = NDArray[np.float64]
Index = NDArray[np.int64]
Units = NDArray[np.float32]

# The kernels.

TABLE, PAIRS, VECTORS = 0, 1, 2  # forms of prices, as in kernels.h
POINTER, PRICES = ctypes.c_void_p, array(np.float64, out=True)
# The types of the arrays of `KernelCosts`.
ARRAYS = {
    "insertion": np.float64,
    "deletion": np.float64,
    "prices": np.float64,
    "starts": np.int64,
    "partners": np.int64,
    "sieve": np.uint64,
    "units": np.float32,
    "known": np.bool_,
}


class KernelCosts(ctypes.Structure):
    """The costs of edits: `misword_costs` in kernels.h, which describes the fields."""

    _fields_ = (
        ("insertion", POINTER),
        ("deletion", POINTER),
        ("cheapest_insertion", REAL),
        ("cheapest_deletion", REAL),
        ("even", SMALL),
        ("form", SMALL),
        ("prices", POINTER),
        ("columns", INTEGER),
        ("starts", POINTER),
        ("partners", POINTER),
        ("sieve", POINTER),
        ("sieve_words", INTEGER),
        ("units", POINTER),
        ("dimension", INTEGER),
        ("known", POINTER),
        ("other", REAL),
    )

    def __init__(self, arrays: dict[str, NDArray[Any]], **numbers: float) -> None:
        """Take the arrays of `ARRAYS` by name, and all other fields."""
        addresses = {
            name: array(dtype).from_param(arrays[name]).value for name, dtype in ARRAYS.items()
        }
        super().__init__(**addresses, **numbers)
        self.arrays = arrays  # the structure has their addresses only: keeps them in memory


IDS = array(np.int64)
_cosines = procedure("misword_cosines", array(np.float32), INTEGER, IDS, IDS, INTEGER, PRICES)
_round_units = procedure(
    "misword_round_units", array(np.float32), INTEGER, array(np.float32, out=True)
)
_price_pairs = procedure(
    "misword_price_pairs", ctypes.POINTER(KernelCosts), IDS, IDS, INTEGER, PRICES
)


def rounded_units(units: Units, overwrite: bool) -> Units:
    """Return unit vectors with components rounded to multiples of 2^-26.

    With `overwrite`, the result is the array itself, which saves the time to allocate another.
    """
    units = np.ascontiguousarray(units, np.float32)
    rounded = units if overwrite else np.empty_like(units)
    _round_units(units, units.size, rounded)
    return rounded


def cosines(units: Units, left: NDArray[Any], right: NDArray[Any]) -> Prices:
    """Return the dot product of the vectors of each pair of ids."""
    left, right = _ids(left, len(units)), _ids(right, len(units))
    products = np.empty(len(left))
    _same_length(left, right)
    _cosines(units, units.shape[1], left, right, len(left), products)
    return products


def prices(costs: KernelCosts, left: NDArray[Any], right: NDArray[Any]) -> Prices:
    """Return the price of each pair of a reference id and a hypothesis id."""
    left = _ids(left, len(costs.arrays["deletion"]))
    right = _ids(right, len(costs.arrays["insertion"]))
    _same_length(left, right)
    found = np.empty(len(left))
    _price_pairs(costs, left, right, len(left), found)
    return found


def _ids(ids: NDArray[Any], size: int) -> Index:
    """Return ids as the kernels take them; raise ValueError if one is not below `size`."""
    ids = np.ascontiguousarray(ids, np.int64)
    if len(ids) and (ids.min() < 0 or ids.max() >= size):
        raise ValueError(f"token ids must be from 0 to {size - 1}")
    return ids


def _same_length(left: Index, right: Index) -> None:
    if len(left) != len(right):
        raise ValueError(f"{len(left)} reference ids, {len(right)} hypothesis ids")


# The costs.

# Steps per unit of price. The total of an utterance is exact in float64 up to 8,192.
STEPS = float(1 << 40)
GREATEST_PRICE = float(1 << 12)
# Prices below this become 0: the rounding of two equal vectors may give such a price.
LEAST = 1e-6

NO_INDEX = np.zeros(0, np.int64)
NO_TABLE = np.zeros((0, 0), np.float64)
NO_SIEVE = np.zeros((1, 1), np.uint64)
NO_UNITS = np.zeros((0, 0), np.float32)
NO_FLAGS = np.zeros(0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """The costs of edits. Equal tokens are a hit and cost nothing, even if a table says otherwise.

    Create costs with `table`, `pairs` or `vectors`. `insertion` and `deletion` are prices by token
    id. The price of a substitution is in one of three forms:

    - a table: `prices[reference id, hypothesis id]`;
    - a list of pairs, if `starts` is not empty: reference id `r` is listed with the hypothesis ids
      `partners[starts[r]:starts[r + 1]]` in ascending order and the flat `prices`; any other pair
      costs `default`. `sieve` has the bit `h` modulo its width set for each listed pair `(r, h)`:
      a bit that is not set shows without a search that a pair is not listed;
    - vectors, if `units` is not empty: one minus the dot product of the rows of the two ids, or
      `default` if a token is not `known`.

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
    def form(self) -> int:
        """The form of the prices, one of TABLE, PAIRS and VECTORS."""
        if len(self.units):
            return VECTORS
        return PAIRS if len(self.starts) else TABLE

    @property
    def for_kernels(self) -> KernelCosts:
        """These costs as the compiled code takes them."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        cheapest_insertion, cheapest_deletion = self.cheapest
        return KernelCosts(
            arrays,
            cheapest_insertion=cheapest_insertion,
            cheapest_deletion=cheapest_deletion,
            even=self.uniform_gaps,
            form=self.form,
            columns=self.prices.shape[1],
            sieve_words=self.sieve.shape[1],
            dimension=self.units.shape[1],
            other=self.default,
        )

    @property
    def cheapest(self) -> tuple[float, float]:
        """The lowest prices of an insertion and of a deletion."""
        return float(self.insertion.min(initial=np.inf)), float(self.deletion.min(initial=np.inf))

    @property
    def uniform_gaps(self) -> bool:
        """Whether all insertions have one price and all deletions one price, and not both are 0."""
        sides = self.insertion, self.deletion
        same = all(bool((side == side[:1]).all()) for side in sides)
        return same and sum(self.cheapest) > 0

    @classmethod
    def table(
        cls, substitution: ArrayLike, insertion: ArrayLike = 1.0, deletion: ArrayLike = 1.0
    ) -> Costs:
        """Make costs with a price for every pair, for small vocabularies such as phonemes."""
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
        """Make costs from a list of pairs of ids below `size`; any other pair costs `default`."""
        ref, hyp = np.asarray(reference, np.int64), np.asarray(hypothesis, np.int64)
        if len(ref) and (min(ref.min(), hyp.min()) < 0 or max(ref.max(), hyp.max()) >= size):
            raise ValueError(f"ids must be from 0 to {size - 1}")
        order = np.lexsort((hyp, ref))
        ref, hyp = ref[order], hyp[order]
        if np.any((ref[1:] == ref[:-1]) & (hyp[1:] == hyp[:-1])):
            raise ValueError("duplicate pair of ids")
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
        overwrite: bool = False,
    ) -> Costs:
        """Make costs from the cosine of the tokens' vectors; `units` are rows of length one.

        With `overwrite`, the components of `units` are rounded in place.
        """
        if np.ndim(units) != 2 or len(known) != len(units):
            raise ValueError(f"{len(units)} vectors, but {len(known)} flags")
        one = np.ones(len(units))
        return cls(
            one,
            one,
            default=float(stepped(default)),
            units=rounded_units(units, overwrite),
            known=np.ascontiguousarray(known, np.bool_),
        )

    def of(self, reference: NDArray[Any], hypothesis: NDArray[Any]) -> Prices:
        """Return the price of each pair of a reference id and a hypothesis id."""
        return prices(self.for_kernels, reference, hypothesis)

    def cosines(self, reference: NDArray[Any], hypothesis: NDArray[Any]) -> Prices:
        """Return the dot product of the vectors of each pair of ids; 0 if one has no vector."""
        return cosines(self.units, reference, hypothesis)

    def priceable(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether both tokens of each pair have a vector."""
        both: NDArray[np.bool_] = self.known[left] & self.known[right]
        return both


def _sieve(ref: NDArray[np.int64], hyp: NDArray[np.int64], size: int) -> NDArray[np.uint64]:
    """Return the sieve: per id about eight bits for each listed partner, at most 16 MB in all.

    The number of bits per id is a power of two.
    """
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
    """Return one minus each cosine, rounded to a step of prices; prices below LEAST become 0."""
    prices = np.rint((1.0 - cosines) * STEPS) / STEPS
    return np.where(prices < LEAST, 0.0, prices)


def stepped(prices: ArrayLike) -> Any:
    """Return prices rounded to multiples of 2^-40; raise if one is negative or too large."""
    prices = np.asarray(prices, np.float64)
    if prices.size and not (prices.min() >= 0 and prices.max() <= GREATEST_PRICE):
        raise ValueError(f"costs must be from 0 to {GREATEST_PRICE:g}")
    return np.rint(prices * STEPS) / STEPS
