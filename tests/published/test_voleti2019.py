"""Voleti et al. 2019, Investigating the effects of word substitution errors, and its notebook."""

from __future__ import annotations

import numpy as np

from misword.noise.candidates.probabilities import distance_probabilities

# What the notebook prints for "Syria": fifteen candidates, sigma 10.15, probabilities from .0941
# down to .0533.
SYRIA = np.array([5.75, 5.75, 6.25, 6.5, 10.25, 11, 11.25, 11.25, *[11.75] * 3, *[12.25] * 4])


def test_syria_by_the_notebooks_kernel() -> None:
    assert SYRIA.mean().round(2) == 10.15
    (found,) = distance_probabilities(SYRIA[None], "gaussian")
    assert abs(found[0] - 0.0941) < 1e-4
    assert abs(found[-1] - 0.0533) < 1e-4
    weights = np.exp(-(SYRIA**2) / (2 * 10.15**2))
    np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-4)


def test_syria_by_equation_1_is_not_what_was_printed() -> None:
    (found,) = distance_probabilities(SYRIA[None], "paper")
    weights = np.exp(-SYRIA / SYRIA.mean() ** 2)
    np.testing.assert_allclose(found, weights / weights.sum(), rtol=1e-12)
    assert round(0.0941 - found[0], 3) == 0.025
