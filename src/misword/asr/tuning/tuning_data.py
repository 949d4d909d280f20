"""The N-best lists that weights are tuned on or tested on: features, scores and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.blocks import block_column
from misword.asr.choosing.choice import JudgedHypotheses
from misword.asr.choosing.lists import HypothesisLists
from misword.asr.choosing.tables import arranged
from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.feature_columns import default_features, feature_values
from misword.asr.tuning.feature_lists import FeatureLists
from misword.core.errors import OptionError
from misword.core.formatting import listed
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class TuningData:
    """The hypotheses of one system, list by list, with their features and scores.

    `table` are the scores, a row for each hypothesis, and `texts` the texts, if they are known.
    `names` are the features and `features` their values. `blocks` numbers the lists that belong
    together, such as those of one speaker; without blocks, each list has a number of its own.
    """

    table: pl.DataFrame
    texts: pl.DataFrame | None
    names: tuple[str, ...]
    features: Numbers
    lists: HypothesisLists
    judged: dict[str, JudgedHypotheses]
    blocks: Rows

    @classmethod
    def of(
        cls,
        scores: Scores,
        texts: pl.DataFrame | None,
        names: Sequence[str] | None,
        block: str | None,
    ) -> TuningData:
        """Take the lists of scores; `names` are features (default: all), `block` is a column."""
        if len(scores.systems) > 1:
            raise OptionError(
                f"weights are tuned for one system, and here are {listed(scores.systems)}",
                fix="name one file of N-best lists; to choose one of several systems: --systems",
            )
        columns = scores.features
        chosen = tuple(names) if names is not None else default_features(columns)
        table = arranged(scores.table)
        lists = HypothesisLists.of(table["rank"].to_numpy())
        blocks = np.arange(len(lists))
        if block:
            block_column(scores, block)
            named = table[block][lists.first].to_list()
            numbers = {value: number for number, value in enumerate(dict.fromkeys(named))}
            blocks = np.array([numbers[value] for value in named], np.int64)
        judged = {
            column.label: JudgedHypotheses(column.measure, column.terms(table))
            for column in scores.columns
        }
        features = feature_values(table, chosen, columns, texts)
        return cls(table, texts, chosen, features, lists, judged, blocks)

    def __len__(self) -> int:
        return len(self.lists)

    def feature_lists(self, by: str) -> FeatureLists:
        """Return the lists with what the metric `by` says of each hypothesis."""
        judged = self.judged[by]
        return FeatureLists(self.features, self.lists.offsets, judged.terms, judged.measure)

    def chosen(self, rows: Rows) -> pl.DataFrame:
        """Return the utterance, system, rank and text of chosen rows; null if it is not known."""
        import polars as pl

        keys = ["utt", "system", "rank"]
        chosen = self.table[rows].select(keys)
        if self.texts is None:
            return chosen.with_columns(text=pl.lit(None, pl.String))
        texts = self.texts.select(*keys, pl.col("hypothesis").alias("text"))
        return chosen.join(texts, on=keys, how="left", maintain_order="left")
