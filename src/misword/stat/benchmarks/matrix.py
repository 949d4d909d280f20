"""A matrix of error rates, test sets by systems: its averages and their intervals.

A *micro average* is the rate of the sums of all sets: a set with more words counts more. A *macro
average* is the mean of the rates of the sets: each set counts the same. The sets are those of the
benchmark, not a sample of sets: intervals say how the averages would vary with other utterances of
the same sets. So each resample draws the utterances (or blocks) of each set anew, within the set.

All systems of a set share its draws. An interval is that of `stat.bootstrap`: percentiles of the
resampled rates, whose levels are corrected for few utterances, bias and skewness. Of an average,
the effects of the utterances of all sets together are one sample for these corrections.

`python tools/simulate_benchmarks.py` measures how often the intervals contain the true average.

Known problems: the draws are not those of `misword score`, so that an interval of a set can differ
from its interval there in the second digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, isnan, nan
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import (
    Bootstrap,
    Jackknife,
    Rate,
    Stratum,
    draw_counts,
    percentiles,
    share_below,
    stratified_jackknife,
)
from misword.stat.measure import MetricColumn, ratio_of_terms

Reals = NDArray[np.float64]
MACRO, MICRO = "macro", "micro"


@dataclass(frozen=True, slots=True, eq=False)
class SetRows:
    """The terms of one metric on one test set, for the systems that have hypotheses for it.

    Attributes:
        name: the test set.
        column: the metric, with the signature that it has on this set.
        systems: the systems, in the order of the second axis.
        terms: the terms of the rate: (utterances or blocks, systems, terms).
        rates: the rate of each system, from exact sums.
    """

    name: str
    column: MetricColumn
    systems: tuple[str, ...]
    terms: Statistics
    rates: Reals

    def place(self, system: str) -> int | None:
        """Return the place of a system; None if the cell is missing or its rate is undefined."""
        if system not in self.systems:
            return None
        place = self.systems.index(system)
        return None if isnan(self.rates[place]) else place

    def sums(self) -> Statistics:
        """Return the sums of the terms of each system, without rounding."""
        if self.terms.dtype.kind != "f":
            return np.asarray(self.terms.sum(axis=0))
        flat = self.terms.reshape(len(self.terms), -1).T
        return np.array([fsum(column) for column in flat]).reshape(self.terms.shape[1:])

    def effects(self, totals: Statistics) -> Reals:
        """Return what each row adds to the rate of `totals`: (rows, systems), centred."""
        without = self.column.measure.rate(totals - self.terms)
        defined = ~np.isnan(without)
        count = np.maximum(defined.sum(axis=0), 1)
        mean = np.where(defined, without, 0).sum(axis=0) / count
        return np.asarray(np.where(defined, mean - without, 0.0))


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and its interval; nan where there is none."""

    value: float
    low: float = nan
    high: float = nan


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """The rates of a metric on all sets, and their averages, by system.

    Attributes:
        systems: all systems.
        sets: the sets over which the averages are.
        cells: rate and interval by set and system; missing cells are not there.
        macro: the macro average of each system that has all of `sets`.
        micro: the micro average of these systems.
        drawn: the resampled averages of these systems, by kind of average.
    """

    systems: tuple[str, ...]
    sets: tuple[str, ...]
    cells: dict[tuple[str, str], Interval]
    macro: dict[str, Interval]
    micro: dict[str, Interval]
    drawn: dict[str, dict[str, Reals]] = field(default_factory=dict)


def macro_average(rates: Sequence[float], digits: int | None = None) -> float:
    """Return the mean of rates of sets; with `digits`, of rates in percent that are rounded first.

    Leaderboards round the rate of each set to two decimals, and the average again.

    >>> round(macro_average([0.12344, 0.10006]), 8), macro_average([0.12344, 0.10006], digits=2)
    (0.11175, 0.1118)
    """
    if digits is None:
        return fsum(rates) / len(rates)
    mean = fsum(round(100 * rate, digits) for rate in rates) / len(rates)
    # The quotient is the number that is printed: 11.18 %, and not 11.180000000000001 %.
    return round(mean, digits) / 100


def averages(
    sets: Sequence[SetRows],
    systems: Sequence[str],
    bootstrap: Bootstrap,
    *,
    common: bool = False,
    digits: int | None = None,
) -> Averages:
    """Compute the cells of the matrix and the averages of each system, with their intervals.

    A system without one of the sets has no average. If `common`, averages are over those sets that
    all systems have. `digits` are those to which rates of sets are rounded in macro averages.
    """
    chosen = [rows for rows in sets if _complete(rows, systems)] if common else list(sets)
    complete = [
        name for name in systems if chosen and all(r.place(name) is not None for r in chosen)
    ]
    work = _Drawing(tuple(complete), bootstrap)
    cells: dict[tuple[str, str], Interval] = {}
    with progress("intervals", len(sets)) as step:
        for rows in sets:
            cells |= work.add(rows, counts=any(rows is each for each in chosen))
            step(1)
    macro, micro = {}, {}
    for place, name in enumerate(complete):
        rates = [rows.rates[rows.systems.index(name)] for rows in chosen]
        macro[name] = work.macro(place, macro_average(rates, digits))
        micro[name] = work.micro(place, chosen)
    return Averages(
        tuple(systems), tuple(rows.name for rows in chosen), cells, macro, micro, work.drawn()
    )


