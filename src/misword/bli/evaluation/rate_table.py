"""The table of rates: each system, rate and slice of the lexicon, with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.headword_counts import HeadwordCounts
from misword.bli.evaluation.rates import quotient
from misword.bli.evaluation.settings import EvaluationSettings
from misword.bli.evaluation.slices import Slices
from misword.stat.intervals import interval

if TYPE_CHECKING:
    import polars as pl


def rate_table(
    systems: Sequence[GoldRanks], slices: Slices, settings: EvaluationSettings
) -> pl.DataFrame:
    """Return a row for each system, slice and rate; `column` is null for the whole lexicon."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for ranks in systems:
        whole: dict[str, Any] = {"system": ranks.system, "column": None, "value": None}
        rows += _rows(ranks.counts(settings.k_values), settings, whole)
        for column, values in slices.items():
            for value, pairs in values.items():
                names = whole | {"column": column, "value": value}
                rows += _rows(ranks.counts(settings.k_values, pairs), settings, names)
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _rows(
    counts: HeadwordCounts, settings: EvaluationSettings, names: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return a row for each rate of one system and one slice, which `names` names."""
    rows = []
    for rate in settings.rates:
        terms = rate.terms(counts)
        included = terms[terms[:, 1] > 0]
        low, high = interval(included, quotient, settings.bootstrap)
        part, whole = included.sum(axis=0).tolist()
        row = names | {"metric": rate.name, "kind": rate.kind, "k": rate.k}
        row |= {"rate": part / whole if whole else np.nan, "low": low, "high": high}
        row |= {"part": part, "whole": whole, "headwords": len(included)}
        rows.append(row)
    return rows
