"""Quantiles and p-values of Student's t distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.stat.student_t import two_sided_p, upper_quantile

CONFIDENCES = (0.5, 0.6, 0.683, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)


def test_published_table() -> None:
    """W. S. Gosset's distribution as printed in textbooks: 95% and 99% two-sided."""
    printed = {1: (12.706, 63.657), 2: (4.303, 9.925), 3: (3.182, 5.841), 9: (2.262, 3.250),
               30: (2.042, 2.750), 120: (1.980, 2.617)}  # fmt: skip
    for freedom, (ninety_five, ninety_nine) in printed.items():
        assert upper_quantile(0.025, freedom) == pytest.approx(ninety_five, abs=6e-4)
        assert upper_quantile(0.005, freedom) == pytest.approx(ninety_nine, abs=6e-4)


@pytest.mark.parametrize("freedom", [*range(1, 21), 50, 100, 199, 200, 201, 500, 999, 1000])
def test_quantiles_are_scipys(freedom: int) -> None:
    from scipy import stats

    tails = (1 - np.array(CONFIDENCES)) / 2
    found = [upper_quantile(tail, freedom) for tail in tails.tolist()]
    np.testing.assert_allclose(found, stats.t.isf(tails, freedom), rtol=1e-12)


@given(st.integers(1, 1000), st.floats(0.5, 0.9999))
def test_any_quantile_is_scipys(freedom: int, confidence: float) -> None:
    from scipy import stats

    tail = (1 - confidence) / 2
    assert upper_quantile(tail, freedom) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-12)


@given(st.floats(2, 10**4), st.floats(1e-6, 0.5))
def test_degrees_of_freedom_can_be_fractions(freedom: float, tail: float) -> None:
    from scipy import stats

    assert upper_quantile(tail, freedom) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-10)


@given(st.floats(1, 10**5), st.floats(-40, 40))
def test_p_values_are_scipys(freedom: float, value: float) -> None:
    from scipy import stats

    expected = 2 * stats.t.sf(abs(value), freedom)
    assert two_sided_p(value, freedom) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.integers(1, 10**6), st.floats(1e-12, 0.5))
def test_quantiles_lie_between_the_normal_and_the_cauchy(freedom: int, tail: float) -> None:
    value = upper_quantile(tail, freedom)
    assert -NormalDist().inv_cdf(tail) <= value * (1 + 1e-12) + 1e-15
    assert value <= upper_quantile(tail, 1) * (1 + 1e-12) + 1e-15


def test_the_median_is_zero() -> None:
    for freedom in (1, 2, 3, 50, 1000):
        assert math.isclose(upper_quantile(0.5, freedom), 0, abs_tol=1e-15)
