"""Differences between systems within groups of utterances.

Groups are the values of metadata columns, such as dialect. Each group is resampled once, and all
metrics and systems use the same resamples, so that many groups take little time.

Known problems: with many groups, a real but small difference in one of them may not be shown,
because p-values are corrected for the number of rows. The groups of two columns overlap if they are
compared in two runs; name both columns in one run instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.differences import paired_counts
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, DistinctRows, jackknife, percentiles, resample
from misword.stat.measure import (
    GroupedCounts,
    GroupedRows,
    MetricColumn,
    SmallSamples,
    percentiles_of_rows,
    ratio,
)
from misword.stat.paired import NOISE, group_effects, group_p, holm, permutation_p, swap_effects
from misword.stat.score_tables import places_in
from misword.stat.tallies.sums import exact_sums, grouped_counts
from misword.stat.tallies.tally import Tally

# The columns of the table after those of the group.
NUMBERS = (
    "utterances", "baseline_rate", "rate", "difference", "low", "high",
    "relative", "relative_low", "relative_high", "p", "p_holm",
)  # fmt: skip
# The numbers of each group, by name.
Numbers = dict[str, NDArray[np.float64]]
NAMES = ("metric", "system", "baseline")


def group_columns(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns to group by; raise if one has the name of a column of the result."""
    names = tuple(dict.fromkeys([by] if isinstance(by, str) else by))
    for name in names:
        if name in (*NAMES, *NUMBERS):
            raise OptionError(f"the table of groups has a column {name!r}", fix="rename yours")
    return names


