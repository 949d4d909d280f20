"""Coefficients of columns whose rows count so and so often: what a resample of rows comes to.

They are the coefficients that scipy finds in the rows written out, each as often as it counts; a
row that is there twice is tied with itself. Pearson's is a matrix product, Spearman's a pass over
the counts of distinct values, Kendall's needs the concordant pairs: a product with a matrix of all
pairs where rows are few, a compiled search tree where they are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core import kernel_thresholds

COEFFICIENTS = ("pearson", "spearman", "kendall")
# A variance this small beside the mean square is that of one value, but for rounding.
CONSTANT = 1e-12

Numbers = NDArray[np.float64]
Weights = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Values, also at mean 0 and variance 1, and the place of each among the distinct ones.

    `order` sorts the rows; `starts` has where the run of each distinct value begins in it.
    """

    raw: Numbers
    values: Numbers
    places: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, raw: Numbers) -> Column:
        """Of values without nan."""
        places = np.unique(raw, return_inverse=True)[1].reshape(-1)
        order = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[order], prepend=-1))
        values = raw - raw.mean()
        spread = np.sqrt(np.mean(values**2))
        return cls(raw, values / spread if spread else values, places, order, starts)

    def counts(self, weights: Numbers) -> Numbers:
        """How often each distinct value is there: an array (resamples, values)."""
        return np.asarray(np.add.reduceat(weights[:, self.order], self.starts, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Pairs of columns of one table that have their values in the same rows.

    `pairs` has each pair's number and the places of its two columns in `columns`.
    """

    table: int
    rows: NDArray[np.int64]
    columns: list[Column]
    pairs: list[tuple[int, int, int]]

    def fill(self, draws: Weights, found: Numbers) -> None:
        """Put the coefficients into `found` (coefficient, pair, table, resample)."""
        weights = draws if len(self.rows) == draws.shape[1] else draws[:, self.rows]
        wide = weights.astype(np.float64)
        total = wide.sum(axis=1)
        found[0, [number for number, _, _ in self.pairs], self.table] = self.pearson(wide, total)
        counts = [column.counts(wide) for column in self.columns]
        ranks = [_ranks(some, total) for some in counts]
        spread = [np.einsum("rk,rk,rk->r", c, r, r) for c, r in zip(counts, ranks, strict=True)]
        # Pairs of rows that are not tied in a column.
        untied = [(total * (total - 1) - np.einsum("rk,rk->r", c, c - 1)) / 2 for c in counts]
        by_row = [r[:, column.places] for r, column in zip(ranks, self.columns, strict=True)]
        for number, left, right in self.pairs:
            shared = np.einsum("rn,rn->r", wide * by_row[left], by_row[right])
            found[1, number, self.table] = _over(shared, spread[left], spread[right])
            score = _concordance(self.columns[left], self.columns[right], weights)
            found[2, number, self.table] = _over(score, untied[left], untied[right])

    def pearson(self, weights: Numbers, total: Numbers) -> Numbers:
        """Pearson's coefficients: an array (pairs, resamples)."""
        values = np.stack([column.values for column in self.columns], axis=1)
        left, right = np.array(self.pairs).T[1:]
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample may have no row of these
            means = weights @ values / total[:, None]
            squares = weights @ values**2 / total[:, None]
            spread = squares - means**2
            spread[spread <= CONSTANT * squares] = 0
            products = weights @ (values[:, left] * values[:, right]) / total[:, None]
            shared = products - means[:, left] * means[:, right]
        return _over(shared, spread[:, left], spread[:, right]).T


def groups(number: int, table: Numbers, pairs: Sequence[tuple[int, int]]) -> list[Group]:
    """The pairs of a table by the rows that have both values, where there are at least two."""
    there = ~np.isnan(table)
    kept: dict[bytes, list[int]] = {}
    for pair, (left, right) in enumerate(pairs):
        kept.setdefault((there[:, left] & there[:, right]).tobytes(), []).append(pair)
    found = []
    for mask, some in kept.items():
        rows = np.flatnonzero(np.frombuffer(mask, np.bool_))
        names = sorted({column for pair in some for column in pairs[pair]})
        if len(rows) > 2:  # two always lie on a line
            columns = [Column.of(table[rows, name]) for name in names]
            placed = [(p, names.index(pairs[p][0]), names.index(pairs[p][1])) for p in some]
            found.append(Group(number, rows, columns, placed))
    return found


def _ranks(counts: Numbers, total: Numbers) -> Numbers:
    """The rank of each distinct value in each resample (ties in the middle), less the mean rank."""
    return np.asarray(np.cumsum(counts, axis=1) - (counts - 1) / 2 - (total[:, None] + 1) / 2)


def _concordance(left: Column, right: Column, weights: Weights) -> Numbers:
    """Concordant less discordant pairs of rows, in each resample."""
    if len(left.places) < kernel_thresholds.CONCORDANCE:
        signs = [np.sign(c.places[:, None] - c.places).astype(np.float32) for c in (left, right)]
        # Sums of some hundred small numbers: exact in single precision.
        single = weights.astype(np.float32) @ (signs[0] * signs[1])
        return np.asarray(np.einsum("rn,rn->r", single.astype(np.float64), weights) / 2)
    from misword.stat.concordance_kernels import concordance

    found = np.empty(len(weights), np.int64)
    concordance(weights, left.order, left.places, right.places, found)
    return found.astype(np.float64)


def _over(shared: Numbers, left: Numbers, right: Numbers) -> Numbers:
    """A shared part over what it could be at most; nan where that is nothing."""
    most = np.sqrt(left) * np.sqrt(right)
    found = np.full(most.shape, np.nan)
    np.divide(shared, most, out=found, where=most > 0)
    return np.asarray(np.clip(found, -1, 1))
