"""Which of several systems has the lowest rate, by each metric, and how certain that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.held_out import fold_numbers
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, draw_counts
from misword.stat.intervals import interval
from misword.stat.measure import Measure
from misword.stat.paired import by_block, paired

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class SystemRates:
    """The terms of one metric for each system: `terms[system, block]`."""

    label: str
    measure: Measure
    names: tuple[str, ...]
    terms: Statistics

    @classmethod
    def all_of(cls, systems: MatchedSystems, blocks: Rows) -> list[SystemRates]:
        """Return the terms of each metric; the utterances of one block are added up."""
        names = tuple(systems.by_system)
        return [
            cls(
                column.label,
                column.measure,
                names,
                np.stack([
                    by_block(column.terms(systems.by_system[name].table), blocks)
                    for name in names
                ]),
            )
            for column in systems.scores.columns
        ]  # fmt: skip

    @property
    def rates(self) -> Numbers:
        """The rate of each system; infinite if it is undefined."""
        return self._rates(self.terms.sum(axis=1))

    @property
    def best(self) -> int:
        """The number of the first system with the lowest rate."""
        return int(np.argmin(self.rates))

    def _rates(self, sums: Statistics) -> Numbers:
        rates = np.asarray(self.measure.rate(sums), np.float64)
        return np.where(np.isnan(rates), np.inf, rates)

    def best_of_resamples(self, bootstrap: Bootstrap) -> Rows:
        """Return the number of the best system in each resample of the blocks."""
        best = [
            np.argmin(self._rates(np.einsum("db,sbk->dsk", drawn, self.terms)), axis=1)
            for drawn in draw_counts(self.terms.shape[1], bootstrap)
        ]
        return np.concatenate(best).astype(np.int64) if best else np.zeros(0, np.int64)

    def held_out(self, fold: Rows) -> tuple[float, list[int]]:
        """Return the rate of each fold's utterances by the system that is best on the others.

        The second value is the system that is chosen for each fold.
        """
        sums, chosen = np.zeros(self.terms.shape[2]), []
        for number in range(int(fold.max()) + 1):
            training = self.terms[:, fold != number].sum(axis=1)
            chosen.append(int(np.argmin(self._rates(training))))
            sums += self.terms[chosen[-1], fold == number].sum(axis=0)
        return float(self.measure.rate(sums)), chosen


def system_rows(rates: SystemRates, drawn: Rows, bootstrap: Bootstrap) -> Iterator[Row]:
    """Yield the rate of each system, its difference from the best one, and how often it is best."""
    best, rate = rates.terms[rates.best], rates.measure.rate
    for number, name in enumerate(rates.names):
        terms = rates.terms[number]
        found = paired(best, terms, rate, bootstrap)
        low, high = interval(terms, rate, bootstrap)
        yield {
            "metric": rates.label,
            "system": name,
            "rate": found.rate,
            "low": low,
            "high": high,
            "chosen": number == rates.best,
            "difference": found.difference,
            "difference_low": found.low,
            "difference_high": found.high,
            "p": found.p,
            "best_share": float(np.mean(drawn == number)) if len(drawn) else np.nan,
        }


def choice_row(rates: SystemRates, drawn: Rows, folds: int, seed: int) -> Row:
    """Return which system a metric chooses, the next one, and what the choice is worth."""
    values, best = rates.rates, rates.best
    following = int(np.argmin(np.where(np.arange(len(values)) == best, np.inf, values)))
    test = paired(rates.terms[best], rates.terms[following], rates.measure.rate, Bootstrap(0))
    row: Row = {
        "metric": rates.label,
        "system": rates.names[best],
        "rate": float(values[best]),
        "next": rates.names[following],
        "next_difference": test.difference,
        "next_p": test.p,
        "others": float(np.mean(drawn != best)) if len(drawn) else np.nan,
        "held_out": np.nan,
        "folds": 0,
        "same_folds": 0,
    }
    blocks = rates.terms.shape[1]
    if min(folds, blocks) > 1:
        fold = fold_numbers(np.arange(blocks), min(folds, blocks), seed)
        row["held_out"], chosen = rates.held_out(fold)
        row |= {"folds": len(chosen), "same_folds": chosen.count(best)}
    return row


def judged_rows(all_rates: list[SystemRates]) -> Iterator[Row]:
    """Yield the rate, by each metric, of the system that each metric chooses."""
    for chooser in all_rates:
        for judge in all_rates:
            values = judge.rates
            yield {
                "chosen_by": chooser.label,
                "system": chooser.names[chooser.best],
                "metric": judge.label,
                "rate": float(values[chooser.best]),
                "lowest": float(values[judge.best]),
            }
