"""Correlation coefficients of columns with a weight for each row: its count in a resample.

The coefficients equal those that scipy computes when each row is repeated as often as its weight
says; a repeated row is tied with itself. Pearson's coefficient is a matrix product, Spearman's a
pass over the counts of distinct values. The concordant pairs of Kendall's are counted by a compiled
kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.stat.kernels import concordance

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
