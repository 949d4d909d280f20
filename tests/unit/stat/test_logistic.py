"""Ridge logistic regression: against scikit-learn, on extreme data, stored and read."""

from __future__ import annotations

import json

import numpy as np
import pytest

from extras import needs
from misword.stat.calibration import calibration_bins, expected_calibration_error
from misword.stat.regression import LogisticModel, Vector, fit_logistic, sigmoid


def planted(rows: int, seed: int = 0) -> tuple[Vector, Vector]:
    """Three features and labels drawn with known probabilities; the third feature says nothing."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((rows, 3)) * [1.0, 20.0, 0.1] + [0.0, 100.0, 3.0]
    logits = 1.5 * features[:, 0] - 0.05 * (features[:, 1] - 100) - 1
    return features, (rng.random(rows) < sigmoid(logits)).astype(np.float64)


@needs("sklearn")
@pytest.mark.parametrize("strength", [0.01, 1.0, 300.0])
def test_equals_scikit_learn(strength: float) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    features, labels = planted(500)
    ours = fit_logistic(features, labels, strength)
    scaled = StandardScaler().fit_transform(features)
    theirs = LogisticRegression(C=1 / strength, tol=1e-10, max_iter=1000).fit(scaled, labels)
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=1e-5)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)
    np.testing.assert_allclose(
        ours.probabilities(features), theirs.predict_proba(scaled)[:, 1], atol=1e-5
    )


def test_planted_weights_and_probabilities_are_found() -> None:
    features, labels = planted(20_000)
    model = fit_logistic(features, labels)
    np.testing.assert_allclose(model.weights / model.scales, [1.5, -0.05, 0], atol=0.3)
    fresh, drawn = planted(20_000, seed=1)
    bins = calibration_bins(model.probabilities(fresh), drawn == 1)
    assert expected_calibration_error(bins) < 0.015


def test_separable_classes_and_constant_features_have_finite_weights() -> None:
    features = np.array([[0.0, 7.0], [1.0, 7.0], [1000.0, 7.0], [1001.0, 7.0]])
    model = fit_logistic(features, np.array([0.0, 0.0, 1.0, 1.0]), strength=1e-6)
    assert np.isfinite(model.weights).all()
    assert model.weights[1] == 0
    assert (model.probabilities(features) > 0.5).tolist() == [False, False, True, True]


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="both classes"):
        fit_logistic(np.ones((3, 1)), np.zeros(3))
    with pytest.raises(ValueError, match="both classes"):
        fit_logistic(np.ones((0, 1)), np.zeros(0))


def test_large_logits_do_not_overflow() -> None:
    assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]


def test_a_model_is_stored_and_read() -> None:
    features, labels = planted(100)
    model = fit_logistic(features, labels)
    stored = json.loads(json.dumps(model.as_json()))
    read = LogisticModel.from_json(stored, 3)
    assert read.probabilities(features).tolist() == model.probabilities(features).tolist()
    with pytest.raises(ValueError, match="no logistic model of 4 features"):
        LogisticModel.from_json(stored, 4)
    with pytest.raises(ValueError, match="no logistic model"):
        LogisticModel.from_json({**stored, "scales": [1.0, 0.0, 1.0]}, 3)
