"""Search for the weights with the lowest rate; cross-validation and resampling of the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from misword.asr.nbest.features import FeatureLists, Numbers, Rows, upper_envelopes
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.types import Statistics, join_ranges
from misword.stat.measure import Measure

# Exact search along a line in the space of weights.
#
# With the weights w + t d, the score of a hypothesis is a linear function of t. So the hypothesis
# with the highest score of a list changes at a few values of t, and between two such values of all
# lists, a *plateau*, no choice changes. The terms of a rate add up over lists: the sums on one
# plateau are those on the plateau before it plus the differences of the lists that change between
# the two. All rates along the line are therefore known after one pass over the sorted values,
# without a grid.
#
# Reference: F. J. Och, Minimum error rate training in statistical machine translation, ACL 2003.

# Rates that differ by less than this share are equal: the same costs were added in another order.
EQUAL = 1e-12
# Plateaus that are narrower than this angle are effects of rounding.
NARROW = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Plateaus:
    """The sums of the terms on each plateau of a line.

    Plateau `p` lies between `starts[p]` and `starts[p + 1]`; the first begins at minus infinity,
    and the last has no end.
    """

    starts: Numbers
    sums: Statistics

    def sums_at(self, positions: Numbers) -> Statistics:
        """Return the sums at positions of the line."""
        return np.asarray(self.sums[np.searchsorted(self.starts, positions, side="right") - 1])


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What changes along a line: at each of the sorted `positions` one of the `lists`.

    `rows` are the hypotheses that become the highest there, `before` those that were it. `first`
    are the hypotheses that are the highest at minus infinity, one for each list.
    """

    positions: Numbers
    lists: Rows
    rows: Rows
    before: Rows
    first: Rows

    @classmethod
    def along(cls, lists: FeatureLists, weights: Numbers, direction: Numbers) -> Changes:
        """Find the changes along the line of the weights `weights + t * direction`."""
        scores, slopes = lists.scores(weights), lists.scores(direction)
        envelopes = upper_envelopes(scores, slopes, lists.offsets)
        later = np.ones(len(envelopes.rows), np.bool_)
        later[envelopes.at[:-1]] = False
        places = np.flatnonzero(later)
        places = places[np.argsort(envelopes.starts[places], kind="stable")]
        numbers = np.repeat(np.arange(len(lists)), np.diff(envelopes.at))
        rows = envelopes.rows
        return cls(envelopes.starts[places], numbers[places], rows[places], rows[places - 1],
                   rows[envelopes.at[:-1]])  # fmt: skip

    def plateaus(self, terms: Statistics) -> Plateaus:
        """Return the sums of the terms of all hypotheses that are chosen on each plateau.

        Sums of whole numbers are exact.
        """
        differences, first = terms[self.rows] - terms[self.before], terms[self.first]
        sums = np.concatenate([first.sum(axis=0)[None], differences]).cumsum(axis=0)
        starts = np.concatenate([[-np.inf], self.positions])
        # Lists that change at the same position change together.
        last = np.append(starts[1:] != starts[:-1], True)
        kept = np.flatnonzero(last)
        return Plateaus(starts[np.concatenate([[-1], kept[:-1]]) + 1], sums[kept])


@dataclass(frozen=True, slots=True)
class RateStretch:
    """Neighbouring plateaus with the same rate: from `low` to `high`."""

    rate: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """The position in the middle, by the angle atan(t), which is finite at infinity.

        >>> RateStretch(0.0, -1.0, 1.0).middle, round(RateStretch(0.0, 1.0, np.inf).middle, 3)
        (0.0, 2.414)
        """
        return float(np.tan((np.arctan(self.low) + np.arctan(self.high)) / 2))


def best_stretch(plateaus: Plateaus, measure: Measure) -> RateStretch:
    """Return the stretch with the lowest rate, the widest one (by angle) if there are several.

    The rate is infinite if it is undefined on all plateaus.
    """
    starts, rates = _wide_plateaus(plateaus, measure)
    lowest = float(rates.min())
    good = rates <= lowest + EQUAL * abs(lowest)
    edges = np.diff(np.concatenate([[False], good, [False]]).astype(np.int8))
    ends = np.append(starts, np.inf)
    low, high = starts[np.flatnonzero(edges == 1)], ends[np.flatnonzero(edges == -1)]
    widest = int(np.argmax(np.arctan(high) - np.arctan(low)))
    return RateStretch(lowest, float(low[widest]), float(high[widest]))


def stretch_at(plateaus: Plateaus, measure: Measure, position: float) -> RateStretch:
    """Return the stretch of plateaus with the same rate around a position of the line."""
    starts, rates = _wide_plateaus(plateaus, measure)
    here = int(np.searchsorted(starts, position, side="right")) - 1
    rate = float(rates[here])
    other = np.flatnonzero(~np.isclose(rates, rate, rtol=EQUAL, atol=0))
    before, after = other[other < here], other[other > here]
    low = float(starts[before[-1] + 1]) if len(before) else -np.inf
    return RateStretch(rate, low, float(starts[after[0]]) if len(after) else np.inf)


