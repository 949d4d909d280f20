"""What the functions for shards were asked for, checked before any shard is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, TypedDict

from misword.asr.sharded.checks import check_arguments
from misword.asr.sharded.fitting import FittingWork, fit_metrics
from misword.asr.sharded.run import ShardedRun, run_shards
from misword.asr.sharded.work import ScoringWork
from misword.core.context import Context
from misword.core.engines import ENGINES, Engine
from misword.core.errors import OptionError
from misword.io.shards.listing import find_tasks, is_url, named_path
from misword.io.shards.roles import ShardReading
from misword.io.transcripts.missing import Missing, check_missing
from misword.io.transcripts.plain_names import plain_name
from misword.io.transcripts.systems import names_of_systems
from misword.stat.score_tables import refuse_own_names

Path = str | PathLike[str]
DEFAULT_ENGINE = "process"


class ReadingArguments(TypedDict, total=False):
    """How shards are read: see `misword.read_corpus`."""

    names: Sequence[str] | None
    id_column: str | None
    reference_column: str | None
    hypothesis_column: str | Sequence[str] | None
    format: str | None
    hypothesis_format: str | None
    missing: Missing


class ShardArguments(ReadingArguments, total=False):
    """How shards are read and scored: see `misword.score_shards`."""

    by: str | Sequence[str]
    engine: str | Engine
    out: Path | None
    keep_going: bool


@dataclass(frozen=True, slots=True, eq=False)
class ShardRequest:
    """Patterns of the references and of each system (`sides`), and how to read and score them."""

    sides: Sequence[str]
    reading: ShardReading
    engine: Engine
    out: str | None
    keep_going: bool

    @classmethod
    def of(
        cls, references: Path, hypotheses: Path | Sequence[Path], options: ShardArguments
    ) -> ShardRequest:
        """Check how shards are read."""
        listed = [hypotheses] if isinstance(hypotheses, str | PathLike) else list(hypotheses)
        sides = [fspath(path) for path in (references, *listed)]
        column = options.get("hypothesis_column")
        chosen = [column] if isinstance(column, str) else list(column or ())
        missing, by = options.get("missing", "error"), options.get("by", ())
        check_missing(missing)
        named = [named_path(side) for side in sides[1:] or sides]
        reading = ShardReading(
            tuple(names_of_systems(named, chosen, options.get("names"))),
            options.get("id_column"),
            options.get("reference_column"),
            tuple(chosen) or (None,),
            tuple(dict.fromkeys(map(plain_name, [by] if isinstance(by, str) else by))),
            missing,
            options.get("format"),
            options.get("hypothesis_format"),
        )
        spec = options.get("engine", DEFAULT_ENGINE)
        engine = ENGINES.create(spec) if isinstance(spec, str) else spec
        out = options.get("out")
        if out is not None and is_url(fspath(out)):
            fix = "name a folder that all workers share"
            raise OptionError("it is a URL", where=fspath(out), fix=fix)
        keep_going = options.get("keep_going", False)
        return cls(sides, reading, engine, None if out is None else fspath(out), keep_going)

    def with_baseline(self, name: str) -> ShardRequest:
        """Return the request with a system as the first one; raise if there are not two systems.

        An empty name changes nothing.
        """
        systems = self.reading.systems
        if len(systems) < 2:
            raise OptionError("one system has nothing to be compared with", fix="name two or more")
        if name and name not in systems:
            raise OptionError(f"no system {name!r}", fix=f"there are: {', '.join(systems)}")
        first = systems.index(name) if name else 0
        order = [first, *(at for at in range(len(systems)) if at != first)]
        reading = replace(self.reading, systems=tuple(systems[at] for at in order))
        reference, *sides = self.sides
        if sides:
            return replace(self, sides=[reference, *(sides[at] for at in order)], reading=reading)
        columns = tuple(reading.hypothesis_columns[at] for at in order)
        return replace(self, reading=replace(reading, hypothesis_columns=columns))

    def run(
        self,
        metrics: str | Sequence[str] | None,
        arguments: Mapping[str, Any],
        *,
        paired: bool = False,
    ) -> ShardedRun:
        """Check the options of scoring, list the shards and score them."""
        self.engine.check(Context())
        given = {**arguments, "metrics": metrics}
        workers = given.pop("workers", None)
        created = check_arguments(given)
        by = self.reading.metadata
        refuse_own_names(by, [name for part in created.values() for name in part.statistics])
        if callable(given.get("equivalents")):
            given["equivalents"] = list(given["equivalents"]())
        threads = self.engine.threads or workers
        tasks = find_tasks(self.sides[0], self.sides[1:])
        running: Any = {"workers": workers, "keep_going": self.keep_going}
        fitting = FittingWork(self.reading, given, {}, threads)
        learnt = fit_metrics(created, fitting, tasks, self.engine, **running)
        work = ScoringWork(self.reading, given, by, paired, threads, self.out, learnt)
        return run_shards(work, tasks, self.engine, **running)
