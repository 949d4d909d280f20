"""Log-likelihood ratios, and how those of several lines are added up."""

from __future__ import annotations

import numpy as np
import pytest

from misword.asr.line_shifts.search import robust_sum
from misword.asr.line_shifts.similarity import fit_logistic


def test_the_logit_is_the_ratio_of_two_normal_densities() -> None:
    """For means 1 and 0 and variance 1, the log of the ratio of the densities is x - 1/2."""
    rng = np.random.default_rng(0)
    intercept, slope = fit_logistic(rng.normal(1, 1, (30_000, 1)), rng.normal(0, 1, (10_000, 1)))
    assert slope == pytest.approx(1, abs=0.05)
    assert intercept == pytest.approx(-0.5, abs=0.05)


def test_a_column_without_information_gets_no_weight() -> None:
    rng = np.random.default_rng(0)
    coefficients = fit_logistic(rng.normal(0, 1, (5000, 1)), rng.normal(0, 1, (5000, 1)))
    assert coefficients == pytest.approx([0, 0], abs=0.06)


def test_separable_classes_have_finite_coefficients() -> None:
    coefficients = fit_logistic(np.ones((30, 1)), np.zeros((30, 1)))
    assert np.isfinite(coefficients).all()
    assert coefficients[1] > 0


def test_no_pairs() -> None:
    assert fit_logistic(np.zeros((0, 2)), np.ones((3, 2))).tolist() == [0, 0, 0]


def test_negative_ratios_count_twice() -> None:
    assert robust_sum(np.array([3.0, -1.0, 2.0])) == 3.0
    assert robust_sum(np.zeros(0)) == 0


def test_weak_evidence_of_many_lines_counts() -> None:
    """400 blocks of 8 lines with ratios 0.5 +- 2: t is about 14, so that t * t / 2 is about 100."""
    ratios = np.random.default_rng(0).normal(0.5, 2, 3200)
    assert ratios.sum() + np.minimum(ratios, 0).sum() < 0
    assert 60 < robust_sum(ratios) < 150


def test_noise_is_no_evidence() -> None:
    rng = np.random.default_rng(1)
    assert max(robust_sum(rng.normal(0, 2, 800)) for _ in range(200)) < 8
