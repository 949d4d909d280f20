"""Calibration of planted probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from misword.stat.calibration import Bin, calibration_bins, chance_error, expected_calibration_error


def test_the_ends_of_bins() -> None:
    """1 is in the last bin; a border is in the upper bin."""
    bins = calibration_bins(np.array([0.0, 0.5, 1.0]), np.array([False, True, True]), 2)
    assert [(each.low, each.cases) for each in bins] == [(0.0, 1), (0.5, 2)]
    assert bins[1] == Bin(0.5, 1.0, 2, 0.75, 1.0)


def test_an_error_worked_by_hand() -> None:
    """Two of four cases at 0.3 happened, all of six at 0.9: (4 * 0.2 + 6 * 0.1) / 10."""
    probabilities = np.array([0.3] * 4 + [0.9] * 6)
    happened = np.array([True, True, False, False] + [True] * 6)
    bins = calibration_bins(probabilities, happened)
    assert expected_calibration_error(bins) == pytest.approx(0.14)


def test_right_probabilities_have_the_error_of_chance() -> None:
    """The mean error over many draws is what `chance_error` says, and falls with the cases."""
    rng = np.random.default_rng(0)
    probabilities = rng.random(1000)
    errors, expected = [], []
    for _ in range(200):
        bins = calibration_bins(probabilities, rng.random(1000) < probabilities)
        errors.append(expected_calibration_error(bins))
        expected.append(chance_error(bins))
    assert np.mean(errors) == pytest.approx(np.mean(expected), rel=0.05)
    assert np.mean(errors) == pytest.approx(0.03, abs=0.005)


def test_overconfidence_is_measured() -> None:
    rng = np.random.default_rng(1)
    truth = 0.2 + 0.6 * rng.random(50_000)
    said = np.clip(truth + 0.1, 0, 1)
    bins = calibration_bins(said, rng.random(50_000) < truth)
    assert expected_calibration_error(bins) == pytest.approx(0.1, abs=0.01)


def test_no_cases() -> None:
    assert calibration_bins(np.empty(0), np.empty(0, np.bool_)) == []
    assert np.isnan(expected_calibration_error([]))
    assert np.isnan(chance_error([]))
