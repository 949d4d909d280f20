"""Correlation of columns: Pearson's, Spearman's and Kendall's (tau-b), with bootstrap intervals.

For the intervals, rows are drawn with replacement, and all three coefficients are computed for each
resample. Intervals are percentiles, widened for few rows (`stat.bootstrap.widened`).

Known problems: rows that depend on each other, such as utterances of one speaker, make the
intervals too narrow, unless they are drawn in blocks.

Reference: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress
from misword.core.workers import run
from misword.native.library import INTEGER, TOO_LARGE, array, kernel
from misword.stat.bootstrap import DEFAULT, Bootstrap, widened

Integers = NDArray[np.int64]

# Concordant pairs of rows, for Kendall's tau.

_count_concordance = kernel(
    "misword_count_concordance", array(np.int32), INTEGER, INTEGER, array(np.int64),
    array(np.int64), array(np.int64, out=True),
)  # fmt: skip


def concordance(weights: NDArray[np.int32], left: Integers, right: Integers) -> Integers:
    """Count concordant minus discordant pairs of rows, in each of several resamples.

    `weights` has the number of times that each row is drawn, one resample per row. `left` and
    `right` hold the ranks of the values among the distinct values of their column, from 0.
    """
    draws, rows = weights.shape
    if not len(left) == len(right) == rows:
        raise ValueError(f"the weights have {rows} rows, the columns {len(left)} and {len(right)}")
    if any(rows and (ranks.min() < 0 or ranks.max() >= rows) for ranks in (left, right)):
        raise ValueError("ranks must be from 0 to the number of rows minus 1")
    scores = np.zeros(draws, np.int64)
    contiguous = np.ascontiguousarray(weights)
    status = _count_concordance(contiguous, draws, rows, left, right, scores)
    if status == TOO_LARGE:
        raise ValueError("weights must not be negative and must add up to less than 2^31")
    return scores


# Coefficients of columns with a weight for each row: its count in a resample.
#
# The coefficients equal those that scipy computes when each row is repeated as often as its weight
# says; a repeated row is tied with itself. Pearson's coefficient is a matrix product, Spearman's a
# pass over the counts of distinct values. The concordant pairs of Kendall's are counted by a
# compiled kernel.

COEFFICIENTS = ("pearson", "spearman", "kendall")
# A variance below this share of the mean square is rounding error: the column is constant.
CONSTANT = 1e-12

Numbers = NDArray[np.float64]
Weights = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class RankedColumn:
    """A column of numbers, with what weighted coefficients need: its order and ranks.

    `raw` are the values, `values` the same with mean 0 and variance 1, `places` the rank of each
    value among the distinct values, from 0. `order` sorts the rows; `starts` has the position in
    `order` at which the run of each distinct value begins.
    """

    raw: Numbers
    values: Numbers
    places: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, raw: Numbers) -> RankedColumn:
        """Prepare values, which must not contain nan."""
        places = np.unique(raw, return_inverse=True)[1].reshape(-1)
        order = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[order], prepend=-1))
        values = raw - raw.mean()
        spread = np.sqrt(np.mean(values**2))
        return cls(raw, values / spread if spread else values, places, order, starts)

    def counts(self, weights: Numbers) -> Numbers:
        """Sum the weights of each distinct value: an array (resamples, values)."""
        return np.asarray(np.add.reduceat(weights[:, self.order], self.starts, axis=1))

    def ranks(self) -> Numbers:
        """Rank the rows from 1; equal values share the mean of their ranks."""
        counts = self._times()
        return np.asarray((self.starts + (counts + 1) / 2)[self.places])

    def untied_pairs(self) -> int:
        """Count the pairs of rows that have different values."""
        size, counts = len(self.places), self._times()
        return (size * (size - 1) - int((counts * (counts - 1)).sum())) // 2

    def _times(self) -> NDArray[np.int64]:
        """Count how often each distinct value occurs."""
        return np.diff(self.starts, append=len(self.places))


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Pairs of columns of one table that lack values in the same rows.

    `pairs` has the number of each pair and the positions of its two columns in `columns`.
    """

    table: int
    rows: NDArray[np.int64]
    columns: list[RankedColumn]
    pairs: list[tuple[int, int, int]]

    def fill(self, draws: Weights, coefficients: Numbers) -> None:
        """Write the coefficients into an array (coefficient, pair, table, resample)."""
        weights = draws if len(self.rows) == draws.shape[1] else draws[:, self.rows]
        wide = weights.astype(np.float64)
        total = wide.sum(axis=1)
        numbers = [number for number, _, _ in self.pairs]
        coefficients[0, numbers, self.table] = self.pearson(wide, total)
        counts = [column.counts(wide) for column in self.columns]
        ranks = [_ranks(c, total) for c in counts]
        spread = [np.einsum("rk,rk,rk->r", c, r, r) for c, r in zip(counts, ranks, strict=True)]
        # Pairs of rows that are not tied in a column.
        untied = [(total * (total - 1) - np.einsum("rk,rk->r", c, c - 1)) / 2 for c in counts]
        by_row = [r[:, column.places] for r, column in zip(ranks, self.columns, strict=True)]
        for number, left, right in self.pairs:
            shared = np.einsum("rn,rn->r", wide * by_row[left], by_row[right])
            coefficients[1, number, self.table] = _over(shared, spread[left], spread[right])
            places = self.columns[left].places, self.columns[right].places
            score = concordance(weights, *places).astype(np.float64)
            coefficients[2, number, self.table] = _over(score, untied[left], untied[right])

    def pearson(self, weights: Numbers, total: Numbers) -> Numbers:
        """Compute Pearson's coefficients: an array (pairs, resamples)."""
        values = np.stack([column.values for column in self.columns], axis=1)
        left, right = np.array(self.pairs).T[1:]
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample may have none of the rows
            means = weights @ values / total[:, None]
            squares = weights @ values**2 / total[:, None]
            spread = squares - means**2
            spread[spread <= CONSTANT * squares] = 0
            products = weights @ (values[:, left] * values[:, right]) / total[:, None]
            shared = products - means[:, left] * means[:, right]
        return _over(shared, spread[:, left], spread[:, right]).T


