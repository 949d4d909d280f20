"""Rates of labels of errors: how many critical errors have each label, and what changed.

The table `severity_errors` has a row for each labelled error: `utt`, `system`, `rank`, `place`,
`label`, `level`, `risk`, and its words in `reference` and `hypothesis`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.measure import ratio_of_terms
from misword.stat.paired import holm, paired
from misword.stat.score_tables import SEVERITY_ERRORS as ERRORS
from misword.stat.score_tables import SILENCE

CRITICAL = "critical"
JUDGE_LEVELS = ("none", "minor", "major", "critical")
# The column with the number of reference words of each utterance.
WORDS = "critical.reference_words"


def label_rates(errors: pl.DataFrame, table: pl.DataFrame, bootstrap: Bootstrap) -> pl.DataFrame:
    """Return a row for each system and label with a major or critical error.

    `rate` is the number of critical errors with the label divided by all reference words, with its
    interval over utterances; `critical`, `major` and `minor` count errors, `with_critical` the
    utterances with a critical one. `table` has the scores of all utterances.
    """
    rows = []
    for system, utterances, own in _by_system(errors, table):
        for label in _labels(errors):
            of_label = own.filter(label=label)
            counts = {level: len(of_label.filter(level=level)) for level in LEVELS}
            terms = _terms(of_label, utterances)
            low, high = interval(terms, ratio_of_terms, bootstrap)
            rows.append(
                {
                    "system": system, "label": label, "rate": _rate(terms), "low": low,
                    "high": high, **counts, "with_critical": int((terms[:, 0] > 0).sum()),
                    "words": int(terms[:, 1].sum()),
                }
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None) if rows else pl.DataFrame()


def label_differences(
    errors: pl.DataFrame, table: pl.DataFrame, systems: Sequence[str], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a row for each label and each system except the baseline, the first of `systems`.

    p-values are those of the paired permutation test over utterances; `p_holm` is corrected over
    all rows.
    """
    sides = {system: (utts, own) for system, utts, own in _by_system(errors, table)}
    first_table, first_errors = sides[systems[0]]
    order = first_table.select("utt")
    rows: list[dict[str, Any]] = []
    for label in _labels(errors):
        baseline = _terms(first_errors.filter(label=label), first_table)
        for system in systems[1:]:
            own_table, own = sides[system]
            aligned = order.join(own_table, on="utt", how="left", maintain_order="left")
            terms = _terms(own.filter(label=label), aligned)
            if not baseline[:, 0].any() and not terms[:, 0].any():
                continue
            found = paired(baseline, terms, ratio_of_terms, bootstrap)
            rows.append(
                {
                    "label": label, "system": system, "baseline_rate": found.baseline_rate,
                    "rate": found.rate, "difference": found.difference, "low": found.low,
                    "high": found.high, "p": found.p, "baseline_errors": int(baseline[:, 0].sum()),
                    "errors": int(terms[:, 0].sum()),
                }
            )  # fmt: skip
    if not rows:
        return pl.DataFrame()
    corrected = pl.Series("p_holm", holm([row["p"] for row in rows]))
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(corrected).fill_nan(None)


LEVELS = (CRITICAL, "major", "minor")


def frequent_errors(errors: pl.DataFrame) -> pl.DataFrame:
    """Return how often each critical error occurs, with its label, the most frequent first."""
    by = ["system", "label", "reference", "hypothesis"]
    counted = errors.filter(level=CRITICAL).group_by(by).agg(pl.len().alias("count"))
    return counted.sort("count", *by, descending=[True, *(False for _ in by)], nulls_last=True)


def worst_utterances(
    errors: pl.DataFrame, table: pl.DataFrame, texts: pl.DataFrame | None, number: int
) -> pl.DataFrame:
    """Return the utterances of each system with the highest scores, and their worst error."""
    keys = ["utt", "system"]
    worst = errors.sort("risk", descending=True, maintain_order=True).unique(
        keys, keep="first", maintain_order=True
    )
    scored = _best(table).select(*keys, score="severity.score")
    joined = worst.drop("rank", "place").join(scored, on=keys, how="left", maintain_order="left")
    ranked = joined.sort("score", descending=True, maintain_order=True)
    chosen = ranked.group_by("system", maintain_order=True).head(number)
    if texts is None:
        return chosen
    both = _best(texts).select(*keys, said="reference", heard="hypothesis")
    return chosen.join(both, on=keys, how="left", maintain_order="left")


def dangerous_changes(errors: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return the critical errors that one of two systems alone makes at the same words.

    `change` is `new` if the system has an error that the baseline, the first system, has not, and
    `mended` if it is the other way round.
    """
    keys = ["utt", "label", "reference"]
    frames = []
    critical = errors.filter(level=CRITICAL)
    baseline = critical.filter(system=systems[0])
    for system in systems[1:]:
        own = critical.filter(system=system)
        for change, mine, theirs in (("new", own, baseline), ("mended", baseline, own)):
            alone = mine.join(
                theirs.select(keys), on=keys, how="anti", nulls_equal=True, maintain_order="left"
            )
            frames.append(
                alone.select(
                    pl.lit(system).alias("system"), pl.lit(change).alias("change"),
                    "utt", "label", "risk", "reference", "hypothesis",
                )
            )  # fmt: skip
    return pl.concat(frames).sort(
        "system", "change", "risk", descending=[False, True, True], maintain_order=True
    )


WORST = 20  # utterances of each system in the table of the worst


def severity_tables(
    records: Mapping[str, pl.DataFrame], table: pl.DataFrame, bootstrap: Bootstrap
) -> dict[str, pl.DataFrame]:
    """Return the tables of one result, by name: labels, frequent errors, worst utterances."""
    errors = records[ERRORS]
    texts = records.get("texts")
    tables = {
        "severity": label_rates(errors, table, bootstrap),
        "critical_errors": frequent_errors(_best(errors)),
        "severity_worst": worst_utterances(_best(errors), table, texts, WORST),
    }
    if SILENCE in records:
        tables[SILENCE] = records[SILENCE]
    return {name: frame for name, frame in tables.items() if len(frame)}


def _by_system(
    errors: pl.DataFrame, table: pl.DataFrame
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Yield each system with the rows of its best hypotheses, and with their errors."""
    best, listed = _best(table), _best(errors)
    for system in table["system"].unique(maintain_order=True).to_list():
        yield system, best.filter(system=system), listed.filter(system=system)


def _best(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(rank=1) if "rank" in table.columns else table


def _labels(errors: pl.DataFrame) -> list[str]:
    """Return the labels that have a major or critical error, in their usual order."""
    found = (
        errors.filter(pl.col("level").cast(pl.String).is_in(LEVELS[:2]))["label"].unique().sort()
    )
    return [str(label) for label in found]


def _terms(errors: pl.DataFrame, utterances: pl.DataFrame) -> Statistics:
    """Return the critical errors and the reference words of each utterance."""
    counts = errors.filter(level=CRITICAL).group_by("utt").agg(pl.len().alias("errors"))
    joined = utterances.select("utt", WORDS).join(
        counts, on="utt", how="left", maintain_order="left"
    )
    terms: NDArray[np.int64] = joined.select(
        pl.col("errors").fill_null(0).cast(pl.Int64), WORDS
    ).to_numpy()
    return terms


def _rate(terms: Statistics) -> float:
    return float(ratio_of_terms(terms.sum(axis=0)))
