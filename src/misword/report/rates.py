"""Rates of a result: over all utterances, of single utterances, their order and correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isclose

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.core.types import Result
from misword.stat.descriptions.result_access import (
    Row,
    best_hypotheses,
    group_columns,
    metrics,
    systems,
    table,
)

# Rates of the summary: those over all utterances, their order, and their kinds of error.

# Columns of errors, and what a word of each is called.
ERRORS = {"substitutions": "wrong", "deletions": "missing", "insertions": "extra"}


def overall_rows(result: Result) -> list[Row]:
    """Return the rows of the summary over all utterances; empty if it has only single groups."""
    frame = table(result, "summary")
    if frame is None:
        return []
    whole = frame.to_dicts()
    return [row for row in whole if row.get("total")] if group_columns(frame) else whole


def ranked_rows(rows: Sequence[Row], label: str) -> list[Row]:
    """Return the defined rates of one metric, the lowest first."""
    defined = [row for row in rows if row["metric"] == label and is_number(row["rate"])]
    return sorted(defined, key=lambda row: row["rate"])


def error_rates(row: Row) -> dict[str, float]:
    """Return substitutions, deletions and insertions per reference token.

    It is empty for a metric whose rate is not the sum of the three, such as one with other costs.
    """
    size, rate = row.get("reference"), row.get("rate")
    if not (is_number(size) and is_number(rate)) or size <= 0:
        return {}
    rates = {name: row[name] / size for name in ERRORS if is_number(row.get(name))}
    is_sum = len(rates) == len(ERRORS) and isclose(sum(rates.values()), rate, abs_tol=1e-9)
    return rates if is_sum else {}


# Error rates of single utterances as one array, their changes and their correlations.


@dataclass(frozen=True, slots=True, eq=False)
class UtteranceRates:
    """The rates of utterances: `rates[m, s, u]` of metric `m`, system `s` and utterance `u`.

    A rate that is undefined is nan.
    """

    ids: list[str]
    labels: list[str]
    systems: list[str]
    rates: NDArray[np.float64]

    def changes(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Return the change of each utterance against the first system, by metric and system."""
        return {
            (label, system): self.rates[m, s] - self.rates[m, 0]
            for m, label in enumerate(self.labels)
            for s, system in enumerate(self.systems)
            if s
        }

    def correlations(self) -> list[Row]:
        """Return Pearson correlations of the metrics over utterances, averaged over the systems."""
        correlations: list[Row] = []
        for a, b in combinations(range(len(self.labels)), 2):
            pairs = [self.rates[[a, b], s] for s in range(len(self.systems))]
            pairs = [pair[:, np.isfinite(pair).all(axis=0)] for pair in pairs]
            pairs = [
                pair for pair in pairs if pair.shape[1] > 2 and (np.ptp(pair, axis=1) > 0).all()
            ]
            if pairs:
                correlations.append(
                    {
                        "a": self.labels[a],
                        "b": self.labels[b],
                        "pearson": float(np.mean([_pearson(*pair) for pair in pairs])),
                        "utterances": round(np.mean([pair.shape[1] for pair in pairs])),
                    }
                )
        return correlations


def utterance_rates(result: Result) -> UtteranceRates | None:
    """Return the rates of the first hypotheses; None without a table of utterances or lists."""
    frame = table(result, "utterances")
    if frame is None:
        frame = table(result, "lists")
    if frame is None:
        return None
    frame = best_hypotheses(frame)
    ids = frame["utt"].unique(maintain_order=True)
    names = systems(result)
    labels = [label for label in metrics(result) if f"{label}.rate" in frame.columns]
    rates = np.full((len(labels), len(names), len(ids)), np.nan)
    for s, name in enumerate(names):
        of_system = frame.filter(system=name)
        columns = positions(of_system["utt"], ids)
        for m, label in enumerate(labels):
            rates[m, s, columns] = of_system[f"{label}.rate"].cast(float).to_numpy()
    return UtteranceRates(ids.cast(str).to_list(), labels, names, rates)


def positions(values: pl.Series, vocabulary: pl.Series) -> NDArray[np.int64]:
    """Return the position of each value in a vocabulary of distinct values; -1 if it is missing."""
    numbered = pl.DataFrame({"value": vocabulary, "position": np.arange(len(vocabulary))})
    joined = pl.DataFrame({"value": values}).join(
        numbered, on="value", how="left", maintain_order="left"
    )
    return joined["position"].fill_null(-1).to_numpy().astype(np.int64)


def _pearson(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))
