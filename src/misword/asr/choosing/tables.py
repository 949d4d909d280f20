"""The tables of `misword.oracle` for one system: rates of choices, oracle curves, ties, texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.choosing.choice import RANK, Choice, JudgedHypotheses, choose
from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.core.rank_order import lists_in_order
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import MetricColumn

if TYPE_CHECKING:
    import polars as pl

# What the tables name as the chooser of the hypotheses of rank 1.
RANK_1 = "rank 1"
# The steps of the default depths, times powers of ten.
STEPS = (1, 2, 5)

Row = dict[str, Any]


def arranged(table: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of one system list by list, each in the order of the ranks.

    Lists are in the order of their first rows.
    """
    import polars as pl

    if lists_in_order(table):
        return table
    numbered = table.select("utt", "rank").with_row_index("row")
    first = pl.col("row").min().over("utt")
    return table[numbered.sort(first, "rank")["row"]]


def default_depths(longest: int) -> tuple[int, ...]:
    """Return the depths 1, 2, 5, 10, 20, ... that are less than the longest list, and its length.

    >>> default_depths(30)
    (1, 2, 5, 10, 20, 30)
    """
    powers = (10**power for power in range(len(str(longest))))
    steps = [step * power for power in powers for step in STEPS]
    return *(depth for depth in steps if depth < longest), longest


class SystemChoices:
    """The choices from the N-best lists of one system, by each metric and depth.

    The hypotheses of rank 1 are the choice at depth 1.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        columns: Sequence[MetricColumn],
        depths: Sequence[int],
        ties: str,
        bootstrap: Bootstrap,
    ) -> None:
        self.table, self.columns, self.bootstrap = arranged(table), columns, bootstrap
        self.system = self.table["system"][0]
        self.lists = HypothesisLists.of(self.table["rank"].to_numpy())
        self.depths, self.depth = tuple(depths), max(depths)
        self.judged = {
            column.label: JudgedHypotheses(
                column.measure, np.asfortranarray(column.terms(self.table))
            )
            for column in columns
        }
        self.used = self.lists.up_to(self.depth)
        self.choices = {label: choose(self.used, self.judged, label, ties) for label in self.judged}
        self._ties = ties

    def rates(self) -> Iterator[Row]:
        """Yield the rate of each choice by each metric, at the greatest depth."""
        chosen = {RANK_1: self.lists.first, **{by: c.rows for by, c in self.choices.items()}}
        for label in self.judged:
            for by, rows in chosen.items():
                depth = 1 if by == RANK_1 else self.depth
                head = {"system": self.system, "metric": label, "chosen_by": by, "depth": depth}
                yield {**head, **self._numbers(label, rows)}

    def curves(self) -> Iterator[Row]:
        """Yield the rate of each metric's own choice at each depth."""
        lengths = self.lists.lengths
        for label in self.judged:
            for depth in self.depths:
                head = {"system": self.system, "metric": label, "depth": depth}
                numbers = self._numbers(label, self._choice(label, depth).rows)
                yield {**head, **numbers, "shorter": int((lengths < depth).sum())}

    def _choice(self, label: str, depth: int) -> Choice:
        if depth == self.depth:
            return self.choices[label]
        return choose(self.lists.up_to(depth), self.judged, label, self._ties)

    def _numbers(self, label: str, rows: Rows) -> Row:
        """Return the rate of chosen rows and its difference from rank 1, with intervals."""
        numbers = self.judged[label].compared(rows, self.lists.first, self.bootstrap)
        del numbers["p"]  # the best choice cannot be worse than rank 1
        return numbers

    def ties(self) -> Iterator[Row]:
        """Yield how many lists have several best hypotheses, and what their choice can change.

        `lowest` and `highest` are the rates of the best and of the worst choice among hypotheses
        that the choosing metric finds equally good; `own` is the rate of the metric's own choice.
        """
        own = {
            label: judged.rate(self.choices[label].rows) for label, judged in self.judged.items()
        }
        for by, choice in self.choices.items():
            tied = int((choice.tied.lengths > 1).sum())
            for label, judged in self.judged.items():
                rate = judged.rate(choice.rows)
                lowest, highest = (rate, rate) if label == by else self._range(label, choice)
                head = {"system": self.system, "chosen_by": by, "metric": label}
                differing = 0 if label == by else judged.differing(choice.tied)
                counts = {"lists": len(self.lists), "tied": tied, "differing": differing}
                yield {**head, **counts, "rate": rate, "lowest": lowest, "highest": highest,
                       "own": own[label]}  # fmt: skip

    def _range(self, label: str, choice: Choice) -> tuple[float, float]:
        """Return the lowest and the highest rate of a metric over all ways to break ties."""
        judged = self.judged[label]
        worst = judged.worst(choice.tied)
        highest = nan if worst is None else judged.rate(worst.first)
        return judged.rate(judged.best(choice.tied).first), highest

    def chosen(self) -> pl.DataFrame:
        """Return the utterance and rank of each chosen hypothesis, and how many are as good."""
        import polars as pl

        frames = [
            self.table[choice.rows]
            .select("utt", "system", "rank")
            .with_columns(chosen_by=pl.lit(by), best=pl.Series(choice.tied.lengths))
            for by, choice in self.choices.items()
        ]
        return pl.concat(frames)

    def notes(self) -> Iterator[str]:
        """Yield sentences on short lists and on choices that may not be the best."""
        count, lengths = len(self.lists), self.lists.lengths
        single = int((lengths == 1).sum())
        if single:
            yield f"{self.system}: {single:,} of {count:,} lists have one hypothesis"
        shorter = int((lengths < self.depth).sum())
        if shorter and self.depth > 1:
            short = f"{shorter:,} of {count:,} lists have fewer than {self.depth:,} hypotheses"
            yield f"{self.system}: {short}; all of theirs are used"
        for label, judged in self.judged.items():
            if not judged.is_exact(self.used):
                yield (
                    f"{label}: the references have readings of different lengths, so its choice "
                    "may not have the lowest rate"
                )


def ties_rule(ties: str, labels: Sequence[str]) -> str:
    """Return the problem with a rule for ties; empty if the rule can be used."""
    if ties == RANK or ties in labels:
        return ""
    return f"ties are decided by {ties!r}, which is not among the metrics"
