"""Is one system better than another on the same utterances, and by how much?

Both systems heard the same speech, so a hard utterance is hard for both: utterances are resampled
together with what either system made of them, and the difference of the two rates varies far less
than the rates do.

Utterances of one speaker or one document are not independent. Resampling them one by one then takes
chance for a difference; resampling whole blocks does not (`by_block`).

References: M. Bisani, H. Ney, Bootstrap estimates for confidence intervals in ASR performance
evaluation, ICASSP 2004; P. Koehn, Statistical significance tests for machine translation
evaluation, EMNLP 2004; Z. Liu, F. Peng, Statistical testing on ASR performance via blockwise
bootstrap, Interspeech 2020; S. Holm, A simple sequentially rejective multiple test procedure,
Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, isnan, nan

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError
from misword.stat.resampling import Statistics, resample

# Sums of the same numbers in another order differ by about this share of a rate.
NOISE = 1e-12
# Rates of one utterance that are this near are equal: the same prices were added in another order.
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a system is from the baseline: rates, difference, relative change; nan: undefined.

    Negative is a gain, as for all rates lower is better.
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
    *,
    times: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Difference:
    """The difference of two systems' rates, with intervals and a p-value, by paired bootstrap.

    `baseline` and `system` are the terms of a metric, a row per utterance (or block) in the same
    order. The p-value is two-sided: how often resamples stray from the difference found by as much
    as that is from none, (1 + such resamples) / (1 + resamples), so never 0. Few rows stray too
    little, and by how much is uncertain: the spread is corrected as in Student's test, which
    matters below some thirty rows. As n rows all agree in sign by chance 2 times in 2^n, p is at
    least that.

    Resamples in which a rate is undefined are left out. With fewer than two rows, or `times` below
    1, there are no intervals and no p-value. Equal terms have p = 1.

    Known problems: the intervals are plain percentiles, too narrow where there are few rows; there
    p is the better guide.

    >>> terms = np.array([[1, 10], [3, 12], [0, 8], [2, 10]])
    >>> better = terms - [[1, 0], [1, 0], [0, 0], [0, 0]]
    >>> found = paired(terms, better, lambda terms: terms[..., 0] / terms[..., 1])
    >>> found.baseline_rate, found.rate, round(found.relative, 4)
    (0.15, 0.1, -0.3333)
    """
    if baseline.shape != system.shape:
        raise MismatchError(f"{len(baseline)} rows of the baseline, {len(system)} of the system")
    before, after = (float(rate(_totals(side))) for side in (baseline, system))
    difference = after - before
    if abs(difference) <= NOISE * (abs(before) + abs(after)):
        difference = 0.0
    relative = float(_relative(np.array(before), np.array(after))) if difference else 0.0
    if len(baseline) < 2 or times < 1 or isnan(difference):
        return Difference(after, before, difference, nan, nan, relative, nan, nan, nan)
    if np.array_equal(baseline, system):  # in resamples the two could differ by rounding
        return Difference(after, before, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    sums = resample(np.hstack([baseline, system]), times, seed)
    width = baseline.shape[1]
    drawn_before, drawn_after = rate(sums[:, :width]), rate(sums[:, width:])
    drawn = drawn_after - drawn_before
    return Difference(
        after,
        before,
        difference,
        *_percentiles(drawn, confidence),
        relative,
        *_percentiles(_relative(drawn_before, drawn_after), confidence),
        _p(drawn, difference, rows=len(baseline), noise=NOISE * (before + after), seed=seed),
    )


def direction(before: Statistics, after: Statistics) -> NDArray[np.float64]:
    """Which way rates went: -1 down, 1 up, 0 nowhere but for rounding, nan if either is undefined.

    >>> direction(np.array([0.5, 0.5, 0.3]), np.array([0.4, 0.5, 0.1 + 0.2])).tolist()
    [-1.0, 0.0, 0.0]
    """
    found = np.sign(after - before)
    found[np.isclose(before, after, rtol=NEAR, atol=NEAR)] = 0
    return np.asarray(found)


def by_block(terms: Statistics, blocks: NDArray[np.int64]) -> Statistics:
    """Sums of the rows of each block, numbered from 0: rows that `paired` resamples as one.

    >>> by_block(np.array([[1, 10], [3, 12], [0, 8]]), np.array([0, 1, 0])).tolist()
    [[1, 18], [3, 12]]
    """
    sums = [np.bincount(blocks, weights=column) for column in terms.T]
    return np.stack(sums, axis=1).astype(terms.dtype)


def holm(p: Sequence[float]) -> NDArray[np.float64]:
    """P-values adjusted for being several, by Holm's steps; undefined ones (nan) do not count.

    Among all of them, the chance that any difference found is none stays what it would be for one;
    nothing is assumed about how they depend on each other.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    values = np.array(p, np.float64)
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # nan comes last
    raised = values[order] * np.arange(len(order), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return values


def _totals(terms: Statistics) -> Statistics:
    """Sums that are the same in whatever order the rows are."""
    if terms.dtype.kind != "f":
        return np.asarray(terms.sum(axis=0))
    return np.array([fsum(column) for column in terms.T])


def _relative(before: Statistics, after: Statistics) -> Statistics:
    """Relative change; undefined (nan) where there was nothing before."""
    undefined = np.full(before.shape, np.nan)
    changed: Statistics = np.divide(after - before, before, out=undefined, where=before > 0)
    return changed


def _percentiles(values: Statistics, confidence: float) -> tuple[float, float]:
    values = values[~np.isnan(values)]
    if not len(values):
        return nan, nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _p(drawn: Statistics, difference: float, *, rows: int, noise: float, seed: int) -> float:
    """How often chance alone goes as far as the difference."""
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return nan
    # The mean of a resample of n rows varies by (n - 1) / n of what it should; and the rows' own
    # variance is an estimate, off by a chi-square factor: together Student's t for a normal mean.
    chance = np.random.default_rng((seed, rows)).chisquare(rows - 1, len(drawn))
    strayed = np.abs(drawn - difference) * np.sqrt(rows / chance)
    share = float(1 + np.count_nonzero(strayed >= abs(difference) - noise)) / (1 + len(drawn))
    return max(share, 2.0 ** (1 - rows))
