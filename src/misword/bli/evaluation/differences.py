"""Differences between mappings on the same gold words, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.headword_counts import PairFlags
from misword.bli.evaluation.rates import Rate, quotient
from misword.bli.evaluation.slices import Slices
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
    return _corrected(_rows(systems, rates, bootstrap))


def slice_differences(
    systems: Sequence[GoldRanks], slices: Slices, rates: Sequence[Rate], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare each system with the first one on each slice of the lexicon.

    `column` and `value` name the slice; the other columns are those of `differences`. `p_holm` is
    corrected for the number of rows of the table.
    """
    rows = [
        {"column": column, "value": value} | row
        for column, values in slices.items()
        for value, pairs in values.items()
        for row in _rows(systems, rates, bootstrap, pairs)
    ]
    return _corrected(rows)


def _rows(
    systems: Sequence[GoldRanks],
    rates: Sequence[Rate],
    bootstrap: Bootstrap,
    pairs: PairFlags | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each rate and each system but the first."""
    first, *others = systems
    return [
        {"metric": rate.name, "system": other.system, "baseline": first.system}
        | difference(first, other, rate, bootstrap, pairs)
        for rate in rates
        for other in others
    ]


def _corrected(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Return the rows as a table, with p-values corrected for their number."""
    import polars as pl

    table = pl.DataFrame(rows, infer_schema_length=None)
    if not rows:
        return table
    corrected = holm(table["p"].cast(pl.Float64).fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", corrected)).fill_nan(None)


def difference(
    first: GoldRanks,
    other: GoldRanks,
    rate: Rate,
    bootstrap: Bootstrap,
    pairs: PairFlags | None = None,
) -> dict[str, Any]:
    """Compute one row of the table of differences, without the names, over all or some `pairs`."""
    if first.lexicon.digest != other.lexicon.digest:
        raise MismatchError(
            f"{first.system} and {other.system} were evaluated on different lexicons",
            fix="compare mappings on one gold lexicon",
        )
    before, after = (rate.terms(ranks.counts([rate.k], pairs)) for ranks in (first, other))
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
