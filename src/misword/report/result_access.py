"""Read a result: rows of its tables, titles of its parts, verdicts on its differences.

A table may be missing or empty. These functions then return nothing, and the section that would
show the table is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isclose
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.core.types import Result
from misword.stat.paired import SIGNIFICANCE_LEVEL

# A row of a table, by column.
Row = dict[str, Any]
# Returns the title of a part, with its options, by the part's label.
Titles = Callable[[str], str]
Verdict = Literal["better", "worse", "unclear", "untested"]
VERDICT_TEXTS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "not distinguishable",
    "untested": "not tested",
}
# Columns of p-values; the first that a row has decides. A test over blocks takes into account that
# the utterances of one block depend on each other, Holm's correction the number of tests.
P_VALUES = ("p_blocks_holm", "p_holm", "p_blocks", "p")


def table(result: Result, name: str) -> pl.DataFrame | None:
    """Return a table, or None where it is missing or has no rows."""
    frame = result.tables.get(name)
    return None if frame is None or frame.is_empty() else frame


def rows(result: Result, name: str) -> list[Row]:
    """Return the rows of a table; no rows where it is missing."""
    frame = table(result, name)
    return [] if frame is None else frame.to_dicts()


def titles(result: Result) -> Titles:
    """Return the function that gives the title of a part of this result.

    A label is a spec: `wer`, `cer:spaces=false`. A part that the result does not describe is shown
    by its name. A label with a slash names a model, not a part, and is shown as it is.

    >>> title = titles(Result("scores", {}, {"parts": {"cer:spaces=false": {"title": "CER"}}}))
    >>> title("cer:spaces=false"), title("mine"), title("org/model")
    ('CER (spaces=false)', 'mine', 'org/model')
    """
    parts = described_parts(result)

    def title(label: str) -> str:
        name, _, options = label.partition(":")
        if label in parts and "/" not in name:
            name = str(parts[label]["title"])
        return f"{name} ({options})" if options else name

    return title


def family(result: Result, label: str) -> str:
    """Return the family of a metric (`words`, `sounds`); empty if the result does not name it."""
    return str(described_parts(result).get(label, {}).get("family", ""))


def described_parts(result: Result) -> dict[str, Row]:
    """Return title, family and BibTeX entries of the parts that a result shows, by label."""
    parts = result.provenance.get("parts")
    return parts if isinstance(parts, dict) else {}


def metrics(result: Result) -> list[str]:
    """Return the labels of the metrics, in the user's order."""
    return [str(label) for label in result.provenance.get("metrics", ())]


def systems(result: Result) -> list[str]:
    """Return the names of the systems; of a comparison the baseline first."""
    for name in ("utterances", "summary", "lists"):
        frame = table(result, name)
        if frame is not None and "system" in frame.columns:
            in_table = [str(value) for value in unique(frame["system"])]
            in_order = [name for name in result.provenance.get("systems", ()) if name in in_table]
            return in_order or in_table
    return []


def unique(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order of appearance."""
    return list(dict.fromkeys(values))


def group_columns(summary: pl.DataFrame) -> list[str]:
    """Return the columns that a summary is grouped by, beside the system: `--by noise`."""
    columns = summary.columns
    return columns[columns.index("system") + 1 : columns.index("metric")]


def metadata(result: Result) -> list[str]:
    """Return the metadata columns of the table of utterances."""
    frame = table(result, "utterances")
    if frame is None:
        return []
    own = ("utt", "system", "rank", *result.provenance.get("features", ()))
    starts = [*metrics(result), *(["forgiven", "without"] if forgiving_families(result) else [])]
    of_metrics = tuple(f"{start}." for start in starts)
    return [name for name in frame.columns if name not in own and not name.startswith(of_metrics)]


def forgiving_families(result: Result) -> list[str]:
    """Return the names of the families of differences of writing that were forgiven."""
    return [str(name) for name in result.provenance.get("forgiven", ())]


def best_hypotheses(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the best hypothesis of each N-best list."""
    return frame.filter(rank=1) if "rank" in frame.columns else frame


def confidence(result: Result) -> str:
    """Return the confidence of the intervals as text, such as `95 %`."""
    options = result.provenance.get("options")
    option = options.get("confidence") if isinstance(options, dict) else None
    share = result.provenance.get("confidence", option)
    return f"{100 * share:g} %" if is_number(share) else "95 %"


def deciding_p(row: Row) -> float | None:
    """Return the p-value that decides the verdict on a difference."""
    return next((row[name] for name in P_VALUES if is_number(row.get(name))), None)


def verdict(row: Row, *, lower_is_better: bool = True) -> Verdict:
    """Return the verdict on a difference; the default is for error rates (lower is better)."""
    p, difference = deciding_p(row), row.get("difference")
    if p is None:
        return "untested"
    if p >= SIGNIFICANCE_LEVEL or not is_number(difference) or difference == 0:
        return "unclear"
    return "better" if (difference < 0) == lower_is_better else "worse"


def lead_metric(labels: Sequence[str]) -> str:
    """Return the metric that a headline names first: WER, or else the first of the labels."""
    wer = [label for label in labels if label.partition(":")[0] == "wer"]
    return (wer or list(labels) or [""])[0]


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
