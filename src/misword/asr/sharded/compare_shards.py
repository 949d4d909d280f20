"""The tables of differences from tallies of shards; equal to those of all utterances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.asr.comparison.differences import (
    SEGMENTS,
    TESTS,
    count_directions,
    holm_of,
    typed,
    with_corrected,
)
from misword.asr.comparison.groups import NAMES, NUMBERS, changes_of, group_table, tested
from misword.asr.sharded.score_shards import (
    DEFAULT_ENGINE,
    ShardedScoring,
    ShardRequest,
    split_arguments,
)
from misword.core.engines import Engine
from misword.core.errors import MiswordError, OptionError
from misword.core.lazy import pl
from misword.core.types import Description, DisplayedResult, Result, Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.comparison import COMPARISON
from misword.stat.measure import GroupedCounts, MetricColumn, metric_provenance
from misword.stat.paired import SWAPPED_TOGETHER, direction, paired_sample
from misword.stat.sums import exact_sums, grouped_counts
from misword.stat.tally import PairedCounts, Tally


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


# Compare systems on the shards of a large corpus.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShardedComparison(DisplayedResult):
    """Systems compared with a baseline on shards.

    `differences` and `groups` are those of `misword.compare`. What needs the texts of single
    utterances is not there: the matched-pairs test of segments (MAPSSWE), errors by part of speech,
    frequency and length of words, the worst utterances and how they differ from the others.

    Attributes:
        tally: the sums and distinct statistics of all systems, the baseline first.
        bootstrap: how intervals were drawn.
        differences: a row for each metric and each system except the baseline.
        groups: a row for each metric, system and group of utterances; no rows without `by`.
        run_notes: notes for the user about the data and the run.
        failures: an error for each shard that was left out.
        shards: the number of shards, their bytes, and a digest of their paths, sizes and versions.
    """

    description: ClassVar[Description] = COMPARISON

    block: ClassVar[str] = ""  # utterances of a block may be in different shards
    blocks: ClassVar[int | None] = None
    tally: Tally
    bootstrap: Bootstrap
    differences: pl.DataFrame
    groups: pl.DataFrame
    run_notes: tuple[str, ...]
    failures: tuple[MiswordError, ...]
    shards: Mapping[str, Any]

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """The metrics with their signatures."""
        return self.tally.columns

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, the baseline first."""
        return self.tally.systems

    @property
    def utterances(self) -> int:
        """The number of utterances that the systems are compared on."""
        return len(self.tally) // len(self.systems)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns whose values are the groups."""
        return self.tally.by

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers, in sentences for the user."""
        return *self.run_notes, *self.tally.notes

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name, `differences` first; `groups` only if there are any."""
        return {"differences": self.differences, **({"groups": self.groups} if self.by else {})}

    def main_table(self) -> pl.DataFrame:
        """Return the table `differences`."""
        return self.differences

    def shown(self) -> Result:
        """Return the tables of the comparison, without those of the scores."""
        facts = {**metric_provenance(self.columns), **self._settings()}
        return Result("comparison", self.tables, facts)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables of the comparison, and the summary of the rates of all systems."""
        scores = self.tally.result(
            provenance,
            bootstrap=self.bootstrap.times,
            confidence=self.bootstrap.confidence,
            seed=self.bootstrap.seed,
        )
        facts = {**scores.provenance, **self._settings()}
        return Result("comparison", {**scores.tables, **self.tables}, facts)

    def _settings(self) -> dict[str, Any]:
        return {
            **self.bootstrap.settings,
            "baseline": self.systems[0],
            "systems": list(self.systems),
            "block": self.block or None,
            "blocks": self.blocks,
            "by": list(self.by),
            "correction": "holm",
        }


def compare_shards(
    references: str | PathLike[str],
    hypotheses: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    metrics: str | Sequence[str] | None = None,
    *,
    baseline: str | None = None,
    by: str | Sequence[str] = (),
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: str | Engine = DEFAULT_ENGINE,
    out: str | PathLike[str] | None = None,
    keep_going: bool = False,
    **options: Unpack[ShardedScoring],
) -> ShardedComparison:
    """Compare systems on shards, with the intervals and p-values of `misword.compare`.

    The systems are columns of one set of files (`hypothesis_column=["a", "b"]`), or `hypotheses`
    names a pattern for each. `baseline` names another system than the first. The other arguments
    are those of `misword.score_shards`.
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    names = [by] if isinstance(by, str) else list(by)
    for name in names:
        if name in (*NAMES, *NUMBERS):
            raise OptionError(f"the table of groups has a column {name!r}", fix="rename yours")
    reading, scoring = split_arguments(options)
    request = ShardRequest.of(
        references,
        hypotheses,
        {**reading, "by": names, "engine": engine, "out": out, "keep_going": keep_going},
    )
    request = request.with_baseline(baseline or "")
    run = request.run(metrics, scoring, paired=True)
    return ShardedComparison(
        run.tally,
        resampling,
        tallied_differences(run.tally, resampling),
        tallied_groups(run.tally, resampling),
        run.notes,
        run.failures,
        run.shards,
    )
