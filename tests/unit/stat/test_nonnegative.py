"""Weights that are not negative: against a general optimiser, by hand, and in degenerate cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from extras import needs
from misword.stat.regression import Prior, linear_weights, logistic_weights

Vector = NDArray[np.float64]
EQUAL = np.ones(3)


def choices(seed: int, rows: int = 60) -> Vector:
    """Features of choices that people make mostly by the first two of three features."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, 3))
    chosen = rng.random(rows) < 1 / (1 + np.exp(-features @ [2.0, 1.0, 0.0]))
    return features * np.where(chosen, 1.0, -1.0)[:, None]


def by_scipy(loss: Callable[[Vector], float], prior: Prior) -> Vector:
    """Minimise the loss plus the penalty by a general optimiser with bounds."""
    from scipy.optimize import minimize

    def objective(point: Vector) -> float:
        off = point[:-1] - point[-1] * prior.direction
        return loss(point[:-1]) + prior.strength / 2 * float(off @ off)

    start = np.append(prior.direction, 1.0)
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000}
    found = minimize(objective, start, bounds=[(0, None)] * len(start), options=options)
    return np.asarray(found.x[:-1])


@needs("scipy")
@pytest.mark.parametrize("strength", [0.0, 0.5, 3.0, 50.0])
@pytest.mark.parametrize("direction", [[1.0, 1.0, 1.0], [0.1, 0.2, 2.0], [0.0, 1.0, 0.0]])
@pytest.mark.parametrize("seed", [0, 1])
def test_logistic_weights_are_those_of_scipy(
    seed: int, direction: list[float], strength: float
) -> None:
    features, prior = choices(seed), Prior(np.array(direction), strength)
    expected = by_scipy(lambda w: float(np.logaddexp(0, -features @ w).sum()), prior)
    np.testing.assert_allclose(logistic_weights(features, prior), expected, atol=2e-4)


@needs("scipy")
@pytest.mark.parametrize("strength", [0.5, 3.0])
def test_linear_weights_are_those_of_scipy(strength: float) -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(40, 3))
    targets = features @ [1.0, 0.5, -1.0] + rng.normal(size=40)
    prior = Prior(np.array([1.0, 2.0, 0.5]), strength)
    expected = by_scipy(lambda w: float(((features @ w - targets) ** 2).sum() / 2), prior)
    np.testing.assert_allclose(linear_weights(features, targets, prior), expected, atol=1e-4)


@needs("scipy")
@pytest.mark.parametrize("seed", range(5))
def test_linear_weights_without_a_prior_are_nonnegative_least_squares(seed: int) -> None:
    from scipy.optimize import nnls

    rng = np.random.default_rng(seed)
    features, targets = rng.normal(size=(30, 3)), rng.normal(size=30)
    found = linear_weights(features, targets, Prior(EQUAL, 0.0))
    np.testing.assert_allclose(found, nnls(features, targets)[0], atol=1e-8)


def test_planted_weights_are_found() -> None:
    found = logistic_weights(choices(3, rows=20_000), Prior(EQUAL, 3.0))
    np.testing.assert_allclose(found, [2.0, 1.0, 0.0], atol=0.1)


def test_a_feature_that_people_choose_against_has_weight_0() -> None:
    features = choices(4, rows=200) * [1, 1, -1] - [0, 0, 1]
    assert logistic_weights(features, Prior(EQUAL, 0.0))[2] == 0


def test_a_strong_prior_gives_its_proportions_and_the_data_their_size() -> None:
    direction = np.array([0.5, 1.0, 2.0])
    for scale in (1.0, 10.0):
        found = logistic_weights(choices(5) * scale, Prior(direction, 1e7))
        np.testing.assert_allclose(found / found.sum(), direction / direction.sum(), atol=1e-3)


@given(st.integers(0, 1000), st.floats(0, 20))
def test_more_strength_brings_weights_nearer_to_the_prior(seed: int, strength: float) -> None:
    direction = np.array([0.3, 1.0, 1.0])

    def distance(strength: float) -> float:
        """The distance from the nearest point on the ray of the prior."""
        weights = logistic_weights(choices(seed, 20), Prior(direction, strength))
        size = float(weights @ direction / (direction @ direction))
        return float(np.linalg.norm(weights - size * direction))

    assert distance(2 * strength + 1) <= distance(strength) + 1e-5


@given(st.integers(0, 1000), st.sampled_from([0.0, 1e-3, 3.0]))
def test_no_small_step_lowers_the_loss(seed: int, strength: float) -> None:
    """The problem is convex, so that a point that no coordinate improves is the minimum."""
    features, prior = choices(seed, 30), Prior(np.array([1.0, 0.5, 2.0]), strength)
    weights = logistic_weights(features, prior)

    def objective(weights: Vector) -> float:
        size = max(float(weights @ prior.direction), 0) / float(prior.direction @ prior.direction)
        off = weights - size * prior.direction
        return float(np.logaddexp(0, -features @ weights).sum() + strength / 2 * off @ off)

    assert (weights >= 0).all()
    for at in range(3):
        for step in (-1e-3, 1e-3):
            moved = weights.copy()
            moved[at] = max(moved[at] + step, 0)
            assert objective(moved) >= objective(weights) - 1e-9


@pytest.mark.parametrize("strength", [0.0, 3.0])
def test_separable_choices_have_finite_weights(strength: float) -> None:
    """Without a penalty no finite weights are best; the proportions must still be usable."""
    features = np.abs(choices(6))
    found = logistic_weights(features, Prior(EQUAL, strength))
    assert np.isfinite(found).all()
    assert found.sum() > 0
    assert (features @ found > 0).all()


def test_equal_columns_share_their_weight() -> None:
    one = choices(7)[:, :1]
    found = logistic_weights(np.hstack([one, one]), Prior(np.ones(2), 3.0))
    assert found[0] == pytest.approx(found[1])
    alone = logistic_weights(one, Prior(np.ones(1), 0.0))
    assert found.sum() == pytest.approx(alone[0], abs=1e-6)


@pytest.mark.parametrize("strength", [0.0, 3.0])
def test_degenerate_features(strength: float) -> None:
    prior = Prior(EQUAL, strength)
    for features in (np.zeros((0, 3)), np.zeros((5, 3)), np.ones((1, 3)), choices(8, 2)):
        found = logistic_weights(features, prior)
        assert found.shape == (3,)
        assert np.isfinite(found).all()
        assert (found >= 0).all()
        straight = linear_weights(features, np.ones(len(features)), prior)
        assert np.isfinite(straight).all()


def test_a_single_row_is_fitted_as_the_prior_says() -> None:
    found = linear_weights(np.array([[1.0, 1.0]]), np.array([3.0]), Prior(np.array([1.0, 2.0]), 1))
    np.testing.assert_allclose(found, [1.0, 2.0], atol=1e-8)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_features_of_any_size(scale: float) -> None:
    """Without a penalty, features that are larger have weights that are smaller by as much."""
    plain = Prior(EQUAL, 0.0)
    found = logistic_weights(choices(9) * scale, plain)
    np.testing.assert_allclose(found * scale, logistic_weights(choices(9), plain), rtol=1e-4)
