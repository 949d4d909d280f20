"""Correlation of columns, with bootstrap intervals over their rows.

The coefficients are Pearson's, Spearman's and Kendall's (tau-b). For the intervals, rows are drawn
with replacement, and all three coefficients are computed for each resample.

Intervals are percentiles, widened for few rows (`stat.intervals`).

Known problems: rows that depend on each other, such as utterances of one speaker, make the
intervals too narrow.

Reference: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress
from misword.core.workers import run
from misword.stat.bootstrap import DEFAULT, Bootstrap
from misword.stat.coefficients import three_coefficients
from misword.stat.intervals import widened
from misword.stat.weighted_correlation import (
    COEFFICIENTS,
    Group,
    Numbers,
    RankedColumn,
    Weights,
    groups,
)

# Rows times resamples that each thread holds in memory at once.
CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient and its interval; nan where it is undefined: one row, or a constant column."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The coefficients of two columns, averaged over tables.

    `tables` is the number of tables in which the coefficients are defined, `rows` the mean number
    of rows of these tables that have both values, and `left_out` the number of rows of all tables
    that lack a value.
    """

    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient
    rows: float
    left_out: int
    tables: int = 1


def correlation(left: Any, right: Any, bootstrap: Bootstrap = DEFAULT) -> Coefficients:
    """Compute the three coefficients of two columns; rows with a nan are left out and counted.

    >>> result = correlation([1, 2, 3, 4], [1, 3, 2, 4], Bootstrap(times=0))
    >>> [round(c.value, 3) for c in (result.pearson, result.spearman, result.kendall)]
    [0.8, 0.8, 0.667]
    """
    table = np.column_stack([np.asarray(left, np.float64), np.asarray(right, np.float64)])
    return correlations([table], [(0, 1)], bootstrap)[0]


def correlations(
    tables: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    bootstrap: Bootstrap = DEFAULT,
    *,
    workers: int | None = None,
) -> list[Coefficients]:
    """Compute the coefficients of pairs of columns, averaged over tables that have the same rows.

    Each table has a row per utterance and a column per metric; a resample draws the same rows from
    all tables. A table in which a coefficient is undefined is left out of the mean. The order of
    the rows does not matter.
    """
    tables = _sorted_rows(tables)
    size = len(tables[0])
    present = [~np.isnan(table) for table in tables]
    rows = np.array([[(t[:, a] & t[:, b]).sum() for t in present] for a, b in pairs], np.float64)
    grouped = [
        group for number, table in enumerate(tables) for group in groups(number, table, pairs)
    ]
    values = np.full((len(COEFFICIENTS), len(pairs), len(tables)), np.nan)
    for group in grouped:
        for pair, left, right in group.pairs:
            columns = group.columns[left], group.columns[right]
            values[:, pair, group.table] = three_coefficients(*columns)
    drawn = np.full((*values.shape, bootstrap.times), np.nan)
    _resample(grouped, size, drawn, bootstrap.seed, workers)
    means, drawn_means = _mean(values), _mean(np.moveaxis(drawn, 2, -1))
    coefficients = []
    for pair in range(len(pairs)):
        counts = _table_counts(rows[pair], ~np.isnan(values[0, pair]), size)
        pearson, spearman, kendall = (
            Coefficient(float(mean), *widened(resampled, counts["rows"], bootstrap.confidence))
            for mean, resampled in zip(means[:, pair], drawn_means[:, pair], strict=True)
        )
        coefficients.append(Coefficients(pearson, spearman, kendall, **counts))
    return coefficients


def pearson_resamples(target: Numbers, columns: Numbers, bootstrap: Bootstrap) -> Numbers:
    """Compute Pearson's coefficient of `target` with each of several columns, in each resample.

    The result is an array (resamples, columns). All columns share the resamples of the rows, so
    that differences and ratios of coefficients can be computed within a resample. A coefficient is
    nan where a resampled column is constant.
    """
    sorted_target, columns = _sorted_rows([target[:, None], columns])
    times, (size, width) = bootstrap.times, columns.shape
    prepared = [RankedColumn.of(column) for column in (*columns.T, sorted_target[:, 0])]
    group = Group(0, np.arange(size), prepared, [(at, at, width) for at in range(width)])
    rng, coefficients = np.random.default_rng(bootstrap.seed), np.empty((times, width))
    block = max(1, CELLS // max(size, 1))
    for lo in range(0, times, block):
        draws = _draws(rng, size, min(block, times - lo)).astype(np.float64)
        coefficients[lo : lo + block] = group.pearson(draws, draws.sum(axis=1)).T
    return coefficients


def _sorted_rows(tables: Sequence[Numbers]) -> list[Numbers]:
    """Sort the rows of several tables together, in ascending order, nan last."""
    order = np.lexsort(np.hstack(tables).T[::-1])
    return [table[order] for table in tables]


def _resample(
    grouped: Sequence[Group], size: int, drawn: Numbers, seed: int, workers: int | None
) -> None:
    """Fill `drawn` (coefficient, pair, table, resample).

    Each block of resamples has its own random numbers, so that the number of workers does not
    change the result.
    """
    times = drawn.shape[-1]
    if not (times and grouped):
        return
    block = max(1, CELLS // size)
    blocks = -(-times // block)
    seeds, lock = np.random.SeedSequence(seed).spawn(blocks), Lock()
    with progress("resampling", times) as step:

        def work(lo: int, hi: int) -> None:
            for number in range(lo, hi):
                part = drawn[..., number * block : (number + 1) * block]
                draws = _draws(np.random.default_rng(seeds[number]), size, part.shape[-1])
                for group in grouped:
                    group.fill(draws, part)
                with lock:
                    step(len(draws))

        run(work, np.ones(blocks, np.int64), workers)


def _draws(rng: np.random.Generator, size: int, times: int) -> Weights:
    """Count how often each row is drawn in each resample."""
    draws = np.empty((times, size), np.int32)
    for row in draws:
        row[:] = np.bincount(rng.integers(size, size=size), minlength=size)
    return draws


def _table_counts(rows: Numbers, defined: NDArray[np.bool_], size: int) -> dict[str, Any]:
    """Summarise, for one pair of columns, how many rows of each table have both values."""
    return {
        "rows": float(rows[defined].mean() if defined.any() else rows.mean()),
        "left_out": int((size - rows).sum()),
        "tables": int(defined.sum()),
    }


def _mean(values: Numbers) -> Numbers:
    """Average over the last axis, leaving out nan."""
    present = ~np.isnan(values)
    means = np.full(values.shape[:-1], np.nan)
    sums = np.where(present, values, 0).sum(-1)
    np.divide(sums, present.sum(-1), out=means, where=present.any(-1))
    return means
