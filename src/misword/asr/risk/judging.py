"""The rates of chosen hypotheses, if there are references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from misword.asr.choosing.choice import JudgedHypotheses, choose
from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.core.formatting import probability
from misword.stat.bootstrap import Bootstrap
from misword.stat.scores import Scores

RANK_1, MBR, HELD_OUT, ORACLE = "rank 1", "mbr", "mbr, held out", "oracle"
# A difference with a higher p-value is not told from chance.
SIGNIFICANT = 0.05

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceJudge:
    """Judges choices from lists by the metrics of scores; the rows of both are in one order."""

    lists: HypothesisLists
    judged: Mapping[str, JudgedHypotheses]
    bootstrap: Bootstrap

    @classmethod
    def of(cls, lists: HypothesisLists, scores: Scores, bootstrap: Bootstrap) -> ChoiceJudge:
        """Read the terms of each metric from scores."""
        judged = {
            column.label: JudgedHypotheses(
                column.measure, np.asfortranarray(column.terms(scores.table))
            )
            for column in scores.columns
        }
        return cls(lists, judged, bootstrap)

    def rates(self, choices: Mapping[str, Rows]) -> Iterator[Row]:
        """Yield the rate of rank 1, of each choice, and of the best choice, by each metric.

        Differences are from rank 1. The best choice, the oracle, has no p-value: it cannot be worse
        than rank 1.
        """
        for label, judged in self.judged.items():
            best = choose(self.lists, self.judged, label).rows
            for name, rows in {RANK_1: self.lists.first, **choices, ORACLE: best}.items():
                numbers = judged.compared(rows, self.lists.first, self.bootstrap)
                if name in (RANK_1, ORACLE):
                    numbers["p"] = nan
                yield {"metric": label, "choice": name, **numbers}


def note_on_gain(rows: list[Row], metric: str) -> str:
    """Return a note if the choice is not shown to be better than rank 1; empty if it is.

    The choice is the one on held-out lists, if the scale was chosen on the same references.
    """
    own = {row["choice"]: row for row in rows if row["metric"] == metric}
    name = HELD_OUT if HELD_OUT in own else MBR
    difference, p = own[name]["difference"], own[name]["p"]
    if difference is None or p is None:
        return ""
    if difference < 0 and p < SIGNIFICANT:
        return ""
    if difference < 0:
        return (
            f"nothing is gained for certain: the choice ({name}) has a lower {metric} than rank 1, "
            f"but this may be chance (p = {probability(p)})"
        )
    return f"nothing is gained: the choice ({name}) has no lower {metric} than rank 1"