def _wide_plateaus(plateaus: Plateaus, measure: Measure) -> tuple[Numbers, Numbers]:
    """Return starts and rates of plateaus that are not narrow; undefined rates are infinite."""
    angles = np.arctan(np.append(plateaus.starts, np.inf))
    wide = np.diff(angles) >= NARROW
    wide[0] |= not wide.any()
    rates = np.asarray(measure.rate(plateaus.sums[wide]), np.float64)
    starts = plateaus.starts[wide]
    starts[0] = -np.inf
    return starts, np.where(np.isnan(rates), np.inf, rates)


# Search for the weights with the lowest rate, by line searches from several starts.
#
# Each feature is divided by its spread within the lists, so that a step along one axis means as
# much as along another. From each start, the search takes the best plateau along each axis and
# along some random directions, and repeats this until no direction lowers the rate. It ends in a
# minimum along these lines, which need not be the lowest rate of all weights; that is what several
# starts are for. At the end each weight is moved to the middle of its plateau, so that weights
# written with a few digits, or small differences of the scores, choose the same hypotheses.

# A step to a vector of weights shorter than this, in spreads, is not made: it would choose nothing.
SHORTEST = 1e-9
# Significant digits that are enough to write any float64.
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


# Cross-validation: what weights choose from lists that they were not tuned on.


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The choice from each list by weights that were tuned on the lists of the other folds.

    `rows` are the chosen rows of the data, `fold` the number of each list's fold. `weights` has a
    row for each fold, `tuned` the rate that they have on the lists they were tuned on.
    """

    rows: Rows
    fold: NDArray[np.int64]
    weights: Numbers
    tuned: Numbers


def check_folds(folds: int) -> None:
    """Raise unless there are 2 folds or more, or none."""
    if folds < 0 or folds == 1:
        raise OptionError(f"folds is {folds}", fix="use 2 or more, or 0 for none")


def fold_numbers(blocks: Rows, folds: int, seed: int) -> Rows:
    """Return the number of each list's fold, from 0; lists of one block are in the same fold.

    >>> fold_numbers(np.array([0, 0, 1, 2]), 2, 0).tolist()
    [0, 0, 0, 1]
    """
    count = int(blocks.max()) + 1
    return np.asarray((np.random.default_rng(seed).permutation(count) % folds)[blocks], np.int64)


def held_out(
    lists: FeatureLists,
    blocks: Rows,
    folds: int,
    settings: SearchSettings,
    start: Numbers | None,
) -> HeldOut:
    """Tune on all folds but one, and choose from the lists of that one; for each fold."""
    fold = fold_numbers(blocks, folds, settings.seed)
    rows = np.empty(len(lists), np.int64)
    weights, tuned = [], []
    with progress("tuning on folds", folds) as step:
        for number in range(folds):
            test = np.flatnonzero(fold == number)
            found = tune_lists(lists.take(np.flatnonzero(fold != number)), settings, start)
            part = lists.take(test)
            rows[test] = lists.offsets[test] + part.choice(found.weights) - part.offsets[:-1]
            weights.append(found.weights)
            tuned.append(found.rate)
            step(1)
    return HeldOut(rows, fold, np.array(weights), np.array(tuned))


# How much the tuned weights depend on the sample of lists.
#
# The lists are drawn with replacement, by whole blocks if there are blocks, and the weights are
# tuned again on each resample, from the tuned weights and from the first feature alone.

STARTS = 2


@dataclass(frozen=True, slots=True, eq=False)
class ResampledWeights:
    """The weights that were tuned on resamples, a row for each.

    `changed` is the share of the lists of the data from which they choose another hypothesis than
    the tuned weights, `rates` the rate that they have on the data.
    """

    weights: Numbers
    changed: Numbers
    rates: Numbers


def resampled_weights(
    lists: FeatureLists, blocks: Rows, tuned: TunedWeights, times: int, settings: SearchSettings
) -> ResampledWeights:
    """Tune the weights on resamples of the lists."""
    rng = np.random.default_rng(settings.seed)
    search = replace(settings, starts=STARTS)
    chosen = lists.choice(tuned.weights)
    weights = np.empty((times, len(tuned.weights)))
    changed, rates = np.empty(times), np.empty(times)
    with progress("tuning on resamples", times) as step:
        for number in range(times):
            sample = lists.take(draw_lists(blocks, rng))
            weights[number] = tune_lists(sample, search, tuned.weights).weights
            other = lists.choice(weights[number])
            changed[number] = np.mean(other != chosen)
            rates[number] = lists.measure.rate(lists.terms[other].sum(axis=0))
            step(1)
    return ResampledWeights(weights, changed, rates)


def draw_lists(blocks: Rows, rng: np.random.Generator) -> Rows:
    """Draw as many blocks as there are, with replacement; return the lists of the drawn ones."""
    order = np.argsort(blocks, kind="stable")
    sizes = np.bincount(blocks)
    starts = np.cumsum(sizes) - sizes
    drawn = rng.integers(len(sizes), size=len(sizes))
    return np.asarray(order[join_ranges(starts[drawn], sizes[drawn])], np.int64)
