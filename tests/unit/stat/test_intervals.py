"""Intervals of rates and of differences: their levels, their order and their coverage."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.core.types import Statistics
from misword.stat.bootstrap import (
    Bootstrap,
    Jackknife,
    Levels,
    distinct,
    interval,
    jackknife,
    percentiles,
    widened,
)
from misword.stat.correlation import correlation, pearson_resamples
from misword.stat.measure import ratio_of_terms
from misword.stat.paired import by_block, paired

Rows = NDArray[np.int64]


def mean(terms: Statistics) -> Statistics:
    return ratio_of_terms(terms)


def of_values(*values: float) -> Jackknife:
    """The jackknife of a mean, whose effects are proportional to the values minus their mean."""
    return jackknife(distinct(np.array([[value, 1.0] for value in values])), mean)


def test_levels_of_hesterberg() -> None:
    """T. Hesterberg 2015, section 4.3.2: alpha' / 2 = Phi(-sqrt(n / (n - 1)) t)."""
    for size, t in ((5, 2.7764451), (10, 2.2621572), (20, 2.0930241)):
        low, high = Jackknife(size, size - 1).symmetric_levels(0.95)
        assert low == pytest.approx(NormalDist().cdf(-((size / (size - 1)) ** 0.5) * t), rel=1e-6)
        assert low + high == pytest.approx(1)


def test_large_samples_have_plain_percentiles() -> None:
    low, high = Jackknife(10**7, 10**7 - 1).symmetric_levels(0.95)
    assert (low, high) == pytest.approx((0.025, 0.975), abs=1e-6)
    assert Jackknife(10**7, 10**7).shifted_levels(0.9, 0.5) == pytest.approx((0.05, 0.95), abs=1e-6)


def test_shifted_levels_by_hand() -> None:
    """Bias 0.1 and acceleration 0.05, with the ends at -2 and 2 standard deviations.

    Phi(0.1 - 1.9 / (1 + 0.095)) = Phi(-1.63516), Phi(0.1 + 2.1 / (1 - 0.105)) = Phi(2.44637).
    """
    normal = NormalDist()
    huge = Jackknife(1e8, 1e8, 0.05)
    found = huge.shifted_levels(2 * normal.cdf(2) - 1, normal.cdf(0.1))
    assert found == pytest.approx((normal.cdf(-1.63516), normal.cdf(2.44637)), abs=1e-6)


def test_levels_beyond_the_pole() -> None:
    assert Jackknife(5, 2, 0.4).shifted_levels(0.99, 0.7).high == 1
    assert Jackknife(5, 2, -0.4).shifted_levels(0.99, 0.3).low == 0


def test_acceleration_of_a_mean_is_its_skewness() -> None:
    """The effects -1, -1, 2: the sum of cubes is 6, that of squares 6."""
    assert of_values(1, 1, 4).acceleration == pytest.approx(6 / (6 * 6**1.5))
    assert of_values(1, 2, 3).acceleration == pytest.approx(0, abs=1e-12)


def test_freedom_falls_with_outliers() -> None:
    rng = np.random.default_rng(0)
    assert of_values(1, 2, 3).freedom == 2
    assert of_values(*range(20)).freedom == 19
    assert of_values(*rng.normal(size=2000)).freedom > 1500
    outlier = of_values(*rng.normal(size=50), 40.0)
    assert outlier.freedom == pytest.approx(2, abs=0.1)


def test_freedom_is_that_of_the_unbiased_kurtosis() -> None:
    from scipy import stats

    values = np.random.default_rng(1).exponential(size=40)
    excess = stats.kurtosis(values, bias=False)
    assert of_values(*values).freedom == pytest.approx(2 / (excess / 40 + 2 / 39))


def test_equal_rows_are_counted() -> None:
    """Rows that occur several times count as often as they occur."""
    rows = np.array([[0, 5], [0, 5], [0, 5], [1, 9], [4, 9]])
    near = rows + 1e-9 * np.arange(5)[:, None]
    some, apart = (jackknife(distinct(part), mean) for part in (rows, near))
    assert some.size == apart.size == 5
    assert some.freedom == pytest.approx(apart.freedom, rel=1e-6)
    assert some.acceleration == pytest.approx(apart.acceleration, rel=1e-6)


def test_intervals_without_spread() -> None:
    """No errors, or the same rate everywhere: the interval has no width."""
    none = np.array([[0, 7], [0, 9], [0, 3]])
    assert interval(none, mean) == (0, 0)
    same = np.array([[1, 10], [2, 20], [3, 30], [1, 10]])
    assert interval(same, mean) == pytest.approx((0.1, 0.1), abs=1e-15)
    assert jackknife(distinct(same), mean) == Jackknife(4, 3)


def test_few_rows() -> None:
    assert np.isnan(interval(np.array([[1, 5]]), mean)).all()
    assert interval(np.array([[0, 5], [5, 5]]), mean) == (0, 1)
    assert np.isnan(interval(np.array([[1, 5], [0, 5]]), mean, Bootstrap(0))).all()
    assert np.isnan(interval(np.array([[0, 0], [0, 0]]), mean)).all()
    # Without the only row that has words, the rate is undefined.
    assert interval(np.array([[1, 5], [0, 0], [0, 0]]), mean) == (0.2, 0.2)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=12),
    st.floats(0.01, 0.999),
)
def test_ends_are_in_order_and_in_range(pairs: list[tuple[int, int]], confidence: float) -> None:
    rows = np.array(pairs)
    low, high = interval(rows, mean, Bootstrap(60, confidence))
    rates = mean(rows)
    assert rates.min() - 1e-12 <= low <= high <= rates.max() + 1e-12


def test_wider_than_plain_percentiles_and_never_by_much_for_many_rows() -> None:
    values = np.arange(1001.0)
    narrow = widened(values, 1e6, 0.95)
    assert narrow == pytest.approx((25, 975), abs=0.1)
    assert widened(values, 10, 0.95)[0] < 10
    assert np.isnan(widened(values, 1, 0.95)).all()
    assert np.isnan(percentiles(np.array([np.nan]), Levels(0.1, 0.9))).all()


def sample(rng: np.random.Generator, size: int, fraction: bool) -> tuple[Statistics, Statistics]:
    """Terms of two systems, of whole numbers or of fractions that are rounded when added."""
    words = rng.integers(1, 9, size)
    scale = rng.random((size, 1)) if fraction else 1
    first, second = (np.stack([rng.binomial(words, 0.3), words], axis=1) for _ in range(2))
    return first * scale, second * scale


@pytest.mark.parametrize("fraction", [False, True])
@pytest.mark.parametrize("size", [7, 40, 900])
def test_the_order_of_rows_does_not_matter(size: int, fraction: bool) -> None:
    rng = np.random.default_rng(size)
    before, after = sample(rng, size, fraction)
    blocks = rng.integers(size // 3, size=size)
    blocks = np.unique(blocks, return_inverse=True)[1]
    settings = Bootstrap(50)
    expected = (
        interval(before, mean, settings),
        paired(before, after, mean, settings),
        by_block(before, blocks).tobytes(),
        correlation(mean(before), mean(after), settings),
        pearson_resamples(mean(before), after, settings).tobytes(),
    )
    for _ in range(3):
        order = rng.permutation(size)
        first, second = before[order], after[order]
        found = (
            interval(first, mean, settings),
            paired(first, second, mean, settings),
            by_block(first, blocks[order]).tobytes(),
            correlation(mean(first), mean(second), settings),
            pearson_resamples(mean(first), second, settings).tobytes(),
        )
        assert repr(found) == repr(expected)
