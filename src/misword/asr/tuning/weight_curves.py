"""The rate as a function of one weight, the others fixed: its plateau, and what noise allows.

The first feature that has a positive weight is the unit of the others, so its own weight has no
curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.feature_lists import FeatureLists
from misword.asr.tuning.held_out import HeldOut
from misword.asr.tuning.line_search import Changes, Stretch, stretch_at
from misword.core.types import Statistics
from misword.stat.measure import Measure

# Weights at which a curve is drawn.
POINTS = 121
# A curve is drawn over the central part of the weights at which a choice changes.
CENTRAL = (0.05, 0.95)
# The step of numerical derivatives, as a share of the sums.
STEP = 1e-5
# An effect that is smaller than this share of the largest is a rounding error.
NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class WeightRange:
    """How far one weight may move: within its plateau, and within noise.

    Within `plateau` the rate does not change. Within `low` to `high` it is not significantly higher
    than at the tuned weight. A range without an end is infinite.
    """

    plateau: Stretch
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class WeightCurve:
    """Rates over one weight: on the data that it was tuned on, and held out (nan: not known)."""

    weights: Numbers
    rates: Numbers
    held_out: Numbers


def unit_feature(weights: Numbers) -> int:
    """Return the number of the feature whose weight is 1 or -1: the unit of the others."""
    return 0 if weights[0] > 0 else int(np.argmax(np.abs(weights)))


def weight_range(
    lists: FeatureLists, weights: Numbers, feature: int, confidence: float
) -> WeightRange:
    """Return how far the weight of a feature may move while the others stay."""
    changes = Changes.along(lists, weights, np.eye(len(weights))[feature])
    here = float(weights[feature])
    stretch = stretch_at(changes.plateaus(lists.terms), lists.measure, 0.0)
    low, high = _within_noise(lists, weights, changes, confidence)
    plateau = Stretch(stretch.rate, here + stretch.low, here + stretch.high)
    return WeightRange(plateau, here + min(low, stretch.low), here + max(high, stretch.high))


def _within_noise(
    lists: FeatureLists, weights: Numbers, changes: Changes, confidence: float
) -> tuple[float, float]:
    """Return the positions around 0 between which the rate is not significantly higher.

    The effect of a list is the change of the rate that its other choice makes. On each plateau, the
    sum of the effects is compared with its standard deviation if each effect could as well have the
    other sign, as in a paired permutation test. The smallest effect is subtracted from the sum,
    because the test compares steps (continuity correction). Sums of the effects and of their
    squares are running sums, as those of the terms.
    """
    chosen = lists.choice(weights)
    effects = lists.terms @ _gradient(lists.measure, lists.terms[chosen].sum(axis=0))
    first = effects[changes.first] - effects[chosen]
    after, before = (
        effects[rows] - effects[chosen[changes.lists]] for rows in (changes.rows, changes.before)
    )
    sums = _running(first, after - before)
    squares = _running(np.square(first), np.square(after) - np.square(before))
    sizes = np.abs(np.concatenate([first, after]))
    step = sizes.min(where=sizes > NOISE * sizes.max(), initial=np.inf)
    bound = NormalDist().inv_cdf((1 + confidence) / 2)
    higher = sums - step > bound * np.sqrt(np.maximum(squares, 0))
    starts = np.concatenate([[-np.inf], changes.positions])
    here = int(np.searchsorted(starts, 0.0, side="right")) - 1
    left, right = np.flatnonzero(higher[:here]), np.flatnonzero(higher[here:])
    low = float(starts[left[-1] + 1]) if len(left) else -np.inf
    return low, float(starts[here + right[0]]) if len(right) else np.inf


def _running(first: Numbers, changes: Numbers) -> Numbers:
    return np.concatenate([[first.sum()], changes]).cumsum()


def _gradient(measure: Measure, sums: Statistics) -> Numbers:
    """Return the derivatives of the rate by the sums of its terms; 0 where it is undefined."""
    steps = STEP * np.abs(sums).astype(np.float64)
    changes = measure.rate(sums + np.diag(steps)) - measure.rate(sums - np.diag(steps))
    slopes = np.divide(changes, 2 * steps, out=np.zeros(len(steps)), where=steps > 0)
    return np.asarray(np.nan_to_num(slopes), np.float64)


def weight_curve(
    lists: FeatureLists, weights: Numbers, feature: int, held_out: HeldOut | None
) -> WeightCurve:
    """Return the rate over the weight of a feature; on each fold with the weights of that fold."""
    axis = np.eye(len(weights))[feature]
    changes = Changes.along(lists, weights, axis)
    grid = _grid(changes.positions, float(weights[feature]))
    sums = changes.plateaus(lists.terms).sums_at(grid - weights[feature])
    rates = np.asarray(lists.measure.rate(sums), np.float64)
    return WeightCurve(grid, rates, _held_out_rates(lists, weights, feature, held_out, grid))


def _grid(positions: Numbers, weight: float) -> Numbers:
    """Return weights over the range in which most changes are, the tuned one among them."""
    ends = [weight - 1, weight + 1]
    if len(positions):
        ends = [weight, *(weight + np.quantile(positions, CENTRAL))]
    return np.union1d(np.linspace(min(ends), max(ends), POINTS), [weight])


def _held_out_rates(
    lists: FeatureLists,
    weights: Numbers,
    feature: int,
    held_out: HeldOut | None,
    grid: Numbers,
) -> NDArray[np.float64]:
    """Return rates of all folds together, each with the other weights that were tuned without it.

    They are nan if the weights of a fold have another unit.
    """
    unit = unit_feature(weights)
    if held_out is None or (held_out.weights[:, unit] * weights[unit] <= 0).any():
        return np.full(len(grid), np.nan)
    total: Statistics = np.zeros((len(grid), lists.terms.shape[1]))
    for number, tuned in enumerate(held_out.weights):
        same_unit = tuned / abs(tuned[unit])
        same_unit[feature] = 0.0
        part = lists.take(_fold(held_out, number))
        changes = Changes.along(part, same_unit, np.eye(len(weights))[feature])
        total = total + changes.plateaus(part.terms).sums_at(grid)
    return np.asarray(lists.measure.rate(total), np.float64)


def _fold(held_out: HeldOut, number: int) -> Rows:
    return np.flatnonzero(held_out.fold == number)
