"""Differences between mappings on the same gold words, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.rates import Rate, quotient
from misword.core.errors import MismatchError
from misword.stat.bootstrap import Bootstrap
from misword.stat.paired import holm, paired

if TYPE_CHECKING:
    import polars as pl


def differences(
    systems: Sequence[GoldRanks], rates: Sequence[Rate], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare each system with the first one: a row for each rate and each other system.

    A positive difference is a gain. Both hit rates of a row are over the headwords that count for
    both systems; otherwise each mapping would be tested on other words, those that its vocabulary
    has. `left_out` is the number of headwords that count for one of the two systems only. Precision
    and recall count every gold word, so nothing is left out of them. `better`, `worse` and `same`
    are numbers of headwords. p-values are of a paired permutation test over headwords; `p_holm` is
    corrected for the number of rows.
    """
    import polars as pl

    first, *others = systems
    rows = [
        {"metric": rate.name, "system": other.system, "baseline": first.system}
        | difference(first, other, rate, bootstrap)
        for rate in rates
        for other in others
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    if not rows:
        return table
    corrected = holm(table["p"].cast(pl.Float64).fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", corrected)).fill_nan(None)


def difference(
    first: GoldRanks, other: GoldRanks, rate: Rate, bootstrap: Bootstrap
) -> dict[str, Any]:
    """Compute one row of the table of differences, without the names."""
    if first.lexicon.digest != other.lexicon.digest:
        raise MismatchError(
            f"{first.system} and {other.system} were evaluated on different lexicons",
            fix="compare mappings on one gold lexicon",
        )
    before, after = (rate.terms(ranks.counts([rate.k])) for ranks in (first, other))
    both = (before[:, 1] > 0) & (after[:, 1] > 0)
    either = (before[:, 1] > 0) | (after[:, 1] > 0)
    before, after = before[both], after[both]
    comparison = paired(before, after, quotient, bootstrap)
    gain = after[:, 0] - before[:, 0]
    return {
        "baseline_rate": comparison.baseline_rate,
        "rate": comparison.rate,
        "difference": comparison.difference,
        "low": comparison.low,
        "high": comparison.high,
        "p": comparison.p,
        "headwords": int(both.sum()),
        "left_out": int((either & ~both).sum()),
        "better": int((gain > 0).sum()),
        "worse": int((gain < 0).sum()),
        "same": int((gain == 0).sum()),
    }
