"""Do systems change places when the gold lexicon is cleaned? Rates, order and paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.auditing.answers import Answers, Gold
from misword.bli.auditing.gold_variants import AS_IT_IS
from misword.bli.evaluation.rates import Rate, quotient
from misword.stat.bootstrap import Bootstrap
from misword.stat.corrections import SIGNIFICANCE_LEVEL
from misword.stat.intervals import interval
from misword.stat.paired import holm, paired

if TYPE_CHECKING:
    import polars as pl

UNCLEAR = "not distinguishable"


def ranking_table(
    variants: Mapping[str, Gold], systems: Sequence[Answers], rates: Sequence[Rate],
    bootstrap: Bootstrap,
) -> pl.DataFrame:  # fmt: skip
    """Return the hit rates of each system on each variant, and the place of each system by rate."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for variant, gold in variants.items():
        for rate in rates:
            of_systems = [_rate(gold, system, rate, bootstrap) for system in systems]
            better = [
                sum(other["rate"] > one["rate"] for other in of_systems) for one in of_systems
            ]
            rows += [
                {"gold": variant, "metric": rate.name, **row, "place": place + 1}
                for row, place in zip(of_systems, better, strict=True)
            ]
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _rate(gold: Gold, system: Answers, rate: Rate, bootstrap: Bootstrap) -> dict[str, Any]:
    terms = rate.terms(system.counts(gold, [rate.k]))
    included = terms[terms[:, 1] > 0]
    low, high = interval(included, quotient, bootstrap)
    part, whole = included.sum(axis=0).tolist()
    share = part / whole if whole else np.nan
    names = {"system": system.system, "rate": share, "low": low, "high": high}
    return {**names, "part": part, "whole": whole}


def conclusion_table(
    variants: Mapping[str, Gold], systems: Sequence[Answers], rate: Rate, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare every two systems on each variant, and say which conclusions change.

    A positive difference is a gain of `system` over `baseline`, on the headwords that count for
    both. `better` is the system that is better with p below 0.05, corrected for the number of
    comparisons on the variant (Holm). `changed` says whether that differs from the lexicon as it
    is.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    for variant, gold in variants.items():
        compared = [_compare(gold, *pair, rate, bootstrap) for pair in combinations(systems, 2)]
        corrected = holm([row["p"] for row in compared])
        for row, p in zip(compared, corrected.tolist(), strict=True):
            rows.append({"gold": variant, "metric": rate.name, **row, "p_holm": p})
    first = {(row["baseline"], row["system"]): _better(row) for row in rows
             if row["gold"] == AS_IT_IS}  # fmt: skip
    for row in rows:
        row["better"] = _better(row)
        row["changed"] = row["better"] != first[row["baseline"], row["system"]]
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _compare(
    gold: Gold, baseline: Answers, system: Answers, rate: Rate, bootstrap: Bootstrap
) -> dict[str, Any]:
    before, after = (rate.terms(one.counts(gold, [rate.k])) for one in (baseline, system))
    both = (before[:, 1] > 0) & (after[:, 1] > 0)
    before, after = before[both], after[both]
    found = paired(before, after, quotient, bootstrap)
    gain = after[:, 0] - before[:, 0]
    return {
        "baseline": baseline.system,
        "system": system.system,
        "baseline_rate": found.baseline_rate,
        "rate": found.rate,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "headwords": int(both.sum()),
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
    }


def _better(row: Mapping[str, Any]) -> str:
    p, difference = row["p_holm"], row["difference"]
    if not p < SIGNIFICANCE_LEVEL or not difference:
        return UNCLEAR
    return str(row["system"] if difference > 0 else row["baseline"])
