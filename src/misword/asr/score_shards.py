"""Score the shards of a large corpus, on the cores of a machine or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from misword.asr.scoring_arguments import ScoringArguments
from misword.asr.sharded.request import DEFAULT_ENGINE, ReadingArguments, ShardRequest
from misword.core.display import Overview
from misword.core.engines import Engine
from misword.core.errors import MiswordError
from misword.core.types import DisplayedResult, Result
from misword.stat.measure import MetricColumn
from misword.stat.tally import Tally

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShardedScores(DisplayedResult):
    """The scores of shards: their tally, notes for the user, and the shards that were left out.

    `failures` has an error for each shard that was left out (`keep_going`). `shards` identifies the
    data: the number of shards, their bytes, and a digest of their paths, sizes and versions.
    """

    tally: Tally
    run_notes: tuple[str, ...]
    failures: tuple[MiswordError, ...]
    shards: Mapping[str, Any]

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """Return the rate of a metric: `scores["wer"]`, or `scores["wer", "system"]`."""
        return self.tally[key]

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """The metrics with their signatures."""
        return self.tally.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers that the rates do not show, in sentences for the user."""
        return *self.run_notes, *self.tally.notes

    def overview(self) -> Overview:
        """Return the rate of each system and metric."""
        return self.tally.overview()

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.tally.summary()

    def summary(self, **settings: Any) -> pl.DataFrame:
        """Compute rates and intervals, with the options of `Tally.summary`."""
        return self.tally.summary(**settings)

    def result(self, provenance: Mapping[str, Any] | None = None, **settings: Any) -> Result:
        """Return the table `summary`, with the options of `Tally.result`."""
        return self.tally.result(provenance, **settings)


class ShardedScoring(ReadingArguments, ScoringArguments, total=False):
    """How shards are read, and how their texts are compared."""


def score_shards(
    references: str | PathLike[str],
    hypotheses: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    metrics: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] = (),
    engine: str | Engine = DEFAULT_ENGINE,
    out: str | PathLike[str] | None = None,
    keep_going: bool = False,
    **options: Unpack[ShardedScoring],
) -> ShardedScores:
    r"""Score shards in constant memory; the numbers are those of all utterances together.

    `references` is a folder or a pattern of Parquet, CSV or JSON-lines files (`run/*.parquet`),
    local or a URL that fsspec knows (`s3://...`). The hypotheses are columns of the same files, or
    `hypotheses` names a pattern for each system: file k of each side has the same utterances.

    `engine` is `serial`, `process`, `ray`, or the address of a Ray cluster (`ray://head:10001`);
    `workers` is the number of shards that are scored at the same time. `by` names columns to group
    by. With `out`, the statistics of utterances are written to the folder `utterances` in it, as
    Parquet; shards that are finished there are not scored again. With `keep_going`, shards that
    cannot be scored are left out.

    Columns, formats and systems are named as for `misword.read_corpus` (`id_column`, `names`,
    `missing`, ...); the other arguments are those of `misword.score`.

    >>> import tempfile, pathlib, misword
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k, hyp in enumerate(["a x c", "d e"]):
    ...     size = (folder / f"{k}.csv").write_text(f"id,reference,hypothesis\n{k},a b c,{hyp}\n")
    >>> misword.score_shards(str(folder / "*.csv"), metrics="wer", engine="serial")["wer"]
    0.6666666666666666
    """
    reading, scoring = split_arguments(options)
    request = ShardRequest.of(
        references,
        hypotheses,
        {**reading, "by": by, "engine": engine, "out": out, "keep_going": keep_going},
    )
    run = request.run(metrics, scoring)
    return ShardedScores(run.tally, run.notes, run.failures, run.shards)


def split_arguments(options: Mapping[str, Any]) -> tuple[ReadingArguments, ScoringArguments]:
    """Return the arguments that say how shards are read, and those that say how they are scored."""
    known = {*ReadingArguments.__annotations__, *ScoringArguments.__annotations__}
    for name in options:
        if name not in known:
            raise TypeError(f"unexpected argument {name!r}")
    reading: Any = {k: v for k, v in options.items() if k in ReadingArguments.__annotations__}
    scoring: Any = {k: v for k, v in options.items() if k in ScoringArguments.__annotations__}
    return reading, scoring
