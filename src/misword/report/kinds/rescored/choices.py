"""The hypothesis of each N-best list that a language model prefers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from misword.core.types import Result
from misword.report.result_access import table


@dataclass(frozen=True)
class ScoredLists:
    """The hypotheses of all lists, by list and rank, and the columns of the language models.

    `starts` has the row of the first hypothesis of each list, and the number of rows at its end.
    """

    hypotheses: pl.DataFrame
    models: list[str]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, result: Result) -> ScoredLists | None:
        """Return the lists of a result; None if it has no hypotheses."""
        frame, summary = table(result, "hypotheses"), table(result, "summary")
        if frame is None or summary is None:
            return None
        keys = [name for name in ("system", "utt") if name in frame.columns]
        numbered = frame.select(*keys, "rank").with_row_index("first")
        # Lists are in the order of their first hypothesis.
        numbered = numbered.with_columns(pl.col("first").min().over(keys))
        order = numbered.select(pl.arg_sort_by("first", "rank")).to_series()
        starts = np.flatnonzero(
            np.diff(numbered["first"][order].to_numpy().astype(int), prepend=-1)
        )
        return cls(frame[order], summary["column"].to_list(), np.append(starts, len(frame)))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def preferred(self) -> dict[str, NDArray[np.int64]]:
        """For each model, the place of the most probable hypothesis in each list, from 0.

        Of equally probable ones it is the first.
        """
        places = {}
        for model in self.models:
            values = self.hypotheses[model].to_numpy()
            found = [
                int(values[start:end].argmax())
                for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)
            ]
            places[model] = np.array(found, np.int64)
        return places

    def ranks(self, model: str) -> NDArray[np.int64]:
        """Return the rank of the hypothesis that a model prefers in each list."""
        ranks = self.hypotheses["rank"].to_numpy()
        return np.asarray(ranks[self.starts[:-1] + self.preferred[model]], np.int64)

    def agreements(self) -> dict[tuple[str, str], float]:
        """Return the share of lists in which two models prefer the same hypothesis."""
        return {
            (a, b): float((self.preferred[a] == self.preferred[b]).mean())
            for a, b in combinations(self.models, 2)
        }