def _complete(rows: SetRows, systems: Sequence[str]) -> bool:
    return all(rows.place(name) is not None for name in systems)


class _Drawing:
    """The resampled rates of all sets, and the effects of their rows on the averages."""

    def __init__(self, complete: tuple[str, ...], bootstrap: Bootstrap) -> None:
        self.complete, self.bootstrap = complete, bootstrap
        self.rate: Rate = ratio_of_terms
        self.rates: list[Reals] = []  # of the complete systems: (resamples, systems)
        self.effects: list[Reals] = []  # of the rows on the rates of their sets
        self.sums: Any = 0.0  # of all sets: (resamples, systems, terms)
        self.has_intervals = True  # of the averages

    def add(self, rows: SetRows, *, counts: bool) -> dict[tuple[str, str], Interval]:
        """Draw resamples of a set; return its cells. It belongs to the averages if it `counts`."""
        size, rate = len(rows.terms), rows.column.measure.rate
        if size < 2 or not self.bootstrap.times:
            self.has_intervals &= not counts
            return {(rows.name, name): Interval(value) for _, name, value in _placed(rows)}
        drawn_sums = self._resampled(rows)
        drawn, effects = rate(drawn_sums), rows.effects(rows.sums())
        found = {}
        for place, name, value in _placed(rows):
            found[rows.name, name] = _interval(
                value, drawn[:, place], [effects[:, place]], self.bootstrap
            )
        if counts and self.complete:
            places = [rows.systems.index(name) for name in self.complete]
            self.rate = rate
            self.rates.append(drawn[:, places])
            self.effects.append(effects[:, places])
            self.sums = self.sums + drawn_sums[:, places]
        return found

    def _resampled(self, rows: SetRows) -> Reals:
        """Return the sums of resamples: (resamples, systems, terms)."""
        size, *shape = rows.terms.shape
        # Systems have some terms in common, such as the number of reference words.
        flat, places = _distinct_columns(rows.terms.reshape(size, -1))
        seed = np.random.SeedSequence([self.bootstrap.seed, crc32(rows.name.encode())])
        own = replace(
            self.bootstrap, seed=int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
        )
        parts = [drawn @ flat for drawn in draw_counts(size, own)]
        return np.concatenate(parts)[:, places].reshape(-1, *shape)

    def macro(self, place: int, value: float) -> Interval:
        """Return the interval of the macro average of a complete system."""
        if not self.has_intervals:
            return Interval(value)
        share = 1 / len(self.effects)
        effects = [share * own[:, place] for own in self.effects]
        drawn = np.mean([own[:, place] for own in self.rates], axis=0)
        return _interval(value, drawn, effects, self.bootstrap)

    def micro(self, place: int, sets: Sequence[SetRows]) -> Interval:
        """Return the micro average of a complete system with its interval."""
        name, rate = self.complete[place], sets[0].column.measure.rate
        totals = [rows.sums()[rows.systems.index(name)] for rows in sets]
        total = np.array([fsum(term) for term in zip(*totals, strict=True)])
        value = float(rate(total))
        if not self.has_intervals:
            return Interval(value)
        effects = []
        for rows in sets:
            without = rate(total - rows.terms[:, rows.systems.index(name)])
            effects.append(without.mean() - without)
        return _interval(value, rate(self.sums[:, place]), effects, self.bootstrap)

    def drawn(self) -> dict[str, dict[str, Reals]]:
        """Return the resampled averages of the complete systems, by kind of average."""
        if not (self.has_intervals and self.rates):
            return {}
        of_kind = {MACRO: np.mean(self.rates, axis=0), MICRO: self.rate(self.sums)}
        return {
            kind: {name: drawn[:, place] for place, name in enumerate(self.complete)}
            for kind, drawn in of_kind.items()
        }


def _distinct_columns(values: Statistics) -> tuple[Reals, list[int]]:
    """Return the distinct columns of an array, and the place of each column among them."""
    known: dict[bytes, int] = {}
    columns = np.ascontiguousarray(values.T)
    places = [known.setdefault(column.tobytes(), len(known)) for column in columns]
    first = [places.index(place) for place in range(len(known))]
    return np.ascontiguousarray(columns[first].T, dtype=np.float64), places


def _placed(rows: SetRows) -> Iterator[tuple[int, str, float]]:
    """Yield the place, the name and the rate of each system that has a rate on a set."""
    for place, (name, rate) in enumerate(zip(rows.systems, rows.rates.tolist(), strict=True)):
        if not isnan(rate):
            yield place, name, rate


def _interval(
    value: float, drawn: Reals, effects: Sequence[Reals], bootstrap: Bootstrap
) -> Interval:
    """Return the interval of a rate from its resamples and the effects of the rows of each set."""
    spread = stratified_jackknife([Stratum(own, np.ones(len(own))) for own in effects])
    if spread is None:
        return Interval(value, *percentiles(drawn, Jackknife(2, 1).symmetric_levels(0.95)))
    levels = spread.shifted_levels(bootstrap.confidence, share_below(drawn, value))
    return Interval(value, *percentiles(drawn, levels))
