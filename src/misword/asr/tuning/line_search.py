"""Exact search along a line in the space of weights.

With the weights w + t d, the score of a hypothesis is a linear function of t. So the hypothesis
with the highest score of a list changes at a few values of t, and between two such values of all
lists, a *plateau*, no choice changes. The terms of a rate add up over lists: the sums on one
plateau are those on the plateau before it plus the differences of the lists that change between
the two. All rates along the line are therefore known after one pass over the sorted values, without
a grid.

Reference: F. J. Och, Minimum error rate training in statistical machine translation, ACL 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.asr.tuning.envelopes import Numbers, Rows, upper_envelopes
from misword.asr.tuning.feature_lists import FeatureLists
from misword.core.types import Statistics
from misword.stat.measure import Measure

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
class Stretch:
    """Neighbouring plateaus with the same rate: from `low` to `high`."""

    rate: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """The position in the middle, by the angle atan(t), which is finite at infinity.

        >>> Stretch(0.0, -1.0, 1.0).middle, round(Stretch(0.0, 1.0, np.inf).middle, 3)
        (0.0, 2.414)
        """
        return float(np.tan((np.arctan(self.low) + np.arctan(self.high)) / 2))


def best_stretch(plateaus: Plateaus, measure: Measure) -> Stretch:
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
    return Stretch(lowest, float(low[widest]), float(high[widest]))


def stretch_at(plateaus: Plateaus, measure: Measure, position: float) -> Stretch:
    """Return the stretch of plateaus with the same rate around a position of the line."""
    starts, rates = _wide_plateaus(plateaus, measure)
    here = int(np.searchsorted(starts, position, side="right")) - 1
    rate = float(rates[here])
    other = np.flatnonzero(~np.isclose(rates, rate, rtol=EQUAL, atol=0))
    before, after = other[other < here], other[other > here]
    low = float(starts[before[-1] + 1]) if len(before) else -np.inf
    return Stretch(rate, low, float(starts[after[0]]) if len(after) else np.inf)


def _wide_plateaus(plateaus: Plateaus, measure: Measure) -> tuple[Numbers, Numbers]:
    """Return starts and rates of plateaus that are not narrow; undefined rates are infinite."""
    angles = np.arctan(np.append(plateaus.starts, np.inf))
    wide = np.diff(angles) >= NARROW
    wide[0] |= not wide.any()
    rates = np.asarray(measure.rate(plateaus.sums[wide]), np.float64)
    starts = plateaus.starts[wide]
    starts[0] = -np.inf
    return starts, np.where(np.isnan(rates), np.inf, rates)
