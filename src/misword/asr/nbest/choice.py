"""The choice of one hypothesis from each list by a metric, and tables of what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.nbest.lists import TOLERANCE, Costs, HypothesisLists, Rows
from misword.core.lazy import pl
from misword.core.types import Statistics, lists_in_order
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.measure import Measure, MetricColumn
from misword.stat.paired import by_block, paired

# The choice from all lists with the lowest quotient of two sums: Dinkelbach's algorithm.
#
# The rate of a corpus is a quotient of two sums, errors E and size N. If N does not depend on the
# choice, as in WER, then the hypothesis with the fewest errors of each list gives the lowest rate.
# In MER, N counts the steps of the alignment and depends on the hypothesis: a hypothesis with more
# errors can lower the rate of the corpus if it has more steps.
#
# A choice has a rate below q if and only if its sum of E - q N is negative. This sum is lowest if
# each list has its own lowest E - q N. So the algorithm begins with the rate q of the first
# hypotheses, takes the lowest E - q N of each list, and repeats this with the rate of this choice
# until the rate is no lower. The last choice has the lowest rate of all choices. The number of
# steps is small: the rates fall faster than in a geometric series.
#
# At the lowest rate, all hypotheses of a list with the lowest E - q N are equally good, in any
# combination with those of other lists: these are the ties of the list.
#
# Reference: W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.


def lowest_ratio(lists: HypothesisLists, terms: Statistics) -> HypothesisLists:
    """Return the hypotheses of each list that are in a choice with the lowest rate.

    `terms` has a row for each hypothesis; the rate is the sum of the first column of the chosen
    rows divided by the sum of the second.

    >>> lists = HypothesisLists.of(np.array([1, 1, 2]))
    >>> lowest_ratio(lists, np.array([[0, 10], [1, 2], [2, 9]])).rows.tolist()
    [0, 1]
    """
    errors, sizes = terms[:, 0].astype(np.float64), terms[:, 1].astype(np.float64)
    if not lists.spread(sizes).any():
        return lists.with_least(errors)
    best, rate = lists, _rate(lists, errors, sizes)
    while True:
        best = lists.with_least(errors - rate * sizes)
        lower = _rate(best, errors, sizes)
        if not lower < rate:
            return best
        rate = lower


def highest_ratio(lists: HypothesisLists, terms: Statistics) -> HypothesisLists:
    """Return the hypotheses of each list that are in a choice with the highest rate."""
    negative = terms.astype(np.float64)
    negative[:, 0] *= -1
    return lowest_ratio(lists, negative)


def _rate(lists: HypothesisLists, errors: Costs, sizes: Costs) -> float:
    """Return the rate of the first hypotheses of lists; 0 if it is undefined."""
    size = float(sizes[lists.first].sum())
    return float(errors[lists.first].sum()) / size if size > 0 else 0.0


# The choice from all lists with the lowest rate, for rates that are not a quotient of two sums.
#
# Each choice of one hypothesis per list is a point: the sums of the terms of the rate. WIL is 1 -
# H H / (N M), with sums of hits H, reference words N and hypothesis words M. N is usually the same
# for all hypotheses of a list, so the points lie in a plane, with the coordinates H and M. There
# are far too many points to look at all of them. But WIL is quasi-concave: no point between two
# others has a lower rate than both of these. So the lowest rate is that of a corner of the convex
# hull of the points. The corner that lies furthest in a direction is found list by list, because a
# sum is lowest if each of its summands is.
#
# The search begins with the furthest corners in four directions. Between two neighbouring corners,
# all points lie in a triangle: its third corner is where the two lines meet that bound the points.
# If the rate there is not lower than the best known rate, then no point between the two corners is
# better. Otherwise the furthest corner in the direction at right angles to the line between the
# two is found, and both halves are searched in the same way. The result is exact, and few
# directions are needed.
#
# Known problems: if more than two sums depend on the choice (WIL with references that have
# alternatives of different lengths), then only the two that vary most guide the search. The choice
# may then not be the best one; `is_exact` tells.
#
# Reference: M. Eisner, D. Severance, Mathematical techniques for efficient record segmentation in
# large shared databases, Journal of the ACM 23, 1976 (the search for corners).

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
        if (place <= 0).any():  # the rate is not defined there, so it bounds nothing
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


# The choice of one hypothesis from each list by a metric, and the rule for equally good ones.

RANK = "rank"  # the rule that takes the first of equally good hypotheses


@dataclass(frozen=True, slots=True, eq=False)
class JudgedHypotheses:
    """The terms of one metric: `terms` has a row for each hypothesis, list after list."""

    measure: Measure
    terms: Statistics

    @classmethod
    def by_label(
        cls, columns: Iterable[MetricColumn], table: pl.DataFrame
    ) -> dict[str, JudgedHypotheses]:
        """Return the terms of each metric, by its label, from a table of scores."""
        return {
            column.label: cls(column.measure, np.asfortranarray(column.terms(table)))
            for column in columns
        }

    def best(self, lists: HypothesisLists) -> HypothesisLists:
        """Return the hypotheses of each list that are in a choice with the lowest corpus rate."""
        if self.measure.is_quotient:
            return lowest_ratio(lists, self.terms)
        return lowest_on_hull(lists, self.terms, self.measure.rate)

    def worst(self, lists: HypothesisLists) -> HypothesisLists | None:
        """Return the hypotheses of a choice with the highest rate; None if that is not known.

        Only quotients have an exact method for it.
        """
        return highest_ratio(lists, self.terms) if self.measure.is_quotient else None

    def is_exact(self, lists: HypothesisLists) -> bool:
        """Return whether no other choice has a lower rate than the one of `best`."""
        return self.measure.is_quotient or is_exact(lists, self.terms)

    def differing(self, lists: HypothesisLists) -> int:
        """Count the lists whose hypotheses have different terms by this metric."""
        spreads = [lists.spread(column.astype(np.float64)) for column in self.terms.T]
        return int((np.max(spreads, axis=0) > TOLERANCE).sum()) if spreads else 0

    def rate(self, rows: Rows) -> float:
        """Return the corpus rate of chosen rows; nan if it is undefined."""
        return float(self.measure.rate(self.terms[rows].sum(axis=0)))

    def compared(
        self, rows: Rows, baseline: Rows, bootstrap: Bootstrap, blocks: Rows | None = None
    ) -> dict[str, float]:
        """Return the rate of chosen rows and its interval, and the difference from other rows.

        `rows` and `baseline` have a row for each list. The difference has an interval and the
        p-value of a paired test. Lists of one of the `blocks` are resampled together.
        """
        first, terms = (
            self.terms[chosen] if blocks is None else by_block(self.terms[chosen], blocks)
            for chosen in (baseline, rows)
        )
        found = paired(first, terms, self.measure.rate, bootstrap)
        low, high = interval(terms, self.measure.rate, bootstrap)
        return {
            "rate": found.rate,
            "low": low,
            "high": high,
            "difference": found.difference,
            "difference_low": found.low,
            "difference_high": found.high,
            "p": found.p,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The chosen hypothesis of each list, and all that the metric finds equally good."""

    rows: Rows
    tied: HypothesisLists


