"""Concordant pairs, counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.stat.correlation import concordance

RNG = np.random.default_rng(4)
Integers = NDArray[np.int64]


def ranked(values: Integers) -> Integers:
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def one_by_one(weights: NDArray[np.int32], left: Integers, right: Integers) -> list[int]:
    """The definition: each pair of rows counts as often as both are drawn."""
    signs = np.sign(left[:, None] - left) * np.sign(right[:, None] - right)
    wide = weights.astype(np.int64)
    return [int(row @ signs @ row) // 2 for row in wide]


@given(st.data())
def test_pairs_counted_one_by_one(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 60))
    values = st.lists(st.integers(0, data.draw(st.integers(0, 60))), min_size=size, max_size=size)
    left, right = (ranked(np.array(data.draw(values), np.int64)) for _ in range(2))
    counts = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    weights = np.array([data.draw(counts) for _ in range(2)], np.int32).reshape(2, size)
    assert concordance(weights, left, right).tolist() == one_by_one(weights, left, right)


@pytest.mark.parametrize("size", [15, 16, 17, 33, 700, 1500])
@pytest.mark.parametrize("distinct", [1, 2, 9, 100_000])
def test_many_rows(size: int, distinct: int) -> None:
    left, right = (ranked(RNG.integers(0, distinct, size)) for _ in range(2))
    weights = RNG.poisson(1, (3, size)).astype(np.int32)
    assert concordance(weights, left, right).tolist() == one_by_one(weights, left, right)
    assert concordance(weights, left, left).tolist() == one_by_one(weights, left, left)


def test_the_largest_weights() -> None:
    half = 2**30 - 1
    ranks = np.arange(2)
    weights = np.array([[half, half + 1]], np.int32)
    assert concordance(weights, ranks, ranks).tolist() == [half * (half + 1)]
    assert concordance(weights, ranks, 1 - ranks).tolist() == [-half * (half + 1)]


@pytest.mark.parametrize("weights", [[-1, 1], [2**30, 2**30], [2**31 - 1, -5]])
def test_weights_that_cannot_be_counted(weights: list[int]) -> None:
    ranks = np.arange(2)
    with pytest.raises(ValueError, match="must not be negative"):
        concordance(np.array([weights], np.int32), ranks, ranks)


def test_ranks_are_checked() -> None:
    once, ranks = np.ones((1, 2), np.int32), np.arange(2)
    for wrong in (np.array([0, 2]), np.array([-1, 0])):
        for columns in ((ranks, wrong), (wrong, ranks)):
            with pytest.raises(ValueError, match="ranks must be from 0"):
                concordance(once, *columns)
    with pytest.raises(ValueError, match="the weights have 2 rows"):
        concordance(once, np.arange(3), np.arange(3))
