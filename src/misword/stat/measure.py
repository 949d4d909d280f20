"""Measures: statistics that add up, the rate that follows, and their columns in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from misword.core.parts.contract import Part, describe
from misword.core.signature import Signature
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.group_intervals import GroupedCounts, GroupedRows, group_intervals
from misword.stat.row_groups import RowGroups

if TYPE_CHECKING:
    import polars as pl


ROWS = 1 << 18  # rows of a table whose statistics are copied at once


class Measure(Part):
    """A part whose rate follows from statistics that add up over utterances.

    `statistics` names the columns that are stored for each pair of reference and hypothesis. They
    are whole numbers except those named in `fractional`. For the statistics named in `means`, a
    summary shows the mean per utterance instead of the sum.

    `is_quotient` is false if the rate is not the first of its terms divided by the second. Such a
    rate must be quasi-concave: a sum between two others has no lower rate than both of them.
    `misword oracle` relies on this.
    """

    __slots__ = ()

    is_quotient: ClassVar[bool] = True
    statistics: ClassVar[tuple[str, ...]] = ()
    fractional: ClassVar[frozenset[str]] = frozenset()
    means: ClassVar[frozenset[str]] = frozenset()

    def terms(self, statistics: Statistics) -> Statistics:
        """Return the sums that the rate needs: a linear function of the last axis."""
        return statistics

    def rate(self, terms: Statistics) -> Statistics:
        """Compute the rate from the terms; nan where it is undefined."""
        raise NotImplementedError

    def reference(self, statistics: Statistics) -> Statistics:
        """Return the size of the reference: its tokens, or the number of utterances."""
        raise NotImplementedError

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Describe what the rate does not show, from the sums of the whole-number statistics.

        `pairs` is the number of pairs of reference and hypothesis that were added up.
        """
        return ()


def ratio(numerator: Statistics, denominator: Statistics) -> Statistics:
    """Divide; nan, without a warning, where the denominator is 0."""
    undefined = np.full(np.shape(denominator), np.nan)
    quotient: Statistics = np.divide(numerator, denominator, out=undefined, where=denominator > 0)
    return quotient


def ratio_of_terms(terms: Statistics) -> Statistics:
    """Return the first term divided by the second; nan where the second is 0."""
    return ratio(terms[..., 0], terms[..., 1])


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric of a table of scores: its label, the metric, and its signature.

    The table has a column `<label>.<statistic>` for each statistic of the metric. `words` names the
    table of words that has the metric's alignment; it is empty if the metric does not align words.
    """

    label: str
    measure: Measure
    signature: Signature
    words: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns of the table that have the metric's statistics."""
        return [f"{self.label}.{name}" for name in self.measure.statistics]

    @property
    def whole(self) -> list[str]:
        """The statistics that are whole numbers."""
        return [name for name in self.measure.statistics if name not in self.measure.fractional]

    def statistics(self, table: pl.DataFrame) -> Statistics:
        """Return the statistics, one row per row of the table."""
        return table.select(self.names).to_numpy()

    def terms(self, table: pl.DataFrame) -> Statistics:
        """Return the terms of the rate, one row per row of the table."""
        parts = [self.measure.terms(part) for part in self._parts(table)]
        return np.concatenate(parts)

    def rates_of_rows(self, table: pl.DataFrame) -> Statistics:
        """Compute the rate of each row of the table; nan where it is undefined."""
        return np.concatenate([self.rates(part) for part in self._parts(table)])

    def empty_references(self, table: pl.DataFrame) -> int:
        """Count the rows whose reference has no tokens."""
        parts = (self.measure.reference(part) for part in self._parts(table))
        return sum(int((sizes == 0).sum()) for sizes in parts)

    def _parts(self, table: pl.DataFrame) -> Iterator[Statistics]:
        """Yield the statistics of some rows at a time, because copies of all rows are large."""
        columns = table.select(self.names)
        for lo in range(0, max(len(table), 1), ROWS):
            yield columns[lo : lo + ROWS].to_numpy()

    def rates(self, statistics: Statistics) -> Statistics:
        """Compute rates from statistics (the last axis); nan where a rate is undefined."""
        return self.measure.rate(self.measure.terms(statistics))

    def totals(self, table: pl.DataFrame) -> dict[str, float]:
        """Sum each statistic without rounding, so that the order of the rows does not matter."""
        return {
            name: fsum(table[column])
            if name in self.measure.fractional
            else int(table[column].sum())
            for name, column in zip(self.measure.statistics, self.names, strict=True)
        }

    def group_totals(self, table: pl.DataFrame, groups: RowGroups) -> dict[str, Statistics]:
        """Sum each statistic of the rows of each group, without rounding."""
        return {
            name: groups.sums(table[column].to_numpy())
            for name, column in zip(self.measure.statistics, self.names, strict=True)
        }

    def summary(
        self, table: pl.DataFrame, groups: RowGroups, bootstrap: Bootstrap
    ) -> dict[str, Statistics]:
        """Compute the rate of each group, its interval, the statistics, and the reference size.

        The statistics are sums, or means per utterance for those named in `measure.means`.
        """
        terms = groups.arrange(self.terms(table))
        rows = GroupedRows(terms, groups.starts)
        return self.summary_of(self.group_totals(table, groups), rows, bootstrap)

    def summary_of(
        self,
        totals: Mapping[str, Statistics],
        groups: GroupedRows | GroupedCounts,
        bootstrap: Bootstrap,
    ) -> dict[str, Statistics]:
        """Compute what `summary` does from the sums of each statistic, and the terms of groups."""
        sums = np.stack(list(totals.values()), axis=-1)
        low, high = group_intervals(groups, self.measure.rate, bootstrap)
        sizes = self.measure.reference(sums)
        filled = np.where(sizes == 0, 1, sizes)
        shown = {
            name: total / filled if name in self.measure.means else total
            for name, total in totals.items()
        }
        reference = sizes.astype(np.int64)
        return {"rate": self.rates(sums), "low": low, "high": high, **shown, "reference": reference}

    def remarks(self, table: pl.DataFrame) -> list[str]:
        """Return what the rate of the rows does not show, as notes for the user."""
        totals = {name: int(table[f"{self.label}.{name}"].sum()) for name in self.whole}
        return self.remarks_of(totals, len(table))

    def remarks_of(self, totals: dict[str, int], pairs: int) -> list[str]:
        """Return the remarks on sums of the whole-number statistics of some pairs."""
        return [f"{self.label}: {text}" for text in self.measure.remarks(totals, pairs)]


def metric_provenance(columns: Sequence[MetricColumn]) -> dict[str, Any]:
    """Return the labels, signatures and descriptions of metrics, for `Result.provenance`."""
    return {
        "metrics": [column.label for column in columns],
        "signatures": {column.label: str(column.signature) for column in columns},
        "parts": {column.label: describe(column.measure) for column in columns},
    }