def choose(
    lists: HypothesisLists, judged: Mapping[str, JudgedHypotheses], by: str, ties: str = RANK
) -> Choice:
    """Choose a hypothesis from each list, by the metric with the label `by`.

    Of equally good hypotheses the first is taken, or the best by the metric with the label `ties`.
    """
    tied = judged[by].best(lists)
    decided = tied if ties in (RANK, by) else judged[ties].best(tied)
    return Choice(decided.first, tied)


# The tables of `misword.oracle` for one system: rates of choices, oracle curves, ties, texts.

# The value of `chosen_by` for the hypotheses of rank 1.
RANK_1 = "rank 1"
# The steps of the default depths, times powers of ten.
STEPS = (1, 2, 5)

Row = dict[str, Any]


def in_list_order(table: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of one system list by list, each in the order of the ranks.

    Lists are in the order of their first rows.
    """

    if lists_in_order(table):
        return table
    numbered = table.select("utt", "rank").with_row_index("row")
    first = pl.col("row").min().over("utt")
    return table[numbered.sort(first, "rank")["row"]]


def default_depths(longest: int) -> tuple[int, ...]:
    """Return the depths 1, 2, 5, 10, 20, ... that are less than the longest list, and its length.

    >>> default_depths(30)
    (1, 2, 5, 10, 20, 30)
    """
    powers = (10**power for power in range(len(str(longest))))
    steps = [step * power for power in powers for step in STEPS]
    return *(depth for depth in steps if depth < longest), longest


class SystemChoices:
    """The choices from the N-best lists of one system, by each metric and depth.

    The hypotheses of rank 1 are the choice at depth 1.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        columns: Sequence[MetricColumn],
        depths: Sequence[int],
        ties: str,
        bootstrap: Bootstrap,
    ) -> None:
        self.table, self.columns, self.bootstrap = in_list_order(table), columns, bootstrap
        self.system = self.table["system"][0]
        self.lists = HypothesisLists.of(self.table["rank"].to_numpy())
        self.depths, self.depth = tuple(depths), max(depths)
        self.judged = JudgedHypotheses.by_label(columns, self.table)
        self.used = self.lists.up_to(self.depth)
        self.choices = {label: choose(self.used, self.judged, label, ties) for label in self.judged}
        self._ties = ties

    def rates(self) -> Iterator[Row]:
        """Yield the rate of each choice by each metric, at the greatest depth."""
        chosen = {RANK_1: self.lists.first, **{by: c.rows for by, c in self.choices.items()}}
        for label in self.judged:
            for by, rows in chosen.items():
                depth = 1 if by == RANK_1 else self.depth
                head = {"system": self.system, "metric": label, "chosen_by": by, "depth": depth}
                yield {**head, **self._numbers(label, rows)}

    def curves(self) -> Iterator[Row]:
        """Yield the rate of each metric's own choice at each depth."""
        lengths = self.lists.lengths
        for label in self.judged:
            for depth in self.depths:
                head = {"system": self.system, "metric": label, "depth": depth}
                numbers = self._numbers(label, self._choice(label, depth).rows)
                yield {**head, **numbers, "shorter": int((lengths < depth).sum())}

    def _choice(self, label: str, depth: int) -> Choice:
        if depth == self.depth:
            return self.choices[label]
        return choose(self.lists.up_to(depth), self.judged, label, self._ties)

    def _numbers(self, label: str, rows: Rows) -> Row:
        """Return the rate of chosen rows and its difference from rank 1, with intervals."""
        numbers = self.judged[label].compared(rows, self.lists.first, self.bootstrap)
        del numbers["p"]  # the best choice cannot be worse than rank 1
        return numbers

    def ties(self) -> Iterator[Row]:
        """Yield how many lists have several best hypotheses, and what their choice can change.

        `lowest` and `highest` are the rates of the best and of the worst choice among hypotheses
        that the choosing metric finds equally good; `own` is the rate of the metric's own choice.
        """
        own = {
            label: judged.rate(self.choices[label].rows) for label, judged in self.judged.items()
        }
        for by, choice in self.choices.items():
            tied = int((choice.tied.lengths > 1).sum())
            for label, judged in self.judged.items():
                rate = judged.rate(choice.rows)
                lowest, highest = (rate, rate) if label == by else self._range(label, choice)
                head = {"system": self.system, "chosen_by": by, "metric": label}
                differing = 0 if label == by else judged.differing(choice.tied)
                counts = {"lists": len(self.lists), "tied": tied, "differing": differing}
                yield {**head, **counts, "rate": rate, "lowest": lowest, "highest": highest,
                       "own": own[label]}  # fmt: skip

    def _range(self, label: str, choice: Choice) -> tuple[float, float]:
        """Return the lowest and the highest rate of a metric over all ways to break ties."""
        judged = self.judged[label]
        worst = judged.worst(choice.tied)
        highest = nan if worst is None else judged.rate(worst.first)
        return judged.rate(judged.best(choice.tied).first), highest

    def chosen(self) -> pl.DataFrame:
        """Return utterance and rank of each choice, and the number of equally good hypotheses."""

        frames = [
            self.table[choice.rows]
            .select("utt", "system", "rank")
            .with_columns(chosen_by=pl.lit(by), best=pl.Series(choice.tied.lengths))
            for by, choice in self.choices.items()
        ]
        return pl.concat(frames)

    def notes(self) -> Iterator[str]:
        """Yield sentences on short lists and on choices that may not be the best."""
        count, lengths = len(self.lists), self.lists.lengths
        single = int((lengths == 1).sum())
        if single:
            yield f"{self.system}: {single:,} of {count:,} lists have one hypothesis"
        shorter = int((lengths < self.depth).sum())
        if shorter and self.depth > 1:
            short = f"{shorter:,} of {count:,} lists have fewer than {self.depth:,} hypotheses"
            yield f"{self.system}: {short}; they are used whole"
        for label, judged in self.judged.items():
            if not judged.is_exact(self.used):
                yield (
                    f"{label}: the references have readings of different lengths, so its choice "
                    "may not have the lowest rate"
                )


def ties_problem(ties: str, labels: Sequence[str]) -> str:
    """Return the problem with a rule for ties; empty if the rule can be used."""
    if ties == RANK or ties in labels:
        return ""
    return f"ties are decided by {ties!r}, which is not among the metrics"
