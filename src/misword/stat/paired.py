"""The difference of two systems' rates on the same utterances: intervals and a test.

Both systems transcribed the same speech, so a hard utterance is hard for both. A resample therefore
draws utterances together with the results of both systems, and the difference of the two rates
varies far less than the rates themselves. Intervals come from this paired bootstrap, with the
levels of `stat.intervals`; p-values come from a paired permutation test (`stat.permutation`).

Utterances of one speaker or one document are not independent. Tests of single utterances then
report chance differences as significant; tests of whole blocks do not (`by_block`).

References: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004; P. Koehn, Statistical significance tests for machine translation
evaluation, EMNLP 2004; Z. Liu, F. Peng, Statistical testing on ASR performance via blockwise
bootstrap, Interspeech 2020; S. Holm, A simple sequentially rejective multiple test procedure,
Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError
from misword.core.types import Statistics
from misword.stat.bootstrap import DEFAULT, Bootstrap, DistinctRows, distinct, resample
from misword.stat.exact_sums import exact_sums
from misword.stat.intervals import jackknife, percentiles
from misword.stat.measure import ratio
from misword.stat.permutation import permutation_p, swap_effects

# Relative rounding error between sums of the same numbers in different orders.
NOISE = 1e-12
# Rates of one utterance that differ by less are equal: the same costs were added in another order.
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """Rates of a system and of the baseline, their difference and the relative change.

    A negative difference is an improvement, since lower rates are better. nan means undefined.
    """

    rate: float
    baseline_rate: float
    difference: float
    low: float
    high: float
    relative: float
    relative_low: float
    relative_high: float
    p: float


def paired(
    baseline: Statistics,
    system: Statistics,
    rate: Callable[[Statistics], Statistics],
    bootstrap: Bootstrap = DEFAULT,
) -> Difference:
    """Compute the difference of two systems' rates, its intervals and its p-value.

    `baseline` and `system` are the terms of a metric, one row per utterance (or block), in the same
    order; which order that is does not matter. Intervals come from a paired bootstrap. The p-value
    is that of a two-sided paired permutation test; it does not depend on the number of resamples
    and is never 0.

    Resamples in which a rate is undefined are left out. With fewer than two rows, the intervals and
    the p-value are nan; with 0 resamples, the intervals. Equal terms have p = 1.

    Known problems: with fewer than ten rows, intervals are too narrow; rely on p there.

    >>> terms = np.array([[1, 10], [3, 12], [0, 8], [2, 10]])
    >>> better = terms - [[1, 0], [1, 0], [0, 0], [0, 0]]
    >>> result = paired(terms, better, lambda terms: terms[..., 0] / terms[..., 1])
    >>> result.baseline_rate, result.rate, round(result.relative, 4)
    (0.15, 0.1, -0.3333)
    """
    if baseline.shape != system.shape:
        raise MismatchError(f"{len(baseline)} rows of the baseline, {len(system)} of the system")
    return paired_sample(distinct(np.hstack([baseline, system])), rate, bootstrap)


def paired_sample(
    sample: DistinctRows,
    rate: Callable[[Statistics], Statistics],
    bootstrap: Bootstrap = DEFAULT,
) -> Difference:
    """Compute what `paired` does from distinct rows: terms of the baseline, then of the system."""
    width = sample.rows.shape[1] // 2
    sides = sample.rows[:, :width], sample.rows[:, width:]
    sums = exact_sums(sample)
    before, after = (float(rate(side)) for side in (sums[:width], sums[width:]))
    difference = after - before
    if abs(difference) <= NOISE * (abs(before) + abs(after)):
        difference = 0.0
    relative = float(_relative(np.array(before), np.array(after))) if difference else 0.0
    if sample.size < 2 or isnan(difference):
        return Difference(after, before, difference, nan, nan, relative, nan, nan, nan)
    effects = swap_effects(*sides, rate, sample.counts)
    p = permutation_p(effects, sample.counts) if difference else 1.0
    if not bootstrap.times:
        return Difference(after, before, difference, nan, nan, relative, nan, nan, p)
    if np.array_equal(*sides):  # in resamples the two could differ by rounding
        return Difference(after, before, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, p)

    def change(terms: Statistics) -> Statistics:
        return np.asarray(rate(terms[..., width:]) - rate(terms[..., :width]))

    drawn = resample(sample, bootstrap)
    # The relative change has the sign of the difference, so both intervals have the same levels.
    levels = jackknife(sample, change).symmetric_levels(bootstrap.confidence)
    return Difference(
        after,
        before,
        difference,
        *percentiles(change(drawn), levels),
        relative,
        *percentiles(_relative(rate(drawn[:, :width]), rate(drawn[:, width:])), levels),
        p,
    )


def direction(before: Statistics, after: Statistics) -> NDArray[np.float64]:
    """Return -1 where a rate fell, 1 where it rose, 0 where both are equal up to rounding.

    The value is nan where a rate is undefined.

    >>> direction(np.array([0.5, 0.5, 0.3]), np.array([0.4, 0.5, 0.1 + 0.2])).tolist()
    [-1.0, 0.0, 0.0]
    """
    signs = np.sign(after - before)
    signs[np.isclose(before, after, rtol=NEAR, atol=NEAR)] = 0
    return np.asarray(signs)


def by_block(terms: Statistics, blocks: NDArray[np.int64]) -> Statistics:
    """Sum the rows of each block, numbered from 0, so that `paired` resamples whole blocks.

    >>> by_block(np.array([[1, 10], [3, 12], [0, 8]]), np.array([0, 1, 0])).tolist()
    [[1, 18], [3, 12]]
    """
    if terms.dtype.kind == "f":  # added in ascending order, so that the order does not matter
        order = np.lexsort(terms.T)
        terms, blocks = terms[order], blocks[order]
    sums = [np.bincount(blocks, weights=column) for column in terms.T]
    return np.stack(sums, axis=1).astype(terms.dtype)


def holm(p: Sequence[float]) -> NDArray[np.float64]:
    """Adjust p-values for multiple comparisons by Holm's procedure; nan values do not count.

    The adjusted values control the family-wise error rate, the probability of at least one false
    positive, whatever the dependence between the tests.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    values = np.array(p, np.float64)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # nan comes last
    raised = values[order] * np.arange(len(order), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return values


def _relative(before: Statistics, after: Statistics) -> Statistics:
    """Return the relative change; nan where the rate before was 0."""
    return ratio(after - before, before)
