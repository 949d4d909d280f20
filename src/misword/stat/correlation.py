"""Correlation of columns, with bootstrap intervals over their rows.

Pearson's, Spearman's and Kendall's coefficients (tau-b) come from scipy. For the intervals rows are
drawn with replacement, and all three are taken anew from each of the resamples.

Known problems: percentile intervals of few rows (some dozens of blocks) are too narrow, and rows
that depend on each other, such as utterances of one speaker, make them narrower still.

Reference: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.workers import run
from misword.stat.weighted_correlation import (
    COEFFICIENTS,
    Column,
    Group,
    Numbers,
    Weights,
    groups,
)

# Rows times resamples that are in memory at once, for each thread.
CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient and its interval; nan where it is undefined: one row, or one value only."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Correlated:
    """How two columns go together.

    `rows` is the mean number of rows that have both values, over the tables in which the
    coefficients are defined, `tables` how many tables those are; `left_out` counts the rows of all
    tables that lack a value.
    """

    pearson: Correlation
    spearman: Correlation
    kendall: Correlation
    rows: float
    left_out: int
    tables: int = 1


def correlation(
    left: Any, right: Any, *, times: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Correlated:
    """The three coefficients of two columns; rows with a nan in either are left out and counted.

    >>> found = correlation([1, 2, 3, 4], [1, 3, 2, 4], times=0)
    >>> [round(c.value, 3) for c in (found.pearson, found.spearman, found.kendall)]
    [0.8, 0.8, 0.667]
    """
    table = np.column_stack([np.asarray(left, np.float64), np.asarray(right, np.float64)])
    return correlations([table], [(0, 1)], times=times, confidence=confidence, seed=seed)[0]


def correlations(
    tables: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    *,
    times: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> list[Correlated]:
    """The coefficients of pairs of columns, the mean over tables that have the same rows.

    Each table has a row per utterance and a column per metric; a resample draws the same rows of
    all of them. A table in which a coefficient is undefined is left out of its mean.
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence is {confidence}", fix="use a share such as 0.95")
    if times < 0:
        raise OptionError(f"{times} resamples", fix="use a number such as 1000; 0: no intervals")
    size = len(tables[0])
    there = [~np.isnan(table) for table in tables]
    rows = np.array([[(t[:, a] & t[:, b]).sum() for t in there] for a, b in pairs], np.float64)
    parts = [part for number, table in enumerate(tables) for part in groups(number, table, pairs)]
    values = np.full((len(COEFFICIENTS), len(pairs), len(tables)), np.nan)
    for group in parts:
        for pair, left, right in group.pairs:
            values[:, pair, group.table] = _values(
                group.columns[left].raw, group.columns[right].raw
            )
    drawn = np.full((*values.shape, times), np.nan)
    _resample(parts, size, drawn, seed, workers)
    spans = _spans(_mean(np.moveaxis(drawn, 2, -1)), confidence)
    found = np.concatenate([_mean(values)[..., None], spans], axis=-1)
    return [
        _correlated(found[:, p], rows[p], ~np.isnan(values[0, p]), size) for p in range(len(pairs))
    ]


def pearson_resamples(target: Numbers, columns: Numbers, times: int, seed: int = 0) -> Numbers:
    """Pearson's coefficient of a column with each of several, in resamples of the rows.

    An array (resamples, columns): what shares its rows shares its resamples, so that differences
    and ratios of coefficients may be taken in each. nan where a resample has one value only.
    """
    size, width = columns.shape
    taken = [Column.of(column) for column in (*columns.T, target)]
    group = Group(0, np.arange(size), taken, [(at, at, width) for at in range(width)])
    rng, found = np.random.default_rng(seed), np.empty((times, width))
    block = max(1, CELLS // max(size, 1))
    for lo in range(0, times, block):
        draws = _draws(rng, size, min(block, times - lo)).astype(np.float64)
        found[lo : lo + block] = group.pearson(draws, draws.sum(axis=1)).T
    return found


def _values(left: Numbers, right: Numbers) -> tuple[float, float, float]:
    """What scipy finds; nan, without its warning, if one of the two never changes."""
    from scipy import stats

    if np.ptp(left) == 0 or np.ptp(right) == 0:
        return np.nan, np.nan, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        taken = stats.pearsonr, stats.spearmanr, stats.kendalltau
        pearson, spearman, kendall = (float(take(left, right).statistic) for take in taken)
    return pearson, spearman, kendall


def _resample(
    parts: Sequence[Group], size: int, drawn: Numbers, seed: int, workers: int | None
) -> None:
    """Fill `drawn` (coefficient, pair, table, resample); the same on any number of workers."""
    times = drawn.shape[-1]
    if not (times and parts):
        return
    block = max(1, CELLS // size)
    blocks = -(-times // block)
    seeds, lock = np.random.SeedSequence(seed).spawn(blocks), Lock()
    with progress("resampling", times) as step:

        def work(lo: int, hi: int) -> None:
            for number in range(lo, hi):
                part = drawn[..., number * block : (number + 1) * block]
                draws = _draws(np.random.default_rng(seeds[number]), size, part.shape[-1])
                for group in parts:
                    group.fill(draws, part)
                with lock:
                    step(len(draws))

        run(work, np.ones(blocks, np.int64), workers)


def _draws(rng: np.random.Generator, size: int, times: int) -> Weights:
    """How often each row is drawn in each resample."""
    draws = np.empty((times, size), np.int32)
    for row in draws:
        row[:] = np.bincount(rng.integers(size, size=size), minlength=size)
    return draws


def _correlated(found: Numbers, rows: Numbers, defined: NDArray[np.bool_], size: int) -> Correlated:
    """Of one pair of columns: the coefficients and spans, and what is known of each table."""
    pearson, spearman, kendall = (Correlation(*map(float, row)) for row in found)
    return Correlated(
        *(pearson, spearman, kendall),
        rows=float(rows[defined].mean() if defined.any() else rows.mean()),
        left_out=int((size - rows).sum()),
        tables=int(defined.sum()),
    )


def _mean(values: Numbers) -> Numbers:
    """The mean over the last axis of what is defined."""
    there = ~np.isnan(values)
    found = np.full(values.shape[:-1], np.nan)
    np.divide(np.where(there, values, 0).sum(-1), there.sum(-1), out=found, where=there.any(-1))
    return found


def _spans(drawn: Numbers, confidence: float) -> Numbers:
    """Percentile intervals of (coefficient, pair, resample), of the resamples that have a value."""
    tail = (1 - confidence) / 2
    spans = np.full((*drawn.shape[:2], 2), np.nan)
    for place in np.ndindex(drawn.shape[:2]):
        found = drawn[place]
        if len(found := found[~np.isnan(found)]):
            spans[place] = np.quantile(found, [tail, 1 - tail])
    return spans
