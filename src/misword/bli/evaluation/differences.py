"""Is one mapping better than another on the same gold words, and is it more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.evaluation.gold_ranks import Answers
from misword.bli.evaluation.rates import Rate, quotient
from misword.core.errors import MismatchError
from misword.stat.bootstrap import Bootstrap
from misword.stat.paired import holm, paired

if TYPE_CHECKING:
    import polars as pl


def differences(
    answers: Sequence[Answers], rates: Sequence[Rate], drawing: Bootstrap
) -> pl.DataFrame:
    """A row for each rate and each system but the first, which they are compared with.

    Both rates are over the headwords that count for both: where words are dropped because a
    vocabulary lacks them, each mapping could otherwise choose its own test. `left_out` says how
    many count for one of the two only. Precision and recall count every gold word, so nothing is
    left out of them. Positive is a gain. `better`, `worse` and `same` are headwords by what was
    found; p-values are of a paired bootstrap over headwords, `p_holm` corrected for all rows.
    """
    import polars as pl

    first, *others = answers
    rows = []
    for rate in rates:
        for other in others:
            names = {"metric": rate.name, "system": other.system, "baseline": first.system}
            rows.append(names | difference(first, other, rate, drawing))
    table = pl.DataFrame(rows, infer_schema_length=None)
    if not rows:
        return table
    raised = holm(table["p"].cast(pl.Float64).fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", raised)).fill_nan(None)


def difference(first: Answers, other: Answers, rate: Rate, drawing: Bootstrap) -> dict[str, Any]:
    """The numbers of one row."""
    if first.lexicon.digest != other.lexicon.digest:
        raise MismatchError(
            f"{first.system} and {other.system} were asked different words",
            fix="compare mappings on one gold lexicon",
        )
    before, after = (rate.terms(each.counts([rate.k])) for each in (first, other))
    both = (before[:, 1] > 0) & (after[:, 1] > 0)
    either = (before[:, 1] > 0) | (after[:, 1] > 0)
    before, after = before[both], after[both]
    found = paired(before, after, quotient, drawing)
    gain = after[:, 0] - before[:, 0]
    counts = {"better": gain > 0, "worse": gain < 0, "same": gain == 0}
    return {
        "baseline_rate": found.baseline_rate,
        "rate": found.rate,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "headwords": int(both.sum()),
        "left_out": int((either & ~both).sum()),
        **{name: int(which.sum()) for name, which in counts.items()},
    }
