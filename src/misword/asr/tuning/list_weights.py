"""Weights of features that are applied to other N-best lists, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.choosing.lists import HypothesisLists
from misword.asr.choosing.tables import arranged
from misword.asr.tuning.feature_columns import feature_values
from misword.asr.tuning.feature_lists import highest, weighted_sum
from misword.core.errors import InputError, OptionError
from misword.io.files.indexes import read_index
from misword.io.files.schema import anything, mapping_of, number, record
from misword.io.files.sources import PathLike

if TYPE_CHECKING:
    import polars as pl

MARK = "misword-weights"
VERSION = 1
SCHEMA = record({"weights": mapping_of(number()), "about": mapping_of(anything)})
EXAMPLE = "score=1,lm=0.5"


@dataclass(frozen=True, slots=True)
class ListWeights:
    """The weight of each feature; `about` says how they were tuned, for people who read the file.

    >>> str(ListWeights.parse("score=1, lm=0.25"))
    'score=1,lm=0.25'
    """

    weights: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return ",".join(f"{name}={_shortest(value)}" for name, value in self.weights.items())

    @classmethod
    def parse(cls, text: str) -> ListWeights:
        """Read weights such as `score=1,lm=0.5`."""
        weights: dict[str, float] = {}
        for piece in text.split(","):
            name, sign, value = piece.strip().rpartition("=")
            try:
                weight = float(value)
            except ValueError:
                weight = np.nan
            if not sign or not name or not isfinite(weight) or name in weights:
                raise OptionError(f"{piece.strip()!r} is not a weight", fix=f"use {EXAMPLE}")
            weights[name] = weight
        return cls(weights)

    @classmethod
    def read(cls, path: PathLike) -> ListWeights:
        """Read the file that `misword tune --weights` wrote."""
        wrong = InputError(
            "these are no weights of misword",
            where=str(path),
            fix=f"name a file that `misword tune --weights` wrote, or weights: {EXAMPLE}",
        )
        content = read_index(Path(path), MARK, VERSION, lambda: wrong, SCHEMA)
        return cls(content["weights"], content["about"])

    def file(self) -> bytes:
        """Return the content of a file of weights."""
        content = {"format": MARK, "version": VERSION, "weights": dict(self.weights),
                   "about": dict(self.about)}  # fmt: skip
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()

    def choose(self, hypotheses: pl.DataFrame) -> pl.DataFrame:
        """Return the `utt`, `rank` and `text` that the weights choose from each list.

        `hypotheses` has a row for each hypothesis: `utt`, `rank`, `text` and the features, as
        `Corpus.hypotheses` has for one system.
        """
        import polars as pl

        columns = [name for name, kind in hypotheses.schema.items() if kind.is_numeric()]
        table = arranged(hypotheses).with_columns(system=pl.lit(""))
        texts = table.select("utt", "system", "rank", pl.col("text").alias("hypothesis"))
        known = [name for name in columns if name != "rank"]
        features = feature_values(table, list(self.weights), known, texts)
        weights = np.array(list(self.weights.values()), np.float64)
        offsets = HypothesisLists.of(table["rank"].to_numpy()).offsets
        return table[highest(weighted_sum(features, weights), offsets)].select(
            "utt", "rank", "text"
        )


def _shortest(value: float) -> str:
    """Return the shortest text that is read back as the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
