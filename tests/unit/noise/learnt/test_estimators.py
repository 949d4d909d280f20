"""Estimators: the strength of the beta prior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.noise.learn import STRENGTHS, log_rising, prior_strength

RNG = np.random.default_rng(2)


@given(st.floats(1e-4, 500), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9))))
def test_logarithms_of_rising_products(start: float, counted: list[tuple[int, int]]) -> None:
    counts, times = np.array(counted, np.int64).reshape(-1, 2).T
    expected = math.fsum(k * math.log(start + i) for n, k in counted for i in range(n))
    assert log_rising(start, counts, times) == pytest.approx(expected, rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("words", [5, 300])
@pytest.mark.parametrize("strength", [1.0, 20.0, 200.0])
def test_strength_is_the_most_likely(words: int, strength: float) -> None:
    """The likelihood of the beta-binomial model, written with scipy's beta function."""
    from scipy.special import betaln

    total = RNG.integers(1, 100_000, words)
    wrong = RNG.binomial(total, RNG.beta(strength * 0.1, strength * 0.9, words))
    mean = wrong.sum() / total.sum()

    def log_likelihood(s: float) -> float:
        a, b = s * mean, s * (1 - mean)
        return float((betaln(wrong + a, total - wrong + b) - betaln(a, b)).sum())

    names = [f"w{i}" for i in range(words)]
    found = prior_strength(
        dict(zip(names, total.tolist(), strict=True)), dict(zip(names, wrong.tolist(), strict=True))
    )
    assert found == max(STRENGTHS, key=log_likelihood)


def test_words_that_occur_once_say_nothing_about_the_strength() -> None:
    once = dict.fromkeys("abcdefghij", 1)
    for wrong in range(11):
        assert prior_strength(once, dict.fromkeys("abcdefghij"[:wrong], 1)) == STRENGTHS[-1]
