"""Differences between systems and a baseline by each metric, with tests of significance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import MetricColumn
from misword.stat.paired import (
    SWAPPED_TOGETHER,
    correct,
    direction,
    holm,
    paired,
    paired_sample,
    swap_effects,
    too_few_rows,
)
from misword.stat.tallies.paired_counts import PairedCounts
from misword.stat.tallies.tally import Tally

# Columns of p-values, one for each test.
TESTS = ("p", "p_blocks", "p_mapsswe")
# The statistic of the matched-pairs segment test, NIST's p-value of it, and the number of segments.
SEGMENTS = ("z_mapsswe", "p_mapsswe_nist", "segments_mapsswe")
# Columns that count utterances by the direction in which their rate changed.
DIRECTIONS = ("better", "worse", "same", "undefined")


def differences(tally: Tally, bootstrap: Bootstrap) -> pl.DataFrame:
    """Compute a table with a row for each metric and each system except the baseline.

    `tally` has paired counts of several systems, the baseline first (`Scores.tally(paired=True)`).

    Columns: both rates, the difference and the relative change (negative is an improvement) with
    intervals by paired bootstrap over utterances, or over blocks if there are any; p-values of the
    permutation test over utterances (`p`), of the permutation test over blocks (`p_blocks`), and of
    the matched-pairs segment test for WER (`p_mapsswe`; its statistic is `z_mapsswe`, the number of
    its segments `segments_mapsswe`; `p_mapsswe_nist` is the p-value of this statistic by the normal
    distribution, as NIST's `sc_stats` prints it). Columns that end in `_holm` are the p-values of
    one test over all rows, corrected by Holm's method. If there are too few blocks to call any
    difference significant, the test over blocks is not made, and its columns are null. `better`,
    `worse`, `same` and `undefined` count the utterances by how their rate differs from the
    baseline's.
    """
    counts = paired_counts(tally)
    baseline, *others = tally.systems
    tests, rows = len(tally.columns) * len(others), []
    with progress("comparing", tests) as step:
        for column in tally.columns:
            for name in others:
                row = {"metric": column.label, "system": name, "baseline": baseline}
                rows.append(row | _difference(counts, column, name, bootstrap, tests))
                step(1)
    table = typed(rows)
    return with_corrected(table, *_corrected(tally, counts, table))


def paired_counts(tally: Tally) -> PairedCounts:
    """Return the counts of several systems; raise if the tally has none, or a single block."""
    counts = tally.paired
    if counts is None:
        raise OptionError(
            "this tally has no paired counts of systems",
            fix="make it with paired=True: scores.tally",
        )
    if counts.blocks is not None and len(counts.blocks) < 2:
        raise OptionError(
            f"all utterances have the same {counts.blocks.name}",
            fix="use a column with several values",
        )
    return counts


def typed(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows of differences as a table."""

    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(*TESTS, *SEGMENTS[:2]).cast(pl.Float64), pl.col(SEGMENTS[2]).cast(pl.Int64)
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
    counts: PairedCounts, column: MetricColumn, name: str, bootstrap: Bootstrap, tests: int
) -> dict[str, Any]:
    """Compute the numbers of one row; `tests` is the number of all rows."""
    sample, rate = counts.sample(column.label, name), column.measure.rate
    numbers = asdict(paired_sample(sample, rate, bootstrap))
    found: dict[str, Any] = {**dict.fromkeys((*TESTS, *SEGMENTS)), "p": numbers.pop("p")}
    if counts.blocks is not None:
        sides = [counts.blocks.terms(column.label, each) for each in (counts.systems[0], name)]
        over_blocks = paired(sides[0], sides[1], rate, bootstrap)
        # Utterances of one block are not independent: only intervals over blocks are wide enough.
        ends = ("low", "high", "relative_low", "relative_high")
        numbers |= {end: getattr(over_blocks, end) for end in ends}
        if too_few_rows(len(counts.blocks), tests) is None:
            found["p_blocks"] = over_blocks.p
    if (sums := counts.segment_sums(column.label, name)) is not None:
        test = sums.test()
        values = test.z, test.p_nist, test.segments
        found |= {"p_mapsswe": test.p, **dict(zip(SEGMENTS, values, strict=True))}
    width = sample.rows.shape[1] // 2
    directions = direction(rate(sample.rows[:, :width]), rate(sample.rows[:, width:]))
    return numbers | found | count_directions(directions, sample.counts)


def _corrected(
    tally: Tally, counts: PairedCounts, table: pl.DataFrame
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Correct the p-values of all permutation tests over utterances, and over blocks."""
    blocks = counts.blocks
    by_blocks = blocks.terms if blocks and len(blocks) <= SWAPPED_TOGETHER else None
    baseline, *others = tally.systems
    tests = [(column, baseline, name) for column in tally.columns for name in others]
    return (
        _correct(tests, table["p"], counts.few_terms if counts.few is not None else None),
        _correct(tests, table["p_blocks"], by_blocks),
    )


def _correct(
    tests: Sequence[tuple[MetricColumn, str, str]],
    p: pl.Series,
    terms: Callable[[str, str], Statistics] | None,
) -> NDArray[np.float64]:
    """Correct the p-values of all tests; few rows are swapped together in all of them.

    `tests` has the metric and the two systems of each. `terms` returns the terms of a metric and
    system, a row for each of few utterances or blocks.
    """
    if terms is None or p.null_count() == len(p):
        return holm_of(p)
    effects = [
        swap_effects(terms(column.label, one), terms(column.label, other), column.measure.rate)
        for column, one, other in tests
    ]
    return correct(p.to_list(), effects)


def all_differences(
    scores: pl.DataFrame,
    columns: Sequence[MetricColumn],
    systems: Sequence[str],
    block: str,
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Compute a table with a row for each metric and every two systems.

    The columns are those of `differences`; the column `baseline` has the system that comes first in
    `systems`. There is no matched-pairs segment test. Columns that end in `_holm` are corrected for
    all rows of this table.
    """
    pairs = list(combinations(systems, 2))
    tests = [(column, one, other) for column in columns for one, other in pairs]
    counts = {
        one: PairedCounts.of(scores, columns, systems[at:], (), block)
        for at, one in enumerate(systems[:-1])
    }
    found = []
    with progress("comparing all pairs", len(tests)) as step:
        for column, one, other in tests:
            row = {"metric": column.label, "system": other, "baseline": one}
            found.append(row | _difference(counts[one], column, other, bootstrap, len(tests)))
            step(1)
    table, first = typed(found), counts[systems[0]]
    blocks = first.blocks
    return with_corrected(
        table,
        _correct(tests, table["p"], first.few_terms if first.few is not None else None),
        _correct(
            tests,
            table["p_blocks"],
            blocks.terms if blocks and len(blocks) <= SWAPPED_TOGETHER else None,
        ),
    )


def holm_of(p: pl.Series) -> NDArray[np.float64]:
    """Correct a column of p-values by Holm's method; null values do not count."""
    return holm(p.fill_null(np.nan).to_list())


def count_directions(directions: Statistics, times: NDArray[np.int64]) -> dict[str, int]:
    """Count the utterances with a lower, a higher, the same and an undefined rate.

    `times` says how many utterances each row stands for.
    """
    which = (directions < 0, directions > 0, directions == 0, np.isnan(directions))
    return {name: int(times[rows].sum()) for name, rows in zip(DIRECTIONS, which, strict=True)}