def groups(number: int, table: Numbers, pairs: Sequence[tuple[int, int]]) -> list[Group]:
    """Group the pairs of a table by the rows that have both values; leave out fewer than 3 rows."""
    present = ~np.isnan(table)
    by_rows: dict[bytes, list[int]] = {}
    for pair, (left, right) in enumerate(pairs):
        by_rows.setdefault((present[:, left] & present[:, right]).tobytes(), []).append(pair)
    grouped = []
    for mask, members in by_rows.items():
        rows = np.flatnonzero(np.frombuffer(mask, np.bool_))
        numbers = sorted({column for pair in members for column in pairs[pair]})
        if len(rows) > 2:  # two points always lie on a line
            columns = [RankedColumn.of(table[rows, column]) for column in numbers]
            placed = [(p, numbers.index(pairs[p][0]), numbers.index(pairs[p][1])) for p in members]
            grouped.append(Group(number, rows, columns, placed))
    return grouped


def _ranks(counts: Numbers, total: Numbers) -> Numbers:
    """Compute the rank of each distinct value in each resample, minus the mean rank."""
    return np.asarray(np.cumsum(counts, axis=1) - (counts - 1) / 2 - (total[:, None] + 1) / 2)


def _over(shared: Numbers, left: Numbers, right: Numbers) -> Numbers:
    """Divide by the largest possible value, sqrt(left * right); nan where that is 0."""
    largest = np.sqrt(left) * np.sqrt(right)
    quotient = np.full(largest.shape, np.nan)
    np.divide(shared, largest, out=quotient, where=largest > 0)
    return np.asarray(np.clip(quotient, -1, 1))


# Coefficients of two columns without weights.
#
# The operations and their order are those of scipy, so that the numbers are those of scipy to the
# last bit where both run with the same numpy.


def three_coefficients(left: RankedColumn, right: RankedColumn) -> tuple[float, float, float]:
    """Compute the three coefficients; nan if a column is constant."""
    if len(left.starts) < 2 or len(right.starts) < 2:
        return np.nan, np.nan, np.nan
    return pearson(left.raw, right.raw), spearman(left, right), kendall(left, right)


