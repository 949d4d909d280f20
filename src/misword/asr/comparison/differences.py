"""Differences between systems and a baseline by each metric, with tests of significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.mapsswe import from_words, mapsswe
from misword.stat.measure import MetricColumn
from misword.stat.paired import (
    SWAPPED_TOGETHER,
    by_block,
    correct,
    holm,
    paired,
    swap_effects,
    too_few_rows,
)

# Columns of p-values, one for each test.
TESTS = ("p", "p_blocks", "p_mapsswe")
# The statistic of the matched-pairs segment test, and the number of its segments.
SEGMENTS = ("z_mapsswe", "segments_mapsswe")
# Columns that count utterances by the direction in which their rate changed.
DIRECTIONS = ("better", "worse", "same", "undefined")


def differences(
    systems: MatchedSystems, bootstrap: Bootstrap, blocks: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """Compute a table with a row for each metric and each system except the baseline.

    Columns: both rates, the difference and the relative change (negative is an improvement) with
    intervals by paired bootstrap over utterances, or over blocks if there are any; p-values of the
    permutation test over utterances (`p`), of the permutation test over blocks (`p_blocks`), and of
    the matched-pairs segment test for WER (`p_mapsswe`; its statistic is `z_mapsswe`, the number of
    its segments `segments_mapsswe`). Columns that end in `_holm` are the p-values of one test over
    all rows, corrected by Holm's method. If there are too few blocks to call any difference
    significant, the test over blocks is not made, and its columns are null. `better`, `worse`,
    `same` and `undefined` count the utterances by how their rate differs from the baseline's.
    """
    columns = systems.scores.columns
    rows = []
    with progress("comparing", len(columns) * len(systems.others)) as step:
        for column in columns:
            for name in systems.others:
                row = {"metric": column.label, "system": name, "baseline": systems.baseline}
                rows.append(row | _difference(systems, column, name, bootstrap, blocks))
                step(1)
    table = typed(rows)
    utterances = _correct(systems, table["p"], None)
    return with_corrected(table, utterances, _correct(systems, table["p_blocks"], blocks))


def typed(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows of differences as a table."""

    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(*TESTS, "z_mapsswe").cast(pl.Float64), pl.col("segments_mapsswe").cast(pl.Int64)
    )


def with_corrected(
    table: pl.DataFrame, utterances: NDArray[np.float64], blocks: NDArray[np.float64]
) -> pl.DataFrame:
    """Return a table of differences with corrected p-values; tests and counts come last."""

    corrected = [
        pl.Series("p_holm", utterances),
        pl.Series("p_blocks_holm", blocks),
        pl.Series("p_mapsswe_holm", holm_of(table["p_mapsswe"])),
    ]
    tests = [name for test in TESTS for name in (test, f"{test}_holm")]
    complete = table.with_columns(corrected).fill_nan(None)
    last = *tests, *SEGMENTS, *DIRECTIONS
    return complete.select(pl.exclude(last), *last)


def _difference(
    systems: MatchedSystems,
    column: MetricColumn,
    name: str,
    bootstrap: Bootstrap,
    blocks: NDArray[np.int64] | None,
) -> dict[str, Any]:
    """Compute the numbers of one row."""
    rate = column.measure.rate
    numbers = asdict(paired(*systems.terms(column, name), rate, bootstrap))
    tests: dict[str, Any] = {**dict.fromkeys((*TESTS, *SEGMENTS)), "p": numbers.pop("p")}
    if blocks is not None:
        sides = _terms(systems, column, name, blocks)
        over_blocks = paired(*sides, rate, bootstrap)
        # Utterances of one block are not independent: only intervals over blocks are wide enough.
        ends = ("low", "high", "relative_low", "relative_high")
        numbers |= {end: getattr(over_blocks, end) for end in ends}
        if too_few_rows(len(sides[0]), len(systems.scores.columns) * len(systems.others)) is None:
            tests["p_blocks"] = over_blocks.p
    if column.label.partition(":")[0] == "wer":
        tests |= _segment_test(systems, column, name)
    return numbers | tests | count_directions(systems.directions(column, name))


def _terms(
    systems: MatchedSystems, column: MetricColumn, name: str, blocks: NDArray[np.int64] | None
) -> tuple[Statistics, Statistics]:
    """Return a metric's terms for the baseline and for a system, a row per utterance or block."""
    baseline, system = systems.terms(column, name)
    if blocks is None:
        return baseline, system
    return by_block(baseline, blocks), by_block(system, blocks)


def _correct(
    systems: MatchedSystems, p: pl.Series, blocks: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Correct the p-values of all permutation tests over utterances or blocks."""
    rows = len(systems.baseline_scores) if blocks is None else int(blocks.max()) + 1
    if rows > SWAPPED_TOGETHER or p.null_count() == len(p):
        return holm_of(p)
    effects = [
        swap_effects(*_terms(systems, column, name, blocks), column.measure.rate)
        for column in systems.scores.columns
        for name in systems.others
    ]
    return correct(p.to_list(), effects)


def holm_of(p: pl.Series) -> NDArray[np.float64]:
    """Correct a column of p-values by Holm's method; null values do not count."""
    return holm(p.fill_null(np.nan).to_list())


def _segment_test(systems: MatchedSystems, column: MetricColumn, name: str) -> dict[str, Any]:
    """Return p-value, statistic and number of segments of the matched-pairs segment test."""
    words = systems.scores.words(column.label)
    test = mapsswe(*from_words(words, systems.baseline, name))
    return {"p_mapsswe": test.p, "z_mapsswe": test.z, "segments_mapsswe": test.segments}


def count_directions(
    directions: Statistics, times: NDArray[np.int64] | None = None
) -> dict[str, int]:
    """Count the utterances with a lower, a higher, the same and an undefined rate.

    `times` says how many utterances each row stands for, if not one.
    """
    which = (directions < 0, directions > 0, directions == 0, np.isnan(directions))
    counted = np.ones(len(directions), np.int64) if times is None else times
    return {name: int(counted[rows].sum()) for name, rows in zip(DIRECTIONS, which, strict=True)}
