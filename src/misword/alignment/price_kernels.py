"""Prices of substitutions by compiled kernels, and the costs of edits as the kernels take them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.arrays import Index, Prices, Units
from misword.native.library import INTEGER, REAL, SMALL, array, procedure

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
