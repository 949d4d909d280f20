"""The choice from all lists with the lowest rate, for rates that are no quotient of two sums.

Each choice of one hypothesis per list is a point: the sums of the terms of the rate. WIL is
1 - H H / (N M), with sums of hits H, reference words N and hypothesis words M. N is usually the
same for all hypotheses of a list, so the points lie in a plane, with the coordinates H and M. There
are far too many points to look at all of them. But WIL is quasi-concave: no point between two
others has a lower rate than both of these. So the lowest rate is that of a corner of the convex
hull of the points. The corner that lies furthest in a direction is found list by list, because a
sum is lowest if each of its summands is.

The search begins with the furthest corners in four directions. Between two neighbouring corners,
all points lie in a triangle: its third corner is where the two lines meet that bound the points. If
the rate there is not lower than the best known rate, then no point between the two corners is
better. Otherwise the furthest corner in the direction at right angles to the line between the two
is found, and both halves are searched in the same way. The result is exact, and few directions are
needed.

Known problems: if more than two sums depend on the choice (WIL with references that have
alternatives of different lengths), then only the two that vary most guide the search. The choice
may then not be the best one; `is_exact` tells.

Reference: M. Eisner, D. Severance, Mathematical techniques for efficient record segmentation in
large shared databases, Journal of the ACM 23, 1976 (the search for corners).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.core.types import Statistics

Rate = Callable[[Statistics], Statistics]
Direction = NDArray[np.int64] | NDArray[np.float64]

AXES = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Corner(NamedTuple):
    """A corner of the hull: the direction in which it is furthest, its sums, its rows, its rate."""

    direction: Direction
    sums: Statistics
    rows: Rows
    rate: float


def lowest_on_hull(lists: HypothesisLists, terms: Statistics, rate: Rate) -> HypothesisLists:
    """Return the hypotheses of each list that have the terms of the choice with the lowest rate.

    `terms` has a row for each hypothesis; `rate` computes a rate from sums of terms and must be
    quasi-concave.

    >>> lists = HypothesisLists.of(np.array([1, 2, 1, 2]))
    >>> terms = np.array([[3, 4, 5], [2, 4, 2], [1, 2, 1], [0, 2, 0]])
    >>> wil = lambda sums: 1 - sums[..., 0] ** 2 / (sums[..., 1] * sums[..., 2])
    >>> lowest_on_hull(lists, terms, wil).rows.tolist()
    [1, 2]
    """
    if not len(lists):
        return lists
    varying = varying_terms(lists, terms)
    rows = lists.first
    if varying:
        rows = _Search(lists, terms, rate, varying[:2]).run().rows
    same = (terms[lists.rows] == np.repeat(terms[rows], lists.lengths, axis=0)).all(axis=1)
    return lists.with_least(np.where(same, 0.0, 1.0))


def is_exact(lists: HypothesisLists, terms: Statistics) -> bool:
    """Return whether `lowest_on_hull` finds the lowest rate for certain."""
    return len(varying_terms(lists, terms)) <= 2


def varying_terms(lists: HypothesisLists, terms: Statistics) -> list[int]:
    """Return the columns that differ within a list, those with the widest range of sums first."""
    ranges = np.array([lists.spread(column).sum() for column in terms.T])
    return [int(at) for at in np.argsort(-ranges, kind="stable") if ranges[at] > 0]


class _Search:
    """The search for the corner of the hull with the lowest rate."""

    def __init__(
        self, lists: HypothesisLists, terms: Statistics, rate: Rate, varying: list[int]
    ) -> None:
        self.lists, self.terms, self.rate = lists, terms, rate
        self.columns = varying if len(varying) == 2 else varying * 2
        self.best: Corner | None = None

    def run(self) -> Corner:
        """Return the corner with the lowest rate."""
        corners = [self.furthest(np.array(axis)) for axis in AXES]
        open_sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        while open_sides:
            left, right = open_sides.pop()
            if not self.may_be_lower(left, right):
                continue
            between = self.furthest(_normal(left, right, self.columns))
            if _distance(between, left, self.columns) > 0:
                open_sides += [(left, between), (between, right)]
        assert self.best is not None  # there are four corners at least
        return self.best

    def furthest(self, direction: Direction) -> Corner:
        """Return the choice that has the lowest sum of products with a direction."""
        costs = self.terms[:, self.columns] @ direction
        rows = self.lists.with_least(costs.astype(np.float64)).first
        sums = self.terms[rows].sum(axis=0)
        corner = Corner(direction, sums, rows, float(self.rate(sums)))
        if self.best is None or not corner.rate >= self.best.rate:
            self.best = corner
        return corner

    def may_be_lower(self, left: Corner, right: Corner) -> bool:
        """Return whether a point between two corners may have a lower rate than the best one."""
        place = _meeting_place(left, right, self.columns)
        if place is None:
            return False
        if (place <= 0).any():  # the rate of empty texts is no bound
            return True
        sums = left.sums.astype(np.float64)
        sums[self.columns] = place
        assert self.best is not None
        return not float(self.rate(sums)) >= self.best.rate


def _normal(left: Corner, right: Corner, columns: list[int]) -> Direction:
    """Return the direction between those of two corners in which both are equally far."""
    x, y = (right.sums - left.sums)[columns]
    normal = np.array([y, -x])
    return normal if normal @ (left.direction + right.direction) > 0 else -normal


def _distance(point: Corner, left: Corner, columns: list[int]) -> float:
    """Return how far a corner lies beyond the line through another, in its own direction."""
    return float((left.sums - point.sums)[columns] @ point.direction)


def _meeting_place(left: Corner, right: Corner, columns: list[int]) -> Statistics | None:
    """Return where the lines through two corners meet; None if the corners are the same."""
    if (left.sums[columns] == right.sums[columns]).all():
        return None
    matrix = np.stack([left.direction, right.direction]).astype(np.float64)
    bounds = [corner.direction @ corner.sums[columns] for corner in (left, right)]
    return np.linalg.solve(matrix, np.array(bounds, np.float64))
