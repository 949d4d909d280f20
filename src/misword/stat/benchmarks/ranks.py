"""Ranks of systems with ties: all pairs tested, with one correction over the whole matrix.

Two systems are compared on the same utterances by the paired permutation test of `stat.paired`, on
each set and on the average. For the macro average, the results of an utterance are swapped in the
rate of its set; all utterances of all sets are swapped independently. The p-values of all pairs on
all sets and on the average, by all metrics, are corrected together by Holm's method: the
probability that any two equally good systems are told apart anywhere in the matrix is at most 5 %.

The rank of a system is 1 plus the number of systems that are better than it by these tests. Systems
that no test tells apart so share a rank. The last possible rank is the number of systems minus that
of the systems that are worse. "Not told apart" is not transitive: if a and b, and b and c, are not
told apart, a can still be better than c; then a and b have rank 1, and c has rank 2.

References: E. Noreen, Computer-intensive methods for testing hypotheses, Wiley 1989; S. Holm, A
simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.benchmarks.matrix import MACRO, MICRO, Averages, Reals, SetRows
from misword.stat.bootstrap import Bootstrap, Rate, Stratum, percentiles, stratified_jackknife
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import (
    NOISE,
    holm,
    permutation_p,
    swap_effects,
    swap_gradient,
)

# The columns of a table of pairs. `set` is null for the average.
PAIRS = {
    "metric": pl.String, "set": pl.String, "system": pl.String, "other": pl.String,
    "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "p": pl.Float64, "p_holm": pl.Float64,
}  # fmt: skip


class PairEffects:
    """The effects of the rows of a set on the difference of the rates of any two of its systems.

    They are those of `stat.paired.swap_effects`: the distinct ones, with their counts.
    """

    def __init__(self, terms: Statistics, rate: Rate) -> None:
        self.terms, self.rate = terms, rate
        self.sums = terms.sum(axis=0)
        self.sizes = np.abs(terms).sum(axis=0)
        whole, same = terms.dtype.kind == "i", (terms == terms[:, :1]).all(axis=(0, 1))
        # Mostly systems differ in one whole number: the errors of an utterance.
        self.only = int(np.argmin(same)) if whole and np.count_nonzero(~same) == 1 else None

    def of(self, one: int, other: int) -> Stratum:
        """Return the effects on `rate of one - rate of other`, given their places."""
        if self.only is None:
            effects = swap_effects(self.terms[:, other], self.terms[:, one], self.rate)
            return Stratum(*np.unique(effects, return_counts=True))
        middle = (self.sums[one] + self.sums[other]) / 2
        gradient = swap_gradient(middle, self.sizes[one] + self.sizes[other], self.rate)
        changes = self.terms[:, one, self.only] - self.terms[:, other, self.only]
        least = int(changes.min(initial=0))
        counts = np.bincount(changes - least)
        values = np.flatnonzero(counts)
        return Stratum((values + least) * gradient[self.only], counts[values])


def test_pairs(
    sets: Sequence[SetRows], found: Averages, average: str, bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Test all pairs of systems by one metric, on each set and on the average.

    Differences are `system` minus `other`: negative is better. Pairs on the average have an
    interval by paired bootstrap.
    """
    label, rows = sets[0].column.label, list[dict[str, Any]]()
    joint: dict[tuple[str, str], list[Stratum]] = {}
    with progress("testing pairs", len(sets)) as step:
        for own in sets:
            effects = PairEffects(own.terms, own.column.measure.rate)
            share = 1 / len(found.sets) if own.name in found.sets else 0
            present = [name for name in found.systems if own.place(name) is not None]
            for one, other in combinations(present, 2):
                left, right = (own.systems.index(name) for name in (one, other))
                values, counts = of_pair = effects.of(left, right)
                before, after = float(own.rates[right]), float(own.rates[left])
                pair = {"metric": label, "set": own.name, "system": one, "other": other}
                rows.append(pair | _tested(after - before, after + before, [of_pair]))
                if average == MACRO and share:
                    weighted = Stratum(share * values, counts)
                    joint.setdefault((one, other), []).append(weighted)
            step(1)
    if average == MICRO:
        joint = _pooled(sets, found)
    rates = found.macro if average == MACRO else found.micro
    drawn = found.drawn.get(average, {})
    for one, other in combinations(rates, 2):
        difference = rates[one].value - rates[other].value
        on_average: dict[str, Any] = {"metric": label, "set": None, "system": one, "other": other}
        on_average |= _tested(difference, rates[one].value + rates[other].value, joint[one, other])
        if drawn:
            on_average |= _ends(drawn[one] - drawn[other], joint[one, other], bootstrap)
        rows.append(on_average)
    return rows


