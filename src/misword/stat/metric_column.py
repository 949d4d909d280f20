"""One metric of a table of scores: its columns, its sums and its rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.parts.contract import describe
from misword.core.signature import Signature
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.measure import Measure, Statistics

if TYPE_CHECKING:
    import polars as pl


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

    def statistics(self, table: pl.DataFrame) -> Statistics:
        """Return the statistics, one row per row of the table."""
        return table.select(self.names).to_numpy()

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

    def summary(self, table: pl.DataFrame, bootstrap: Bootstrap) -> dict[str, Any]:
        """Compute the rate over all rows, its interval, the statistics, and the reference size.

        The statistics are sums, or means per utterance for those named in `measure.means`.
        """
        totals = self.totals(table)
        sums = np.array(list(totals.values()))
        terms = self.measure.terms(self.statistics(table))
        low, high = interval(terms, self.measure.rate, bootstrap)
        size = self.measure.reference(sums).item()
        shown = {
            name: total / float(size) if name in self.measure.means and size else total
            for name, total in totals.items()
        }
        rate = float(self.rates(sums))
        return {"rate": rate, "low": low, "high": high, **shown, "reference": int(size)}

    def remarks(self, table: pl.DataFrame) -> list[str]:
        """Return what the rate of the rows does not show, as notes for the user."""
        whole = [name for name in self.measure.statistics if name not in self.measure.fractional]
        totals = {name: int(table[f"{self.label}.{name}"].sum()) for name in whole}
        return [f"{self.label}: {text}" for text in self.measure.remarks(totals, len(table))]


def metric_provenance(columns: Sequence[MetricColumn]) -> dict[str, Any]:
    """Return the labels, signatures and descriptions of metrics, for `Result.provenance`."""
    return {
        "metrics": [column.label for column in columns],
        "signatures": {column.label: str(column.signature) for column in columns},
        "parts": {column.label: describe(column.measure) for column in columns},
    }
