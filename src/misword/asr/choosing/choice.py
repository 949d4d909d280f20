"""The choice of one hypothesis from each list by a metric, and the rule for equally good ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from misword.asr.choosing.hull_minimum import is_exact, lowest_on_hull
from misword.asr.choosing.lists import TOLERANCE, HypothesisLists, Rows
from misword.asr.choosing.ratio_minimum import highest_ratio, lowest_ratio
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import interval
from misword.stat.measure import Measure
from misword.stat.paired import by_block, paired

RANK = "rank"  # the rule that takes the first of equally good hypotheses


@dataclass(frozen=True, slots=True, eq=False)
class JudgedHypotheses:
    """What one metric says of each hypothesis: `terms` has a row for each, list after list."""

    measure: Measure
    terms: Statistics

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
        """Count the lists whose hypotheses this metric tells apart."""
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
