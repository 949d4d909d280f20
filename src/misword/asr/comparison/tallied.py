"""The tables of differences from tallies of shards; equal to those of all utterances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.comparison.differences import (
    SEGMENTS,
    TESTS,
    count_directions,
    holm_of,
    typed,
    with_corrected,
)
from misword.asr.comparison.groups import changes_of, group_table, tested
from misword.core.errors import OptionError
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.corrections import SWAPPED_TOGETHER
from misword.stat.count_tables import grouped_counts
from misword.stat.exact_sums import exact_sums
from misword.stat.group_intervals import GroupedCounts
from misword.stat.measure import MetricColumn
from misword.stat.paired import direction, paired_sample
from misword.stat.paired_counts import PairedCounts
from misword.stat.tally import Tally

if TYPE_CHECKING:
    import polars as pl


def tallied_differences(tally: Tally, bootstrap: Bootstrap) -> pl.DataFrame:
    """Compute the table of `comparison.differences` without the tests of blocks and of segments.

    Raises if there are so few utterances that p-values are corrected by swapping all tests
    together, which needs single utterances.
    """
    paired = paired_counts(tally)
    baseline, *others = tally.systems
    if (size := len(tally) // len(tally.systems)) <= SWAPPED_TOGETHER:
        raise OptionError(
            f"{size} utterances are too few for a comparison of shards",
            fix="leave --engine out",
        )
    rows = [
        {"metric": column.label, "system": name, "baseline": baseline}
        | _difference(paired, column, name, bootstrap)
        for column in tally.columns
        for name in others
    ]
    table = typed(rows)
    return with_corrected(table, holm_of(table["p"]), holm_of(table["p_blocks"]))


def paired_counts(tally: Tally) -> PairedCounts:
    """Return the rows of several systems; raise if the tally has none."""
    if tally.paired is None:
        raise OptionError(
            "this tally has no pairs of systems", fix="make it with paired=True: scores.tally"
        )
    return tally.paired


def _difference(
    paired: PairedCounts, column: MetricColumn, name: str, bootstrap: Bootstrap
) -> dict[str, Any]:
    """Compute the numbers of one row."""
    sample, rate = paired.sample(column.label, name), column.measure.rate
    numbers = asdict(paired_sample(sample, rate, bootstrap))
    tests: dict[str, Any] = {**dict.fromkeys((*TESTS, *SEGMENTS)), "p": numbers.pop("p")}
    width = sample.rows.shape[1] // 2
    directions = direction(rate(sample.rows[:, :width]), rate(sample.rows[:, width:]))
    return numbers | tests | count_directions(directions, sample.counts)


def tallied_groups(tally: Tally, bootstrap: Bootstrap) -> pl.DataFrame:
    """Compute the table of `comparison.groups`; no rows if the tally has no groups.

    Groups with the same difference are in the order of their values.
    """
    import polars as pl

    paired = paired_counts(tally)
    if not tally.by:
        return group_table([], pl.DataFrame(), tally.systems[0])
    (table,), (places,) = paired.tables, paired.places
    groups = grouped_counts(table)
    names = {f"k{at}": name for at, name in enumerate(tally.by)}
    keys = table.select(list(names))[groups.starts[:-1]].rename(names)
    sized = keys.with_columns(pl.Series("utterances", groups.sizes))
    changes = list(changes_of(tally.columns, tally.systems, places))
    sums = np.stack(list(_sums(groups)))
    return group_table(tested(changes, sums, groups, bootstrap), sized, tally.systems[0])


def _sums(groups: GroupedCounts) -> Iterator[Statistics]:
    """Yield the sums of the terms of each group."""
    for group in range(len(groups.sizes)):
        yield exact_sums(groups.sample(group))
