"""Compare systems on the shards of a large corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from misword.asr.comparison.groups import NAMES, NUMBERS
from misword.asr.comparison.overview import differences_overview
from misword.asr.comparison.tallied import tallied_differences, tallied_groups
from misword.asr.score_shards import ShardedScoring, split_arguments
from misword.asr.sharded.request import DEFAULT_ENGINE, ShardRequest
from misword.core.display import Overview
from misword.core.engines import Engine
from misword.core.errors import MiswordError, OptionError
from misword.core.types import DisplayedResult, Result
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.tally import Tally

if TYPE_CHECKING:
    import polars as pl


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

    def overview(self) -> Overview:
        """Return the difference of each system and metric from the baseline."""
        return differences_overview(self.systems, self.utterances, self.differences)

    def main_table(self) -> pl.DataFrame:
        """Return the table `differences`."""
        return self.differences

    def differences_result(self) -> Result:
        """Return a result with the table of differences alone; the headline needs no other."""
        facts = {**metric_provenance(self.columns), **self._settings()}
        return Result("comparison", {"differences": self.differences}, facts)

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