def pearson(left: Numbers, right: Numbers) -> float:
    """Compute Pearson's coefficient of two columns that are not constant."""
    return float(np.clip(_unit(left) @ _unit(right), -1, 1))


def _unit(values: Numbers) -> Numbers:
    """Return the values with mean 0 and length 1."""
    centred = values - values.mean()
    largest = np.abs(centred).max()  # the squares of large numbers would overflow
    length = np.linalg.norm(centred / largest, axis=0)  # with an axis, numpy adds in pairs
    return np.asarray(centred / (largest * length))


def spearman(left: RankedColumn, right: RankedColumn) -> float:
    """Compute Spearman's coefficient: Pearson's coefficient of the ranks."""
    ranks = np.column_stack([left.ranks(), right.ranks()])
    return float(np.asarray(np.corrcoef(ranks, rowvar=False))[1, 0])


def kendall(left: RankedColumn, right: RankedColumn) -> float:
    """Compute Kendall's tau-b from exact numbers of pairs of rows."""
    once = np.ones((1, len(left.places)), np.int32)
    score = int(concordance(once, left.places, right.places)[0])
    tau = score / sqrt(left.untied_pairs()) / sqrt(right.untied_pairs())
    return min(1.0, max(-1.0, tau))


# Intervals.

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


def correlation(
    left: Any, right: Any, bootstrap: Bootstrap = DEFAULT, *, blocks: Integers | None = None
) -> Coefficients:
    """Compute the three coefficients of two columns; rows with a nan are left out and counted.

    `blocks` has a number for each row, from 0: the rows of one number are drawn together.

    >>> result = correlation([1, 2, 3, 4], [1, 3, 2, 4], Bootstrap(times=0))
    >>> [round(c.value, 3) for c in (result.pearson, result.spearman, result.kendall)]
    [0.8, 0.8, 0.667]
    """
    table = np.column_stack([np.asarray(left, np.float64), np.asarray(right, np.float64)])
    return correlations([table], [(0, 1)], bootstrap, blocks=blocks)[0]


def correlations(
    tables: Sequence[Numbers],
    pairs: Sequence[tuple[int, int]],
    bootstrap: Bootstrap = DEFAULT,
    *,
    workers: int | None = None,
    blocks: Integers | None = None,
) -> list[Coefficients]:
    """Compute the coefficients of pairs of columns, averaged over tables that have the same rows.

    Each table has a row per utterance and a column per metric; a resample draws the same rows from
    all tables, or the same `blocks` of rows. A table in which a coefficient is undefined is left
    out of the mean. The order of the rows does not matter, except within blocks.
    """
    if blocks is None:
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
    _resample(
        grouped, np.arange(size) if blocks is None else blocks, drawn, bootstrap.seed, workers
    )
    means, drawn_means = _mean(values), _mean(np.moveaxis(drawn, 2, -1))
    coefficients = []
    for pair in range(len(pairs)):
        counts = _table_counts(rows[pair], ~np.isnan(values[0, pair]), size)
        drawn_rows = counts["rows"] if blocks is None else len(np.unique(blocks))
        pearson, spearman, kendall = (
            Coefficient(float(mean), *widened(resampled, drawn_rows, bootstrap.confidence))
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
    grouped: Sequence[Group], blocks: Integers, drawn: Numbers, seed: int, workers: int | None
) -> None:
    """Fill `drawn` (coefficient, pair, table, resample); `blocks` has the block of each row.

    Each part of the resamples has its own random numbers, so that the number of workers does not
    change the result.
    """
    times = drawn.shape[-1]
    if not (times and grouped):
        return
    at_once, size = max(1, CELLS // len(blocks)), int(blocks.max()) + 1
    parts = -(-times // at_once)
    seeds, lock = np.random.SeedSequence(seed).spawn(parts), Lock()
    with progress("resampling", times) as step:

        def work(lo: int, hi: int) -> None:
            for number in range(lo, hi):
                part = drawn[..., number * at_once : (number + 1) * at_once]
                draws = _draws(np.random.default_rng(seeds[number]), size, part.shape[-1])
                if size < len(blocks):
                    draws = np.ascontiguousarray(draws[:, blocks])
                for group in grouped:
                    group.fill(draws, part)
                with lock:
                    step(len(draws))

        run(work, np.ones(parts, np.int64), workers)


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
