"""Weights found by line searches: planted weights, constant features, normalisation, starts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from misword.asr.metrics.rates import WER
from misword.asr.nbest.features import FeatureLists
from misword.asr.nbest.weight_search import SearchSettings, normalised, start_weights, tune_lists


def planted(weights: list[float], seed: int = 0, lists: int = 60, depth: int = 8) -> FeatureLists:
    """Lists whose hypothesis with the highest score by `weights` has no errors, others one."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(len(weights), lists * depth))
    offsets = np.arange(0, lists * depth + 1, depth)
    empty = FeatureLists(features, offsets, np.zeros((lists * depth, 2)), WER())
    terms = np.tile([1, 1], (lists * depth, 1))
    terms[empty.choice(np.array(weights)), 0] = 0
    return FeatureLists(features, offsets, terms, WER())


@pytest.mark.parametrize("weights", [[1.0, 0.5], [1.0, -2.0, 0.3], [1.0, 0.2, 0.2, -0.2]])
def test_planted_weights_are_found(weights: list[float]) -> None:
    found = tune_lists(planted(weights, lists=200), SearchSettings())
    assert found.rate == 0
    assert found.weights == pytest.approx(weights, abs=0.1)


def test_no_grid_has_a_lower_rate() -> None:
    rng = np.random.default_rng(1)
    terms = rng.integers([0, 9], [5, 10], (400, 2))
    lists = FeatureLists(rng.normal(size=(2, 400)), np.arange(0, 401, 8), terms, WER())
    angles = np.linspace(0, 2 * np.pi, 2000)
    grid = min(lists.rate(np.array([np.cos(a), np.sin(a)])) for a in angles)
    assert tune_lists(lists, SearchSettings()).rate <= grid


def test_the_scale_of_features_does_not_matter() -> None:
    lists = planted([1.0, 0.5])
    other = FeatureLists(
        lists.features * np.array([[1000.0], [0.001]]), lists.offsets, lists.terms, WER()
    )
    found, again = (tune_lists(data, SearchSettings()) for data in (lists, other))
    assert again.weights * [1, 1e-6] == pytest.approx(found.weights)
    assert again.rate == found.rate


def test_constant_features_get_no_weight() -> None:
    lists = planted([1.0, 0.5])
    constant = np.repeat(np.arange(60.0), 8)[None]  # differs between lists only
    wider = FeatureLists(
        np.concatenate([lists.features, constant]), lists.offsets, lists.terms, WER()
    )
    found = tune_lists(wider, SearchSettings())
    assert found.rate == 0
    assert found.weights[2] == 0
    nothing = FeatureLists(constant, lists.offsets, lists.terms, WER())
    assert tune_lists(nothing, SearchSettings()).weights.tolist() == [0.0]


def test_lists_of_one_and_undefined_rates() -> None:
    single = FeatureLists(np.array([[1.0, 2]]), np.array([0, 1, 2]), np.ones((2, 2)), WER())
    assert tune_lists(single, SearchSettings()).rate == 1
    empty = FeatureLists(np.array([[1.0, 2]]), np.array([0, 2]), np.zeros((2, 2)), WER())
    assert np.isnan(tune_lists(empty, SearchSettings()).rate)


def test_negative_first_weight() -> None:
    found = tune_lists(planted([-1.0, 0.5], lists=200), SearchSettings())
    assert found.weights == pytest.approx([-1, 0.5], abs=0.05)
    assert np.abs(found.weights).max() == 1
    assert normalised(np.zeros(2)).tolist() == [0, 0]


def test_starts() -> None:
    rng = np.random.default_rng(0)
    for count, starts in product((1, 3), (1, 2, 5)):
        made = list(start_weights(count, starts, rng, None))
        assert len(made) == starts
        assert all(np.linalg.norm(start) == pytest.approx(1) for start in made)
    given = next(start_weights(2, 2, rng, np.array([3.0, 4.0])))
    assert given.tolist() == [0.6, 0.8]


def test_the_same_seed_gives_the_same_weights() -> None:
    lists = planted([1.0, -2.0, 0.3], lists=20)
    found = [tune_lists(lists, SearchSettings(seed=3)).weights.tolist() for _ in range(2)]
    assert found[0] == found[1]
