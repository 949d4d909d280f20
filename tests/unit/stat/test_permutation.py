"""The paired permutation test: against all swaps, scipy, and what must not be significant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.stat.measure import ratio
from misword.stat.paired import COUNTED, permutation_p, smallest_p, swap_effects

Floats = NDArray[np.float64]


def counted_p(effects: Floats) -> float:
    """The p-value by the sums of all swaps."""
    sums = np.zeros(1)
    for effect in effects:
        sums = np.concatenate([sums - effect, sums + effect])
    return float(np.mean(np.abs(sums) >= abs(effects.sum()) - 1e-9 * np.abs(effects).sum()))


def test_hand_worked() -> None:
    # The sums of 3, 2 and 1 with all signs: 6, 4, 2, 0, 0, -2, -4, -6.
    assert permutation_p(np.array([3.0, 2, 1])) == 2 / 8
    assert permutation_p(np.array([3.0, 2, -1])) == 4 / 8
    assert permutation_p(np.array([3.0, -2, 1])) == 6 / 8
    assert permutation_p(np.array([3.0, -2, -1])) == 1


def test_rows_without_a_difference_do_not_count() -> None:
    some = np.array([1.0, 1, 1, 1])
    assert permutation_p(np.concatenate([some, np.zeros(100)])) == permutation_p(some) == 1 / 8


def test_undefined() -> None:
    assert np.isnan(permutation_p(np.array([])))
    assert np.isnan(permutation_p(np.array([1.0, np.nan])))
    assert permutation_p(np.zeros(5)) == 1


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_small_tests_count_all_swaps(effects: list[int]) -> None:
    values = np.array(effects, np.float64)
    assert permutation_p(values) == counted_p(values)
    assert permutation_p(-values) == permutation_p(3 * values) == permutation_p(values)


@pytest.mark.parametrize("kind", ["signs", "counts", "normal", "heavy"])
def test_the_saddle_point_is_near_the_count(kind: str) -> None:
    """It is never far below the exact p-value, which would be a false alarm."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        size = COUNTED + 1
        effects = {
            "signs": rng.choice([-1.0, 1], size, p=[0.2, 0.8]),
            "counts": rng.poisson(3, size) + 1.0 - 5 * rng.integers(0, 2, size),
            "normal": rng.normal(0.6, 1, size),
            "heavy": rng.normal(0.6, 1, size) * rng.lognormal(0, 1, size),
        }[kind]
        exact = counted_p(effects[effects != 0])
        assert 0.8 * exact <= permutation_p(effects) <= 1.6 * exact


def test_a_far_tail_of_many_signs_is_binomial() -> None:
    from scipy import stats

    for size, agree in ((100, 80), (400, 290), (3000, 1900)):
        effects = np.where(np.arange(size) < agree, 1.0, -1.0)
        exact = stats.binomtest(agree, size).pvalue
        assert permutation_p(effects) == pytest.approx(exact, rel=0.1)


def test_p_is_never_zero() -> None:
    assert 0 < permutation_p(np.full(5000, 1.0)) < 1e-300
    assert smallest_p(5000) > 0


def test_an_outlier_does_not_hide_what_all_other_rows_agree_on() -> None:
    effects = np.concatenate([[200.0], np.ones(40)])
    assert permutation_p(effects) < 1e-6
    assert permutation_p(np.concatenate([[200.0], np.ones(20), -np.ones(20)])) > 0.3


def test_swap_effects_are_exact_for_a_ratio_of_sums() -> None:
    """With equal denominators an effect is the row's errors more, divided by all words."""
    rng = np.random.default_rng(3)
    words = rng.integers(1, 30, 20)
    one, two = (np.stack([rng.binomial(words, 0.3), words], axis=1) for _ in range(2))
    effects = swap_effects(one, two, lambda terms: ratio(terms[..., 0], terms[..., 1]))
    np.testing.assert_allclose(effects, (two[:, 0] - one[:, 0]) / words.sum(), rtol=1e-8)


def test_swap_effects_of_a_column_of_zeros() -> None:
    one, two = np.array([[1, 5, 0], [2, 5, 0]]), np.array([[2, 5, 0], [3, 5, 0]])
    effects = swap_effects(one, two, lambda terms: terms[..., 0] / (terms[..., 1] + terms[..., 2]))
    np.testing.assert_allclose(effects, [0.1, 0.1], rtol=1e-8)
    lost = swap_effects(0 * one, 0 * two, lambda terms: ratio(terms[..., 0], terms[..., 1]))
    assert not lost.any()
