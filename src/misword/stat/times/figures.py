"""Figures of metrics beside their rates: shares and percentiles of times, which a gate can limit.

A figure is named `metric.figure`: `word-times.within200` is the share of begins and ends that are
within 200 ms, `latency.p95` the time in seconds within which 95 % of the segments are final. It is
computed from a record of single words or segments (`stat/times/words.py`, `latency.py` beside it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.stat.bootstrap import Bootstrap, draw_counts, interval
from misword.stat.measure import ratio_of_terms
from misword.stat.score_tables import (
    LATENCY_SEGMENTS,
    LATENCY_WORDS,
    SEGMENT_TIMES,
    WITHIN,
    WORD_TIMES,
)
from misword.stat.times.latency import LEVELS

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Unit = Literal["", "s", "per word"]
# Times are written with two or three decimals.
ROUNDING = 1e-9
BOTH = ("begin", "end")


@dataclass(frozen=True, slots=True)
class Figure:
    """How a figure follows from the rows of a record.

    `columns` are the columns whose values count, all together. With `level`, the figure is this
    quantile of their sizes; with `within`, the share of values of at most this size; with `known`,
    the share of values that are known; otherwise it is the sum of the first column divided by that
    of the second. `unit` is `""` for a share, `s` for seconds, or `per word`.
    """

    record: str
    columns: tuple[str, ...]
    unit: Unit = ""
    level: float | None = None
    within: float | None = None
    known: bool = False

    def measured(
        self, rows: pl.DataFrame, groups: Integers, bootstrap: Bootstrap
    ) -> tuple[float, float, float]:
        """Return the figure and its interval; nan where they are undefined.

        `rows` are those of the record; `groups` numbers for each of them what is resampled as a
        whole, from 0.
        """
        count = int(groups.max(initial=-1)) + 1
        if self.level is None:
            terms = np.column_stack(
                [np.bincount(groups, term, minlength=count) for term in self._terms(rows)]
            )
            if not count:
                return np.nan, np.nan, np.nan
            low, high = interval(terms, ratio_of_terms, bootstrap)
            return float(ratio_of_terms(terms.sum(axis=0))), low, high
        values = np.concatenate([_column(rows, name) for name in self.columns])
        members = np.concatenate([groups] * len(self.columns))
        known = ~np.isnan(values)
        values, members = abs(values[known]), members[known]
        if not len(values):
            return np.nan, np.nan, np.nan
        low, high = _interval_of_quantile(values, members, count, self.level, bootstrap)
        return float(np.quantile(values, self.level)), low, high

    def _terms(self, rows: pl.DataFrame) -> tuple[Numbers, Numbers]:
        """Return the numerator and the denominator of each row."""
        values = np.column_stack([_column(rows, name) for name in self.columns])
        known = ~np.isnan(values)
        if self.within is not None:
            near = abs(np.nan_to_num(values, nan=np.inf)) <= self.within + ROUNDING
            return near.sum(axis=1).astype(float), known.sum(axis=1).astype(float)
        if self.known:
            return known.sum(axis=1).astype(float), np.full(len(values), float(values.shape[1]))
        return values[:, 0], values[:, 1]


def _column(rows: pl.DataFrame, name: str) -> Numbers:
    return rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _interval_of_quantile(
    values: Numbers, members: Integers, count: int, level: float, bootstrap: Bootstrap
) -> tuple[float, float]:
    """Return the percentiles of the quantile in resamples of the groups; nan for a single group."""
    if count < 2 or not bootstrap.times:
        return np.nan, np.nan
    order = np.argsort(values, kind="stable")
    values, members = values[order], members[order]
    drawn = []
    for counts in draw_counts(count, bootstrap):
        for each in counts:
            total = np.cumsum(each[members])
            if total[-1]:
                place = np.searchsorted(total, level * total[-1])
                drawn.append(values[min(int(place), len(values) - 1)])
    outside = (1 - bootstrap.confidence) / 2
    low, high = np.quantile(drawn, [outside, 1 - outside])
    return float(low), float(high)


def _times(record: str) -> dict[str, Figure]:
    return {
        "compared": Figure(record, BOTH, known=True),
        **{f"within{ms}": Figure(record, BOTH, within=ms / 1000) for ms in WITHIN},
        "median": Figure(record, BOTH, "s", level=0.5),
        "p90": Figure(record, BOTH, "s", level=0.9),
    }


def _percentiles(record: str, column: str, prefix: str = "") -> dict[str, Figure]:
    return {
        f"{prefix}p{level}": Figure(record, (column,), "s", level=level / 100) for level in LEVELS
    }


FIGURES: dict[str, dict[str, Figure]] = {
    "word-times": _times(WORD_TIMES),
    "segment-times": _times(SEGMENT_TIMES),
    "latency": {
        **_percentiles(LATENCY_SEGMENTS, "latency"),
        **_percentiles(LATENCY_WORDS, "first", "first-"),
        **_percentiles(LATENCY_WORDS, "final", "final-"),
        "revised": Figure(LATENCY_SEGMENTS, ("revised", "words"), "per word"),
    },
}


def metric_and_figure(name: str) -> tuple[str, str]:
    """Return the metric and the figure of a name; the figure is empty if it names a rate.

    >>> metric_and_figure("latency.p95"), metric_and_figure("latency:limit=0.5")
    (('latency', 'p95'), ('latency:limit=0.5', ''))
    """
    metric, dot, figure = name.rpartition(".")
    known = FIGURES.get(metric.partition(":")[0])
    if not dot or known is None or (figure not in known and ":" in name):
        return name, ""  # the dot may be that of a number in the settings
    return metric, figure