def group_differences(
    tally: Tally, bootstrap: Bootstrap, rows: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Compute a row for each metric, system and group: both rates, their difference, interval, p.

    A group is a combination of values of the columns `by` of the tally. For each metric and system,
    the group whose rate rose most comes first. Intervals come from a paired bootstrap over the
    utterances of the group, or over its blocks. p-values are those of a two-sided paired
    permutation test within the group. `p_holm` is corrected over all rows of the table by Holm's
    method. Groups with the same difference are in the order of their values, or of their first
    `rows`. There are no rows if the tally has no groups.
    """
    counts = paired_counts(tally)
    if not tally.by:
        return _group_table([], pl.DataFrame(), tally.systems[0])
    (table,), (places,) = counts.tables, counts.places
    groups = grouped_counts(table)
    names = {f"k{at}": name for at, name in enumerate(tally.by)}
    keys = table.select(list(names))[groups.starts[:-1]].rename(names)
    sized = keys.with_columns(pl.Series("utterances", groups.sizes))
    changes = list(changes_of(tally.columns, tally.systems, places))
    sums = np.stack([exact_sums(groups.sample(group)) for group in range(len(groups.sizes))])
    resampled = groups if counts.blocks is None else counts.blocks.grouped()
    order = None if rows is None else places_in(keys, rows, tally.by)
    numbers = tested(changes, sums, resampled, bootstrap)
    return _group_table(numbers, sized, tally.systems[0], order)


def _group_table(
    differences: Iterable[tuple[str, str, Numbers]],
    keys: pl.DataFrame,
    baseline: str,
    order: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    """Return the table of groups; `keys` has their values and their numbers of utterances.

    `differences` are the numbers of each metric and system, as `tested` yields them. `order` has
    the place of each group among those with the same difference.
    """

    types = dict(keys.schema) | {"utterances": pl.Int64()}
    schema = {**dict.fromkeys(NAMES, pl.String()), **types}
    schema |= dict.fromkeys(NUMBERS[1:], pl.Float64())
    among = np.arange(len(keys)) if order is None else order
    parts = [
        pl.DataFrame(numbers)[(rows := np.lexsort((among, -numbers["difference"])))]
        .select(
            pl.lit(metric).alias("metric"),
            pl.lit(system).alias("system"),
            pl.lit(baseline).alias("baseline"),
            pl.all(),
        )
        .hstack(keys[rows].get_columns())
        for metric, system, numbers in differences
    ]
    if not parts:
        return pl.DataFrame(schema=schema)
    result = pl.concat(parts)
    holm_column = pl.Series("p_holm", holm(result["p"].to_list()))
    ordered = [result.hstack([holm_column]).get_column(name) for name in schema]
    return pl.DataFrame(ordered).fill_nan(None)


def changes_of(
    columns: Sequence[MetricColumn], systems: Sequence[str], places: Mapping[tuple[str, str], slice]
) -> Iterator[Change]:
    """Yield the changes of each metric from the baseline, the first system, to each other system.

    `places` has the columns of each metric and system in a row of terms.
    """
    baseline, *others = systems
    for column in columns:
        for name in others:
            sides = (places[column.label, side] for side in (baseline, name))
            yield Change(column, name, *sides)


def tested(
    changes: Sequence[Change],
    sums: Statistics,
    groups: GroupedRows | GroupedCounts,
    bootstrap: Bootstrap,
) -> Iterator[tuple[str, str, Numbers]]:
    """Yield metric, system and the numbers of each change in each group.

    `sums` are the sums of the terms of each group; `groups` are the rows that are resampled.
    """
    found = [_differences(change, sums) for change in changes]
    rest = np.ones(len(sums), np.bool_)
    with progress("groups", len(sums)) as step:
        for numbers, samples in groups.small(bootstrap):
            rest[numbers] = False
            for change, columns in zip(changes, found, strict=True):
                _test_together(columns, numbers, samples, change, bootstrap)
            step(len(numbers))
        for group in np.flatnonzero(rest).tolist():
            sample = groups.sample(group)
            _test_alone(zip(changes, found, strict=True), group, sample, bootstrap)
            step(1)
    for change, columns in zip(changes, found, strict=True):
        yield change.column.label, change.system, columns


def _differences(change: Change, sums: Statistics) -> Numbers:
    """Return both rates, their difference and the relative change, without intervals."""
    before, after = (
        change.column.measure.rate(sums[:, at]) for at in (change.before, change.after)
    )
    difference = after - before
    difference[np.abs(difference) <= NOISE * (np.abs(before) + np.abs(after))] = 0.0
    relative = np.where(difference == 0, 0.0, ratio(difference, before))
    numbers = {name: np.full(len(sums), nan) for name in NUMBERS[1:-1]}
    rates = {"baseline_rate": before, "rate": after}
    return numbers | rates | {"difference": difference, "relative": relative}


def _test_together(
    numbers: Numbers,
    groups: NDArray[np.int64],
    samples: SmallSamples,
    change: Change,
    bootstrap: Bootstrap,
) -> None:
    """Set the p-values and intervals of several small groups of the same size."""
    defined = ~np.isnan(numbers["difference"][groups])
    groups, samples = groups[defined], samples.take(defined)
    sides = samples.rows[..., change.before], samples.rows[..., change.after]
    numbers["p"][groups] = group_p(group_effects(*sides, change.column.measure.rate))
    levels = samples.symmetric_levels(change, bootstrap.confidence)
    for name, value in (("", change), ("relative_", change.relative)):
        low, high = percentiles_of_rows(value(samples.sums), *levels)
        numbers[f"{name}low"][groups], numbers[f"{name}high"][groups] = low, high


def _test_alone(
    changes: Iterable[tuple[Change, Numbers]],
    group: int,
    sample: DistinctRows,
    bootstrap: Bootstrap,
) -> None:
    """Set the p-values and intervals of one group."""
    if sample.size < 2:
        return
    rows, counts = sample.rows, sample.counts
    drawn = resample(sample, bootstrap) if bootstrap.times else None
    for change, numbers in changes:
        if np.isnan(numbers["difference"][group]):
            continue
        effects = swap_effects(
            rows[:, change.before], rows[:, change.after], change.column.measure.rate, counts
        )
        numbers["p"][group] = permutation_p(effects, counts)
        if drawn is not None:
            levels = jackknife(sample, change).symmetric_levels(bootstrap.confidence)
            for name, value in (("", change), ("relative_", change.relative)):
                low, high = percentiles(value(drawn), levels)
                numbers[f"{name}low"][group], numbers[f"{name}high"][group] = low, high


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a metric between two systems, whose terms are in two slices of a row."""

    column: MetricColumn
    system: str
    before: slice
    after: slice

    def __call__(self, terms: Statistics) -> Statistics:
        """Return the difference of the rates."""
        rate = self.column.measure.rate
        return np.asarray(rate(terms[..., self.after]) - rate(terms[..., self.before]))

    def relative(self, terms: Statistics) -> Statistics:
        """Return the difference as a share of the rate before."""
        return ratio(self(terms), self.column.measure.rate(terms[..., self.before]))