def _pooled(sets: Sequence[SetRows], found: Averages) -> dict[tuple[str, str], list[Stratum]]:
    """Return the effects of all pairs of complete systems on the difference of micro averages."""
    names = list(found.micro)
    if len(names) < 2:
        return {}
    chosen = [own for own in sets if own.name in found.sets]
    whole = [own.terms[:, [own.systems.index(name) for name in names]] for own in chosen]
    effects = PairEffects(np.concatenate(whole), chosen[0].column.measure.rate)
    places = {name: place for place, name in enumerate(names)}
    return {
        (one, other): [effects.of(places[one], places[other])]
        for one, other in combinations(names, 2)
    }


def _tested(difference: float, size: float, effects: Sequence[Stratum]) -> dict[str, float]:
    """Return a difference and the p-value of its permutation test; no difference has p = 1."""
    if isnan(difference) or abs(difference) <= NOISE * abs(size):
        return {"difference": 0.0 if not isnan(difference) else nan, "p": 1.0}
    values = np.concatenate([own.effects for own in effects])
    counts = np.concatenate([own.counts for own in effects])
    return {"difference": difference, "p": permutation_p(values, counts)}


def _ends(drawn: Reals, effects: Sequence[Stratum], bootstrap: Bootstrap) -> dict[str, float]:
    """Return the interval of the difference of two averages."""
    spread = stratified_jackknife(effects)
    if spread is None:
        return {"low": 0.0, "high": 0.0}
    low, high = percentiles(drawn, spread.symmetric_levels(bootstrap.confidence))
    return {"low": low, "high": high}


def corrected(pairs: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the table of all pairs with p-values that are corrected together by Holm's method."""
    table = pl.DataFrame(list(pairs), schema={**PAIRS, "p_holm": pl.Float64})
    p = holm(table["p"].fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", p, pl.Float64)).fill_nan(None)


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a system, and the last rank that the tests leave possible."""

    first: int
    last: int


def ranks(pairs: pl.DataFrame, systems: Iterable[str]) -> dict[str, Rank]:
    """Return the ranks of systems from the pairs of one metric on one set or on the average.

    >>> rows = [{"system": "a", "other": "b", "difference": -0.1, "p_holm": 0.01},
    ...         {"system": "a", "other": "c", "difference": -0.1, "p_holm": 0.2},
    ...         {"system": "b", "other": "c", "difference": 0.01, "p_holm": 0.9}]
    >>> found = ranks(pl.DataFrame(rows), "abc")
    >>> {name: (rank.first, rank.last) for name, rank in found.items()}
    {'a': (1, 2), 'b': (2, 3), 'c': (1, 3)}
    """
    names = list(systems)
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for winner, loser in told_apart(pairs):
        better[loser] += 1
        worse[winner] += 1
    return {name: Rank(1 + better[name], len(names) - worse[name]) for name in names}


def told_apart(pairs: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield winner and loser of each pair that the tests tell apart."""
    sure = pairs.filter(pl.col("p_holm") < SIGNIFICANCE_LEVEL)
    for one, other, difference in sure.select("system", "other", "difference").iter_rows():
        yield (one, other) if difference < 0 else (other, one)
