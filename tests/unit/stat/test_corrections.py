"""Permutation tests that are corrected together, and how many rows they need."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from misword.stat.paired import correct, holm, permutation_p, reachable_p, step_down, too_few_rows


def test_step_down_counts_the_largest_of_the_remaining_tests() -> None:
    rng = np.random.default_rng(4)
    effects = rng.normal(0.8, 1, (3, 6))
    scaled = effects / np.sqrt(np.square(effects).sum(axis=1, keepdims=True))
    observed = np.abs(scaled.sum(axis=1))
    signs = np.array(list(product([-1, 1], repeat=6)))
    swapped = np.abs(signs @ scaled.T)
    order = np.argsort(-observed)
    expected, largest = np.empty(3), 0.0
    for place, test in enumerate(order):
        rest = swapped[:, order[place:]].max(axis=1)
        largest = max(largest, float(np.mean(rest >= observed[test] - 1e-9)))
        expected[test] = largest
    np.testing.assert_allclose(step_down(list(effects)), expected)


@given(st.integers(0, 100), st.integers(1, 5))
def test_a_correction_never_lowers_p(seed: int, tests: int) -> None:
    effects = list(np.random.default_rng(seed).normal(1, 1, (tests, 7)))
    single = np.array([permutation_p(column) for column in effects])
    joint = step_down(effects)
    assert (joint >= single - 1e-12).all()
    if tests == 1:
        assert joint == single


def test_step_down_of_undefined_tests() -> None:
    lost = np.full(6, np.nan)
    assert np.isnan(step_down([lost])).all()
    assert step_down([lost, np.ones(6)])[1] == 2 / 2**6
    assert step_down([np.zeros(6), np.ones(6)]).tolist() == [1, 2 / 2**6]


def test_many_rows_are_corrected_by_holm() -> None:
    effects = list(np.random.default_rng(5).normal(0.4, 1, (4, 30)))
    p = [permutation_p(column) for column in effects]
    np.testing.assert_array_equal(correct(p, effects), holm(p))
    assert np.isnan(correct([np.nan], [np.ones(1)])).all()


def test_how_many_rows_are_needed() -> None:
    assert [too_few_rows(rows, 1) for rows in (2, 5, 6, 60)] == [6, 6, None, None]
    assert [too_few_rows(rows, 57) for rows in (5, 10, 11)] == [11, 11, None]
    assert [too_few_rows(rows, 3) for rows in (5, 7, 8)] == [8, 8, None]
    assert too_few_rows(15, 2000) == 18
    assert reachable_p(18, 2000) < 0.05
