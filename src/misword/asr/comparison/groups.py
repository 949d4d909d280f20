"""Where is a system worse? Differences between systems within groups of utterances.

Groups are the values of metadata columns, such as dialect. Each group is resampled once, and all
metrics and systems use the same resamples, so that many groups take little time.

Known problems: with many groups, a real but small difference in one of them may not be shown,
because p-values are corrected for the number of rows. The groups of two columns overlap if they are
compared in two runs; name both columns in one run instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, DistinctRows, distinct, resample
from misword.stat.intervals import jackknife, percentiles
from misword.stat.measure import MetricColumn, ratio
from misword.stat.paired import NOISE, by_block, holm
from misword.stat.permutation import permutation_p, swap_effects

if TYPE_CHECKING:
    import polars as pl

# The columns of the table after those of the group.
NUMBERS = (
    "utterances", "baseline_rate", "rate", "difference", "low", "high",
    "relative", "relative_low", "relative_high", "p", "p_holm",
)  # fmt: skip
NAMES = ("metric", "system", "baseline")


def group_columns(systems: MatchedSystems, by: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns to group by; raise if one is not metadata."""
    names = tuple(dict.fromkeys([by] if isinstance(by, str) else by))
    known = systems.baseline_scores.metadata
    for name in names:
        if name in (*NAMES, *NUMBERS):
            raise OptionError(f"the table of groups has a column {name!r}", fix="rename yours")
        if name not in known:
            columns = ", ".join(known) or "there are none; add some with --metadata"
            raise OptionError(f"no column {name!r} of metadata", fix=f"columns: {columns}")
    return names


def group_differences(
    systems: MatchedSystems,
    by: Sequence[str],
    bootstrap: Bootstrap,
    blocks: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    """Compute a row for each metric, system and group: both rates, their difference, interval, p.

    `by` are columns of metadata; a group is a combination of their values. For each metric and
    system, the group whose rate rose most comes first. Intervals come from a paired bootstrap over
    the utterances of the group, or over its blocks. p-values are those of a two-sided paired
    permutation test within the group. `p_holm` is corrected over all rows of the
    table by Holm's method.
    """
    import polars as pl

    table = systems.baseline_scores.table.select(by)
    stacked = _StackedTerms.of(systems)
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    groups = _rows_of_groups(table) if by else {}
    with progress("groups", len(groups)) as step:
        for key, rows in groups.items():
            group = dict(zip(by, key, strict=True)) | {"utterances": len(rows)}
            part = stacked.terms[rows]
            if blocks is not None:
                part = by_block(part, np.unique(blocks[rows], return_inverse=True)[1])
            for metric, system, numbers in stacked.differences(part, bootstrap):
                names = {"metric": metric, "system": system, "baseline": systems.baseline}
                found.setdefault((metric, system), []).append({**names, **group, **numbers})
            step(1)
    ordered = [row for rows in found.values() for row in sorted(rows, key=_by_increase)]
    types = {name: table.schema[name] for name in by} | {"utterances": pl.Int64()}
    schema = {**dict.fromkeys(NAMES, pl.String()), **types}
    schema |= dict.fromkeys(NUMBERS[1:-1], pl.Float64())
    result = pl.DataFrame(ordered, schema=schema, orient="row")
    return result.with_columns(pl.Series("p_holm", holm(result["p"].to_list()))).fill_nan(None)


def _rows_of_groups(table: pl.DataFrame) -> dict[tuple[Any, ...], NDArray[np.int64]]:
    """Return the numbers of the rows of each combination of values, in order of appearance."""
    import polars as pl

    # Any name may be that of a metadata column, so the columns get numbers as names.
    numbered = table.rename({name: str(at) for at, name in enumerate(table.columns)})
    grouped = (
        numbered.with_row_index("row")
        .group_by(numbered.columns, maintain_order=True)
        .agg(pl.col("row"))
    )
    return {tuple(key): np.array(places, np.int64) for *key, places in grouped.iter_rows()}


def _by_increase(row: dict[str, Any]) -> float:
    """Return a key that sorts the largest increase first, and undefined differences last."""
    return float("inf") if np.isnan(row["difference"]) else -float(row["difference"])


@dataclass(frozen=True, slots=True, eq=False)
class _StackedTerms:
    """The terms of all metrics and systems side by side, a row per utterance.

    `places` has the columns of each metric and system.
    """

    columns: Sequence[MetricColumn]
    systems: Sequence[str]
    terms: Statistics
    places: dict[tuple[str, str], slice]

    @classmethod
    def of(cls, systems: MatchedSystems) -> _StackedTerms:
        """Stack the terms of all metrics and systems."""
        parts, places, start = [], {}, 0
        for column in systems.scores.columns:
            for name, scores in systems.by_system.items():
                parts.append(column.measure.terms(scores.statistics(column.label)))
                places[column.label, name] = slice(start, start := start + parts[-1].shape[1])
        return cls(systems.scores.columns, list(systems.by_system), np.hstack(parts), places)

    def differences(
        self, rows: Statistics, bootstrap: Bootstrap
    ) -> Iterator[tuple[str, str, dict[str, float]]]:
        """Yield metric, system and the numbers of their difference over some of the rows."""
        sums = np.array([fsum(column) for column in rows.T])
        sample = distinct(rows)
        rows = sample.repeated()
        drawn = resample(sample, bootstrap) if len(rows) > 1 and bootstrap.times else None
        baseline, *others = self.systems
        for column in self.columns:
            for name in others:
                sides = [self.places[column.label, side] for side in (baseline, name)]
                before, after = (float(column.measure.rate(sums[side])) for side in sides)
                numbers = _difference(before, after)
                if len(rows) > 1 and not np.isnan(numbers["difference"]):
                    terms = rows[:, sides[0]], rows[:, sides[1]]
                    numbers["p"] = permutation_p(swap_effects(*terms, column.measure.rate))
                    if drawn is not None:
                        numbers |= _intervals(sample, drawn, _Change(column, *sides), bootstrap)
                yield column.label, name, numbers


def _difference(before: float, after: float) -> dict[str, float]:
    """Return both rates, their difference and the relative change, without intervals."""
    difference = after - before
    if abs(difference) <= NOISE * (abs(before) + abs(after)):
        difference = 0.0
    numbers = dict.fromkeys(NUMBERS[1:-1], nan)
    relative = float(ratio(np.array(difference), np.array(before))) if difference else 0.0
    rates = {"baseline_rate": before, "rate": after}
    return numbers | rates | {"difference": difference, "relative": relative}


@dataclass(frozen=True, slots=True)
class _Change:
    """The change of a metric between two systems, whose terms are in two slices of a row."""

    column: MetricColumn
    before: slice
    after: slice

    def __call__(self, terms: Statistics) -> Statistics:
        """Return the difference of the rates."""
        rate = self.column.measure.rate
        return np.asarray(rate(terms[..., self.after]) - rate(terms[..., self.before]))

    def relative(self, terms: Statistics) -> Statistics:
        """Return the difference as a share of the rate before."""
        return ratio(self(terms), self.column.measure.rate(terms[..., self.before]))


def _intervals(
    sample: DistinctRows, drawn: Statistics, change: _Change, bootstrap: Bootstrap
) -> dict[str, float]:
    """Return the intervals of the difference and of the relative change, from resampled terms."""
    levels = jackknife(sample, change).symmetric_levels(bootstrap.confidence)
    low, high = percentiles(change(drawn), levels)
    relative_low, relative_high = percentiles(change.relative(drawn), levels)
    return {
        "low": low,
        "high": high,
        "relative_low": relative_low,
        "relative_high": relative_high,
    }
