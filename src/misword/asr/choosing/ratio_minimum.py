"""The choice from all lists with the lowest quotient of two sums: Dinkelbach's algorithm.

The rate of a corpus is a quotient of two sums, errors E and size N. If N does not depend on the
choice, as in WER, then the hypothesis with the fewest errors of each list gives the lowest rate. In
MER, N counts the steps of the alignment and depends on the hypothesis: a hypothesis with more
errors can lower the rate of the corpus if it has more steps.

A choice has a rate below q if and only if its sum of E - q N is negative. This sum is lowest if
each list has its own lowest E - q N. So the algorithm begins with the rate q of the first
hypotheses, takes the lowest E - q N of each list, and repeats this with the rate of this choice
until the rate is no lower. The last choice has the lowest rate of all choices. The number of steps
is small: the rates fall faster than in a geometric series.

At the lowest rate, all hypotheses of a list with the lowest E - q N are equally good, in any
combination with those of other lists: these are the ties of the list.

Reference: W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967.
"""

from __future__ import annotations

import numpy as np

from misword.asr.choosing.lists import Costs, HypothesisLists
from misword.core.types import Statistics


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
