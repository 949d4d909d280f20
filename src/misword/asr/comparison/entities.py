"""Differences between systems and a baseline in classes of words: entities and keywords."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.entity_rates import CLASS_KEYS, ENTITY_COUNTS, ENTITY_TABLE, RATES, classes_of
from misword.stat.measure import ratio_of_terms
from misword.stat.paired import by_block, holm, paired

if TYPE_CHECKING:
    import polars as pl

NUMBERS = ("rate", "baseline_rate", "difference", "low", "high", "p")


def entity_differences(
    systems: MatchedSystems, bootstrap: Bootstrap, blocks: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """Compute a row for each source, class and system except the baseline.

    Columns: both error rates of the words of the class, their difference (negative is an
    improvement) with its interval by paired bootstrap and the p-value of a paired permutation test,
    over the utterances that have words of the class, or over their blocks; `p_holm` is corrected
    for all rows; both recalls; the number of `words` and `terms` of the baseline's references.
    The classes with the most words come first. There are no rows if no entities were scored.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    if ENTITY_TABLE in systems.scores.records:
        counts = systems.scores.records[ENTITY_TABLE]
        classes = classes_of(counts)
        with progress("entities", len(classes) * len(systems.others)) as step:
            for source, name in classes:
                own = counts.filter((pl.col("source") == source) & (pl.col("class") == name))
                terms = _terms(systems, own, blocks)
                for other in systems.others:
                    keys = dict(zip((*CLASS_KEYS, "system"), (source, name, other), strict=True))
                    rows.append(
                        keys | _difference(terms[systems.baseline], terms[other], bootstrap)
                    )
                    step(1)
    table = pl.DataFrame(rows, schema=_schema(), orient="row")
    corrected = holm(table["p"].fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", corrected, pl.Float64)).fill_nan(None)


def _schema() -> dict[str, Any]:
    import polars as pl

    names = dict.fromkeys((*CLASS_KEYS, "system"), pl.String())
    recalls = dict.fromkeys(("recall", "baseline_recall"), pl.Float64())
    sizes = dict.fromkeys(("words", "terms"), pl.Int64())
    return {**names, **dict.fromkeys(NUMBERS, pl.Float64()), **recalls, **sizes}


def _terms(
    systems: MatchedSystems, counts: pl.DataFrame, blocks: NDArray[np.int64] | None
) -> dict[str, Statistics]:
    """Return the counts of one class by system, a row for each utterance or block that has some."""
    import polars as pl

    order = systems.baseline_scores.table.select("utt")
    if blocks is not None:
        order = order.with_columns(pl.Series("block", blocks))
    order = order.join(counts, on="utt", how="semi", maintain_order="left")
    terms = {}
    for name in systems.by_system:
        own = counts.filter(pl.col("system") == name).select("utt", *ENTITY_COUNTS)
        rows = order.join(own, on="utt", how="left", maintain_order="left")
        values = rows.select(ENTITY_COUNTS).fill_null(0).to_numpy()
        if blocks is not None:
            values = by_block(values, np.unique(order["block"], return_inverse=True)[1])
        terms[name] = values
    return terms


def _difference(baseline: Statistics, system: Statistics, bootstrap: Bootstrap) -> dict[str, Any]:
    """Compute the numbers of one row."""
    sides = [_rate_terms(side, "rate") for side in (baseline, system)]
    numbers = asdict(paired(sides[0], sides[1], ratio_of_terms, bootstrap))
    row = {name: numbers[name] for name in NUMBERS}
    for name, side in (("baseline_recall", baseline), ("recall", system)):
        row[name] = float(ratio_of_terms(_rate_terms(side, "recall").sum(axis=0)))
    words, terms = (
        int(baseline[:, ENTITY_COUNTS.index(name)].sum()) for name in ("words", "terms")
    )
    return {**row, "words": words, "terms": terms}


def _rate_terms(counts: Statistics, name: str) -> Statistics:
    """Return numerator and denominator of a rate of each row."""
    numerator, denominator = RATES[name]
    above = counts[:, [ENTITY_COUNTS.index(column) for column in numerator]].sum(axis=1)
    return np.stack([above, counts[:, ENTITY_COUNTS.index(denominator)]], axis=1)
