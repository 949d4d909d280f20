"""The choice with the least expected cost from N-best lists, at several scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.asr.risk.expected_costs import PairCost, expected_costs
from misword.asr.risk.posteriors import (
    Values,
    WeightedFeatures,
    effective_numbers,
    notes_on_posterior,
    notes_on_scores,
    posteriors,
)
from misword.core.types import Corpus

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class RiskChoices:
    """The hypotheses of N-best lists, and the choice from them at each scale.

    `posterior` and `expected` have a row for each hypothesis and a column for each scale; `rows`
    has the chosen hypothesis of each list, for each scale. `scores` is None if there are none.
    """

    table: pl.DataFrame
    lists: HypothesisLists
    scores: Values | None
    scales: tuple[float, ...]
    posterior: Values
    expected: Values
    rows: tuple[Rows, ...]

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        lists: HypothesisLists,
        scores: Values | None,
        scales: Sequence[float],
        cost: PairCost,
    ) -> RiskChoices:
        """Choose at each scale; of equally good hypotheses the first is taken."""
        posterior = posteriors(lists, scores, scales)
        expected = expected_costs(lists, table["text"].to_list(), posterior, cost)
        rows = tuple(lists.with_least(column).first for column in expected.T)
        return cls(table, lists, scores, tuple(scales), posterior, expected, rows)

    def chosen(self, scale: int) -> pl.DataFrame:
        """Return the table of chosen hypotheses at the scale of this number."""
        import polars as pl

        rows, expected = self.rows[scale], self.expected[:, scale]
        shares = self.table.select("utt", "text", share=pl.Series(self.posterior[:, scale]))
        same = shares.select(pl.col("share").sum().over("utt", "text")).to_series()
        columns = [
            pl.Series("expected", expected[rows]),
            pl.Series("expected_first", expected[self.lists.first]),
            same.gather(rows).alias("posterior"),
            pl.Series("hypotheses", self.lists.lengths),
        ]
        return self.table[rows].select("utt", "system", "rank", "text").hstack(columns)

    def effective(self, scale: int) -> float:
        """Return the mean effective number of hypotheses at the scale of this number."""
        return float(effective_numbers(self.lists, self.posterior[:, scale]).mean())

    def notes(self, scale: int, *, fixed: bool) -> Iterator[str]:
        """Yield notes on the scores, and on the posterior at the scale of this number.

        Only a scale that the user fixed can be advised against.
        """
        yield from notes_on_scores(self.lists, self.scores)
        if self.scores is not None and fixed:
            yield from notes_on_posterior(self.lists, self.posterior[:, scale])


def scored_lists(
    corpus: Corpus, features: WeightedFeatures
) -> tuple[HypothesisLists, Values | None]:
    """Return the lists of a corpus whose rows are in order, and the score of each hypothesis."""
    lists = HypothesisLists.of(corpus.hypotheses["rank"].to_numpy().astype(np.int64))
    return lists, features.scores(corpus.hypotheses, lists)
