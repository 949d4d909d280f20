"""Rates of single utterances as one array, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Result
from misword.report.reading import Row, best, metrics, systems, table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Utterances:
    """`rates[m, s, u]` of metric `m` and system `s` on utterance `u`; nan where undefined."""

    ids: list[str]
    labels: list[str]
    systems: list[str]
    rates: NDArray[np.float64]

    def changes(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Changes against the first system, by metric and system."""
        return {
            (label, system): self.rates[m, s] - self.rates[m, 0]
            for m, label in enumerate(self.labels)
            for s, system in enumerate(self.systems)
            if s
        }

    def correlations(self) -> list[Row]:
        """Pearson correlations between metrics over utterances, averaged over the systems."""
        found: list[Row] = []
        for a, b in combinations(range(len(self.labels)), 2):
            pairs = [self.rates[[a, b], s] for s in range(len(self.systems))]
            pairs = [pair[:, np.isfinite(pair).all(axis=0)] for pair in pairs]
            pairs = [
                pair for pair in pairs if pair.shape[1] > 2 and (np.ptp(pair, axis=1) > 0).all()
            ]
            if pairs:
                found.append(
                    {
                        "a": self.labels[a],
                        "b": self.labels[b],
                        "pearson": float(np.mean([_pearson(*pair) for pair in pairs])),
                        "utterances": round(np.mean([pair.shape[1] for pair in pairs])),
                    }
                )
        return found


def utterances(result: Result) -> Utterances | None:
    """The rates of a result's best hypotheses, utterances in order of appearance."""
    frame = table(result, "utterances")
    if frame is None:
        return None
    frame = best(frame)
    ids = frame["utt"].unique(maintain_order=True)
    names = systems(result)
    labels = [label for label in metrics(result) if f"{label}.rate" in frame.columns]
    rates = np.full((len(labels), len(names), len(ids)), np.nan)
    for s, name in enumerate(names):
        part = frame.filter(system=name)
        at = numbers_of(part["utt"], ids)
        for m, label in enumerate(labels):
            rates[m, s, at] = part[f"{label}.rate"].cast(float).to_numpy()
    return Utterances(ids.cast(str).to_list(), labels, names, rates)


def numbers_of(values: pl.Series, known: pl.Series) -> NDArray[np.int64]:
    """Where each value stands among the known ones, which are distinct; -1 for others."""
    import polars as pl

    numbered = pl.DataFrame({"value": known, "at": np.arange(len(known))})
    asked = pl.DataFrame({"value": values})
    found = asked.join(numbered, on="value", how="left", maintain_order="left")["at"]
    return found.fill_null(-1).to_numpy().astype(np.int64)


def _pearson(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))
