"""Search for the weights with the lowest rate, by line searches from several starts.

Each feature is divided by its spread within the lists, so that a step along one axis means as much
as along another. From each start, the search takes the best plateau along each axis and along some
random directions, and repeats this until no direction lowers the rate. It ends in a minimum along
these lines, which need not be the lowest rate of all weights; that is what several starts are for.
At the end each weight is moved to the middle of its plateau, so that weights written with a few
digits, or small differences of the scores, choose the same hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from misword.asr.tuning.envelopes import Numbers
from misword.asr.tuning.feature_lists import FeatureLists
from misword.asr.tuning.line_search import EQUAL, Changes, best_stretch, stretch_at

# Weights that are shorter than this, in spreads, choose nothing: the step is not made.
SHORTEST = 1e-9
# Digits of a float64: more are not needed to write it.
DIGITS = 17
# A search that still finds lower rates after so many rounds is stopped.
ROUNDS = 100


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How weights are searched: the number of starts, and of random directions in each round."""

    starts: int = 5
    directions: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TunedWeights:
    """Weights of the features as they are in the lists, and the rate of what they choose."""

    weights: Numbers
    rate: float


def tune_lists(
    lists: FeatureLists, settings: SearchSettings, start: Numbers | None = None
) -> TunedWeights:
    """Find the weights whose choice has the lowest rate; `start` are weights to begin with.

    The weight of a feature that is constant within each list is 0. Of several starts that lead to
    the same rate, the first counts.
    """
    spreads = lists.spreads()
    active = np.flatnonzero(spreads > 0)
    weights = np.zeros(len(spreads))
    if not len(active):
        return TunedWeights(weights, lists.rate(weights))
    used = FeatureLists(lists.features[active], lists.offsets, lists.terms, lists.measure)
    scaled = used.scaled(spreads[active])
    rng = np.random.default_rng(settings.seed)
    begin = None if start is None else (start * spreads)[active]
    best: Numbers | None = None
    lowest = np.inf
    for first in start_weights(len(active), settings.starts, rng, begin):
        found, rate = _descend(scaled, first, settings.directions, rng)
        if best is None or rate < lowest - EQUAL * abs(lowest):
            best, lowest = found, rate
    assert best is not None
    weights[active] = _centred(scaled, best) / spreads[active]
    weights = normalised(weights)
    return TunedWeights(weights, lists.rate(weights))


def start_weights(
    count: int, starts: int, rng: np.random.Generator, given: Numbers | None
) -> Iterator[Numbers]:
    """Yield weights to begin with: those given, the first feature, all equally, random ones."""
    first = [] if given is None or not given.any() else [given / np.linalg.norm(given)]
    axis = np.zeros(count)
    axis[0] = 1.0
    first += [axis, np.full(count, count**-0.5)]
    yield from first[:starts] if starts else first[:1]
    for _ in range(starts - len(first)):
        yield random_direction(count, rng)


def random_direction(count: int, rng: np.random.Generator) -> Numbers:
    """Return a random vector of length 1."""
    drawn = rng.standard_normal(count)
    return np.asarray(drawn / np.linalg.norm(drawn))


def directions(count: int, random: int, rng: np.random.Generator) -> Iterator[Numbers]:
    """Yield the axes, and random directions if there is more than one axis."""
    yield from np.eye(count)
    if count > 1:
        for _ in range(random):
            yield random_direction(count, rng)


def normalised(weights: Numbers) -> Numbers:
    """Divide weights by the first one, or by the largest absolute one if the first is not above 0.

    >>> normalised(np.array([2.0, 1.0])).tolist(), normalised(np.array([-1.0, 4.0])).tolist()
    ([1.0, 0.5], [-0.25, 1.0])
    """
    divisor = weights[0] if weights[0] > 0 else np.abs(weights).max()
    return np.asarray(weights / divisor if divisor else weights)


def rounded(lists: FeatureLists, tuned: TunedWeights) -> TunedWeights:
    """Round weights to the fewest digits with which they choose the same hypotheses."""
    chosen = lists.choice(tuned.weights)
    for digits in range(2, DIGITS):
        weights = np.array([float(f"{weight:.{digits}g}") for weight in tuned.weights.tolist()])
        if np.array_equal(lists.choice(weights), chosen):
            return TunedWeights(weights, tuned.rate)
    return tuned


def _descend(
    lists: FeatureLists, weights: Numbers, random: int, rng: np.random.Generator
) -> tuple[Numbers, float]:
    """Search along directions until none lowers the rate; return the weights and their rate."""
    rate = _defined(lists.rate(weights))
    for _ in range(ROUNDS):
        before = rate
        for direction in directions(len(weights), random, rng):
            weights, rate = _step(lists, weights, rate, direction)
        if not rate < before:
            break
    return weights, rate


def _step(
    lists: FeatureLists, weights: Numbers, rate: float, direction: Numbers
) -> tuple[Numbers, float]:
    """Move to the best plateau along a direction if its rate is lower."""
    plateaus = Changes.along(lists, weights, direction).plateaus(lists.terms)
    best = best_stretch(plateaus, lists.measure)
    if not best.rate < rate - EQUAL * abs(rate):
        return weights, rate
    moved = weights + best.middle * direction
    length = float(np.linalg.norm(moved))
    if length < SHORTEST:
        return weights, rate
    reached = _defined(lists.rate(moved / length))
    # On a very narrow plateau, rounding may lead to the neighbouring one.
    return (moved / length, reached) if reached < rate else (weights, rate)


def _centred(lists: FeatureLists, weights: Numbers) -> Numbers:
    """Move each weight to the middle of its plateau, if this plateau has two ends."""
    rate = _defined(lists.rate(weights))
    for axis in np.eye(len(weights)):
        plateaus = Changes.along(lists, weights, axis).plateaus(lists.terms)
        here = stretch_at(plateaus, lists.measure, 0.0)
        if np.isfinite([here.low, here.high]).all():
            moved = weights + (here.low + here.high) / 2 * axis
            if _defined(lists.rate(moved)) <= rate:
                weights = moved
    return weights


def _defined(rate: float) -> float:
    """Return the rate; infinity if it is undefined."""
    return np.inf if np.isnan(rate) else rate
