"""How far systems are from a baseline by each metric, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.side_by_side import Matched
from misword.core.progress import progress
from misword.stat.bootstrap import Bootstrap
from misword.stat.mapsswe import from_words, mapsswe
from misword.stat.paired import by_block, holm, paired
from misword.stat.resampling import Statistics
from misword.stat.scores import Column

if TYPE_CHECKING:
    import polars as pl

# The tests of each difference, as columns are called.
TESTS = ("p", "p_blocks", "p_mapsswe")
ENDS = ("better", "worse", "same", "undefined")


def differences(
    matched: Matched, drawing: Bootstrap, blocks: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """A row per metric and system but the baseline.

    Rates, difference and relative change (negative is a gain) with intervals by paired bootstrap
    over utterances, or over blocks if there are any; p-values of that bootstrap over utterances
    (`p`), over blocks (`p_blocks`), and of the matched-pairs segment test for WER (`p_mapsswe`).
    Those that end in `_holm` are corrected for there being several rows, each test by itself. Then
    how many utterances have a lower rate than with the baseline, a higher one, the same, or none.
    """
    import polars as pl

    columns = matched.first.columns
    rows = []
    with progress("comparing", len(columns) * len(matched.others)) as step:
        for column in columns:
            for name in matched.others:
                row = {"metric": column.label, "system": name, "baseline": matched.baseline}
                rows.append(row | _difference(matched, column, name, drawing, blocks))
                step(1)
    table = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(TESTS).cast(pl.Float64)
    )
    corrected = [
        pl.Series(f"{test}_holm", holm(table[test].fill_null(np.nan).to_list())) for test in TESTS
    ]
    tests = [name for test in TESTS for name in (test, f"{test}_holm")]
    whole = table.with_columns(corrected).fill_nan(None)
    return whole.select(pl.exclude(*tests, *ENDS), *tests, *ENDS)


def _difference(
    matched: Matched,
    column: Column,
    name: str,
    drawing: Bootstrap,
    blocks: NDArray[np.int64] | None,
) -> dict[str, Any]:
    """The numbers of one row."""
    baseline, system = matched.terms(column, name)
    rate, drawn = column.measure.rate, asdict(drawing)
    found = asdict(paired(baseline, system, rate, **drawn))
    tests: dict[str, Any] = {**dict.fromkeys(TESTS), "p": found.pop("p")}
    if blocks is not None:
        summed = paired(by_block(baseline, blocks), by_block(system, blocks), rate, **drawn)
        # Where utterances of a block go together, only intervals over blocks are wide enough.
        ends = ("low", "high", "relative_low", "relative_high")
        found |= {end: getattr(summed, end) for end in ends}
        tests["p_blocks"] = summed.p
    if column.label.partition(":")[0] == "wer":
        tests["p_mapsswe"] = _segments(matched, column, name)
    return found | tests | _ends(matched.direction(column, name))


def _segments(matched: Matched, column: Column, name: str) -> float:
    """The p-value of the segment test."""
    words = matched.whole.words(column.label)
    return mapsswe(*from_words(words, matched.baseline, name)).p


def _ends(ways: Statistics) -> dict[str, int]:
    """How many utterances went which way."""
    counts = (ways < 0, ways > 0, ways == 0, np.isnan(ways))
    return {name: int(which.sum()) for name, which in zip(ENDS, counts, strict=True)}
