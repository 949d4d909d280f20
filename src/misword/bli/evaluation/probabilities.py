"""Precision and recall over the probability of candidates, and whether probabilities are right.

For a fixed number of candidates k, a word with one translation gets as many candidates as a word
with five. A threshold of the probability gives each word as many candidates as are likely enough.

- precision at p: right candidates with a probability of at least p, divided by all candidates with
  such a probability, of headwords that have a vector;
- recall at p: gold pairs whose translation is a candidate with a probability of at least p, divided
  by all gold pairs.

Calibration compares probabilities with the share of candidates that are right, for all candidates
and for the first candidate of each headword (see `misword.stat.calibration`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.rates import Counts, quotient
from misword.core.lazy import pl
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.calibration import Bin, calibration_bins, chance_error, expected_calibration_error

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCandidates:
    """Candidates with probabilities, and which of them are right: a row for each known headword.

    `pair_headwords` has the number of each gold pair's headword among all `headwords`, and
    `pair_probabilities` the probability of its translation, -1 if it is not a candidate.
    """

    probabilities: NDArray[np.float64]
    right: NDArray[np.bool_]
    headwords: int
    pair_headwords: Counts
    pair_probabilities: NDArray[np.float64]

    @classmethod
    def of(cls, ranks: GoldRanks) -> JudgedCandidates:
        """Take the candidates of a system whose scores are probabilities."""
        neighbors, rows = ranks.candidates.neighbors, ranks.candidates.rows
        of_pair = rows[ranks.headword_of]
        probabilities = neighbors.scores.astype(np.float64)
        found = ranks.ranks > 0
        of_gold = np.full(len(of_pair), -1.0)
        of_gold[found] = probabilities[of_pair[found], ranks.ranks[found] - 1]
        size = len(ranks.headword_known)
        return cls(probabilities, ranks.right, size, ranks.headword_of, of_gold)

    def precision_terms(self, threshold: float) -> Counts:
        """Return the right candidates and all candidates of each headword."""
        likely = self.probabilities >= threshold
        return np.column_stack([(likely & self.right).sum(axis=1), likely.sum(axis=1)])

    def recall_terms(self, threshold: float) -> Counts:
        """Return the gold pairs found and all gold pairs of each headword."""
        found = self.pair_headwords[self.pair_probabilities >= threshold]
        return np.column_stack(
            [np.bincount(rows, minlength=self.headwords) for rows in (found, self.pair_headwords)]
        )

    def bins(self) -> dict[str, list[Bin]]:
        """Return the calibration of all candidates, and of the first of each headword."""
        first = slice(0, 1)
        return {
            "all": calibration_bins(self.probabilities.ravel(), self.right.ravel()),
            "first": calibration_bins(
                self.probabilities[:, first].ravel(), self.right[:, first].ravel()
            ),
        }


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityTables:
    """Tables of the systems whose scores are probabilities; without such systems, no rows.

    `thresholds` has precision and recall for each probability, `calibration` a row for each bin,
    `calibration_errors` the expected calibration error (`error`), and the error that would be
    expected by chance if all probabilities were right (`by_chance`).
    """

    thresholds: pl.DataFrame
    calibration: pl.DataFrame
    calibration_errors: pl.DataFrame

    @classmethod
    def of(cls, systems: Sequence[GoldRanks], bootstrap: Bootstrap) -> ProbabilityTables:
        """Make the tables."""
        judged = {
            ranks.system: JudgedCandidates.of(ranks)
            for ranks in systems
            if ranks.gives_probabilities
        }
        thresholds = (
            {"system": system, **row}
            for system, candidates in judged.items()
            for row in _threshold_rows(candidates, bootstrap)
        )
        bins = {system: candidates.bins() for system, candidates in judged.items()}
        return cls(
            pl.DataFrame(list(thresholds), infer_schema_length=None).fill_nan(None),
            pl.DataFrame(list(_bin_rows(bins)), infer_schema_length=None),
            pl.DataFrame(list(_error_rows(bins)), infer_schema_length=None),
        )

    def by_name(self) -> dict[str, pl.DataFrame]:
        """Return the tables that have rows, by name."""
        names = ("thresholds", "calibration", "calibration_errors")
        tables = {name: getattr(self, name) for name in names}
        return {name: table for name, table in tables.items() if len(table)}


def _threshold_rows(candidates: JudgedCandidates, bootstrap: Bootstrap) -> Iterator[dict[str, Any]]:
    """Yield precision and recall at each threshold, with intervals over headwords."""
    for threshold in THRESHOLDS:
        precision, recall = (
            candidates.precision_terms(threshold),
            candidates.recall_terms(threshold),
        )
        right, likely = precision.sum(axis=0).tolist()
        found, pairs = recall.sum(axis=0).tolist()
        row = {"threshold": threshold, "candidates": likely, "right": right}
        row |= {"headwords": int(np.count_nonzero(precision[:, 1]))}
        row |= _rate("precision", precision, bootstrap) | {"found": found, "pairs": pairs}
        yield row | _rate("recall", recall, bootstrap)


def _rate(name: str, terms: Counts, bootstrap: Bootstrap) -> dict[str, float]:
    """Return a rate and its interval."""
    included = terms[terms[:, 1] > 0]
    low, high = interval(included, quotient, bootstrap)
    rate = float(quotient(included.sum(axis=0)))
    return {name: rate, f"{name}_low": low, f"{name}_high": high}


def _bin_rows(bins: dict[str, dict[str, list[Bin]]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each bin."""
    for system, kinds in bins.items():
        for kind, of_kind in kinds.items():
            for each in of_kind:
                row = {"system": system, "candidates": kind, "low": each.low, "high": each.high}
                yield row | {"cases": each.cases, "probability": each.mean, "right": each.share}


def _error_rows(bins: dict[str, dict[str, list[Bin]]]) -> Iterator[dict[str, Any]]:
    """Yield the expected calibration error of each system, for all and for first candidates."""
    for system, kinds in bins.items():
        for kind, of_kind in kinds.items():
            yield {
                "system": system,
                "candidates": kind,
                "cases": sum(each.cases for each in of_kind),
                "error": expected_calibration_error(of_kind),
                "by_chance": chance_error(of_kind),
            }
