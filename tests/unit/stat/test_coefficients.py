"""Correlation coefficients of two columns, beside scipy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.stat.correlation import RankedColumn, pearson, three_coefficients

RNG = np.random.default_rng(3)
Column = NDArray[np.float64]


def found(left: Column, right: Column) -> tuple[float, float, float]:
    return three_coefficients(RankedColumn.of(left), RankedColumn.of(right))


def of_scipy(left: Column, right: Column) -> list[float]:
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        tests = stats.pearsonr, stats.spearmanr, stats.kendalltau
        return [float(test(left, right).statistic) for test in tests]


finite = st.floats(-1e6, 1e6)
few = st.integers(-2, 2).map(float)


@given(st.lists(st.tuples(st.one_of(few, finite), st.one_of(few, finite)), min_size=3, max_size=30))
def test_coefficients_are_scipys(rows: list[tuple[float, float]]) -> None:
    left, right = np.array(rows).T.copy()
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        assert np.isnan(found(left, right)).all()
    else:
        assert found(left, right) == pytest.approx(of_scipy(left, right), abs=2e-15)


@pytest.mark.parametrize("rows", [3, 50, 399, 400, 5000])
def test_long_and_tied_columns(rows: int) -> None:
    left = RNG.normal(size=rows)
    for right in (left + RNG.normal(size=rows), np.round(left), RNG.integers(0, 4, rows) / 7):
        if np.ptp(right):
            assert found(left, right) == pytest.approx(of_scipy(left, right), abs=2e-15)
            assert found(right, left) == pytest.approx(of_scipy(right, left), abs=2e-15)


def test_nearly_constant_columns() -> None:
    left = 1e3 + 1e-12 * RNG.normal(size=40)
    right = RNG.normal(size=40)
    assert found(left, right) == pytest.approx(of_scipy(left, right), abs=2e-15)


def test_large_numbers_do_not_overflow() -> None:
    left = np.array([-5e210, 5e210, 3e200, -3e200])
    assert pearson(left, left) == pytest.approx(1)
    assert pearson(left, -left) == pytest.approx(-1)
