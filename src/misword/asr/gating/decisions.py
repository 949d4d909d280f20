"""How the conditions of a gate are decided.

The largest rate (`max`) is compared with the measured rate. Its interval is shown, but does not
decide: a limit is an agreement, and the same data must give the same outcome.

`no-worse` is a pair of one-sided tests with a margin. With d = rate - baseline rate, the condition
has passed if "d is the margin or more" can be rejected (a test of non-inferiority), and failed if
"d is at most the margin" can be rejected. If neither can be rejected, it is undecided. So it never
fails because the rate is lower than that of the baseline.

Reference: G. Piaggio et al., Reporting of noninferiority and equivalence randomized trials, JAMA
308, 2012 (margins of non-inferiority); S. Holm, A simple sequentially rejective multiple test
procedure, Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, isnan

import numpy as np
from numpy.typing import NDArray

from misword.asr.gating.condition import Condition, Outcome
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import interval
from misword.stat.measure import MetricColumn
from misword.stat.paired import by_block, holm, paired

UNDEFINED = "the references have nothing to measure"


@dataclass(frozen=True, slots=True)
class Sample:
    """How the rows are resampled: the settings, and the block of each utterance if there are any.

    `units` is what the rows are called in messages.
    """

    bootstrap: Bootstrap
    blocks: NDArray[np.int64] | None = None
    units: str = "utterances"

    def rows(self, terms: Statistics) -> Statistics:
        """Return the terms of each utterance, or their sums over each block."""
        return terms if self.blocks is None else by_block(terms, self.blocks)


def below_limit(column: MetricColumn, terms: Statistics, limit: float, sample: Sample) -> Condition:
    """Decide whether the rate is at most `limit`; an undefined rate fails."""
    rate = _rate(column, terms)
    low, high = interval(sample.rows(terms), column.measure.rate, sample.bootstrap)
    outcome: Outcome = "passed" if rate <= limit else "failed"
    reason = UNDEFINED if isnan(rate) else ""
    return Condition("max", column.label, outcome, rate, limit, low, high, reason=reason)


def against_baseline(
    column: MetricColumn, baseline: Statistics, new: Statistics, margin: float, sample: Sample
) -> Condition:
    """Test whether the rate rose by less than `margin`; p-values are not yet corrected.

    The margin is added to the rate of the baseline, so that `paired` tests the difference beyond
    the margin. Half the two-sided p-value is the one-sided one. If the systems differ in n
    utterances, these are all worse by chance with probability 1 / 2^n; p_worse is at least that.
    """
    rates = _rate(column, baseline), _rate(column, new)
    condition = Condition(
        kind="no-worse",
        metric=column.label,
        outcome="undecided",
        rate=rates[1],
        limit=margin,
        baseline_rate=rates[0],
        difference=rates[1] - rates[0],
    )
    if isnan(condition.difference):
        return replace(condition, outcome="failed", reason=UNDEFINED)
    rows = sample.rows(baseline), sample.rows(new)
    differing = int((rows[0] != rows[1]).any(axis=1).sum())
    if not differing:
        return replace(condition, outcome="passed", reason=f"the same in all {sample.units}")
    found = paired(*_marked(rows), _shifted(column, margin / len(rows[0])), sample.bootstrap)
    half = found.p / 2 if found.difference else 0.5
    below, above = (half, 1 - half) if found.difference < 0 else (1 - half, half)
    return replace(
        condition,
        low=found.low + margin,
        high=found.high + margin,
        p_no_worse=below,
        p_worse=max(above, 0.5**differing),
        reason=f"too few {sample.units} ({len(rows[0]):,})",
    )


def _rate(column: MetricColumn, terms: Statistics) -> float:
    """Return the rate over all rows, from sums without rounding."""
    return float(column.measure.rate(np.array([fsum(term) for term in terms.T])))


def _marked(sides: tuple[Statistics, Statistics]) -> tuple[Statistics, Statistics]:
    """Return the terms with one more column: 1 for the baseline, the first side, else 0."""
    last = ((0, 0), (0, 1))
    baseline, new = sides
    return np.pad(baseline, last, constant_values=1), np.pad(new, last, constant_values=0)


def _shifted(column: MetricColumn, share: float) -> Callable[[Statistics], Statistics]:
    """Return the rate of marked terms, to which a share of the margin is added for each mark.

    A linear function of the marks can be tested by resamples and by permutations alike.
    """

    def rate(terms: Statistics) -> Statistics:
        shifted: Statistics = column.measure.rate(terms[..., :-1]) + share * terms[..., -1]
        return shifted

    return rate


def decide(tested: Sequence[Condition], level: float) -> list[Condition]:
    """Correct the p-values of `no-worse` conditions by Holm's method, and decide at `level`."""
    no_worse = holm([condition.p_no_worse for condition in tested]).tolist()
    worse = holm([condition.p_worse for condition in tested]).tolist()
    return [
        _decided(replace(condition, p_no_worse=passing, p_worse=failing), level)
        for condition, passing, failing in zip(tested, no_worse, worse, strict=True)
    ]


def _decided(condition: Condition, level: float) -> Condition:
    """Return a condition with the outcome that its corrected p-values give."""
    if condition.p_no_worse < level:
        return replace(condition, outcome="passed", reason="")
    if condition.p_worse < level:
        return replace(condition, outcome="failed", reason="")
    return condition
