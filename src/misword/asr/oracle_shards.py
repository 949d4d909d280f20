"""The best hypotheses of N-best lists in shards, by each metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from misword.asr.choosing.choice import RANK
from misword.asr.choosing.tables import RANK_1, STEPS, ties_rule
from misword.asr.oracle import check_depths
from misword.asr.score_shards import ShardedScoring, split_arguments
from misword.asr.sharded.checks import check_arguments
from misword.asr.sharded.list_work import (
    FIRST,
    WHOLE,
    ChoosingWork,
    ListChoice,
    Rates,
    ShardChoices,
    check_chooser,
)
from misword.asr.sharded.request import DEFAULT_ENGINE, ShardRequest
from misword.asr.sharded.work import Hashes
from misword.core import display
from misword.core.context import Context
from misword.core.engines import Engine
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.shards.listing import describe_data, find_tasks
from misword.io.shards.running import run_tasks
from misword.stat.bootstrap import Bootstrap, DistinctRows
from misword.stat.count_tables import sample_of
from misword.stat.intervals import interval_of_sample
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.paired import paired_sample
from misword.stat.tally import Tally

if TYPE_CHECKING:
    import polars as pl

DEPTHS = tuple(step * 10**power for power in range(4) for step in STEPS)
PASSES = 12  # at most, for metrics whose reference size depends on the hypothesis

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShardedOracle(DisplayedResult):
    """The rates of the best hypotheses of N-best lists in shards.

    `rates` and `curves` are those of `misword.oracle`. What choices among equally good hypotheses
    can change is not there; the chosen texts are in the folder `utterances` of `out`.

    Attributes:
        rates: a row for each system, metric and choice from whole lists.
        curves: a row for each system, metric and depth of the metric's own choice.
        columns: the metrics with their signatures.
        settings: depths, the rule for ties and the settings of the bootstrap.
        shards: what identifies the data: the number of shards, their bytes, and a digest.
        notes: notes for the user about the data and the run.
    """

    rates: pl.DataFrame
    curves: pl.DataFrame
    columns: tuple[MetricColumn, ...]
    settings: Mapping[str, Any]
    shards: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the rates of all choices."""
        columns = (
            display.text("system"),
            display.text("metric"),
            display.text("chosen_by", "chosen by"),
            display.percent("rate"),
            display.span(),
        )
        lists = counted(self.settings["utterances"], "list")
        return display.Overview.of(f"Oracle: the best hypotheses of {lists}", self.rates, columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`."""
        return self.rates

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        tables = {"rates": self.rates, "curves": self.curves}
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.columns),
            "notes": list(self.notes),
        }
        return Result("oracle", tables, origin)


def oracle_shards(
    references: str | PathLike[str],
    hypotheses: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    metrics: str | Sequence[str] | None = None,
    *,
    depths: Sequence[int] | None = None,
    ties: str = RANK,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    engine: str | Engine = DEFAULT_ENGINE,
    out: str | PathLike[str] | None = None,
    keep_going: bool = False,
    **options: Unpack[ShardedScoring],
) -> ShardedOracle:
    """Choose from the N-best lists of shards; the numbers are those of `misword.oracle`.

    The lists are tables with a row for each hypothesis, the rows of a list one after the other,
    with ids and perhaps a column `rank`. The references are a column of the same tables, or
    `hypotheses` names a pattern for the lists of each system: file k has the lists of the
    utterances in file k of the references.

    A metric whose reference size depends on the hypothesis (MER) needs several passes over the
    shards; WIL cannot choose from shards. With `out`, the chosen texts are written as Parquet. The
    other arguments are those of `misword.oracle` and `misword.score_shards`.
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    reading, scoring = split_arguments(options)
    arguments: dict[str, Any] = {
        **reading, "engine": engine, "out": out, "keep_going": keep_going
    }  # fmt: skip
    request = ShardRequest.of(references, hypotheses, arguments)  # type: ignore[arg-type]
    given: dict[str, Any] = {**scoring, "metrics": metrics}
    workers = given.pop("workers", None)
    created = check_arguments(given)
    for label, metric in created.items():
        check_chooser(label, metric)
    if problem := ties_rule(ties, list(created)):
        raise OptionError(problem, fix=f"use rank, or one of: {', '.join(created)}")
    request.engine.check(Context())
    check_depths(depths)
    steps = tuple(sorted({1, *depths})) if depths else (*DEPTHS, WHOLE)
    work = ChoosingWork(
        request.reading,
        given,
        tuple(ListChoice(label, depth) for label in created for depth in steps),
        ties,
        threads=request.engine.threads or workers,
        out=request.out,
    )
    return _Passes(request, workers).run(work).oracle(steps, resampling)


@dataclass(slots=True, eq=False)
class _Passes:
    """Passes over the lists, until no rate of a choice falls any more."""

    request: ShardRequest
    workers: int | None
    tallies: dict[str, Tally] = field(default_factory=dict)
    lengths: dict[str, Counter[int]] = field(default_factory=dict)
    varying: set[tuple[str, str]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    shards: dict[str, Any] = field(default_factory=dict)
    ties: str = RANK

    def run(self, work: ChoosingWork) -> _Passes:
        """Run the passes; `work` is the first of them.

        Later passes are steps of Dinkelbach's algorithm (`choosing/ratio_minimum.py`): each metric
        chooses by errors minus the rate of its last choice times the size of the reference.
        """
        self.ties = work.ties
        self._pass(work)
        rates: Rates = {}
        for number in range(PASSES):
            lower = self._falling(rates, first=not number)
            if not lower:
                break
            rates = {**rates, **lower}
            self._pass(replace(work, rates=rates))
        return self

    def _pass(self, work: ChoosingWork) -> None:
        """Choose from all lists."""
        request, found = self.request, dict[int, ShardChoices]()
        tasks = find_tasks(request.sides[0], request.sides[1:])
        report = run_tasks(
            request.engine,
            work,
            tasks,
            [task.files[-1] for task in tasks],
            found.__setitem__,
            what="choosing from lists",
            workers=self.workers,
        )
        report.check(keep_going=request.keep_going)
        _refuse_doubled({tasks[number].shown: each.hashes for number, each in found.items()})
        self.notes = report.notes()
        self.shards = describe_data(tasks, len(report.errors))
        self.tallies, self.lengths, self.varying = {}, {}, set()
        for system in request.reading.systems:
            self.tallies[system] = Tally.sum(each.tallies[system] for each in found.values())
            lengths = (each.lengths[system] for each in found.values())
            self.lengths[system] = sum(lengths, Counter())
            self.varying |= set().union(*(each.varying for each in found.values()))

    def _falling(self, rates: Rates, *, first: bool) -> dict[tuple[str, ListChoice], float]:
        """Return the rates of choices that may still become lower."""
        falling = {}
        for system, label in sorted(self.varying):
            if self.ties == label and len(self.tallies[system].columns) > 1:
                raise OptionError(
                    f"ties by {label}, whose reference size depends on the hypothesis",
                    fix="use another rule for ties, or leave --engine out",
                )
            for choice in _choices_by(self.tallies[system], label):
                chosen = FIRST if first else choice
                rate = self.tallies[system][label, chosen.name]
                if first or rate < rates[system, choice]:
                    falling[system, choice] = rate
        return falling

    def oracle(self, steps: Sequence[int], bootstrap: Bootstrap) -> ShardedOracle:
        """Return the tables; the last of the steps is the depth of the choices in `rates`."""
        import polars as pl

        *others, last = steps
        deepest = last or max(max(lengths) for lengths in self.lengths.values())
        depths = {depth: depth for depth in others if depth < deepest} | {deepest: last}
        rates, curves = (
            pl.DataFrame(list(rows), infer_schema_length=None).fill_nan(None)
            for rows in (self._rates(deepest, last, bootstrap), self._curves(depths, bootstrap))
        )
        count = sum(next(iter(self.lengths.values())).values())
        settings = {
            "depths": list(depths),
            "ties": self.ties,
            "utterances": count,
            **bootstrap.settings,
        }
        columns = next(iter(self.tallies.values())).columns
        return ShardedOracle(rates, curves, columns, settings, self.shards, tuple(self.notes))

    def _rates(self, deepest: int, last: int, bootstrap: Bootstrap) -> Iterator[Row]:
        """Yield the rate of each choice at the greatest depth, by each metric."""
        for system, tally in self.tallies.items():
            labels = [column.label for column in tally.columns]
            for column in tally.columns:
                for by in (RANK_1, *labels):
                    choice = FIRST if by == RANK_1 else ListChoice(by, last)
                    depth = 1 if by == RANK_1 else deepest
                    head = {
                        "system": system, "metric": column.label, "chosen_by": by, "depth": depth
                    }  # fmt: skip
                    yield head | _numbers(tally, column, choice, bootstrap)

    def _curves(self, depths: Mapping[int, int], bootstrap: Bootstrap) -> Iterator[Row]:
        """Yield the rate of each metric's own choice at each depth."""
        for system, tally in self.tallies.items():
            lengths = self.lengths[system]
            for column in tally.columns:
                for shown, depth in depths.items():
                    head = {"system": system, "metric": column.label, "depth": shown}
                    numbers = _numbers(tally, column, ListChoice(column.label, depth), bootstrap)
                    shorter = sum(count for length, count in lengths.items() if length < shown)
                    yield head | numbers | {"shorter": shorter}


def _refuse_doubled(hashes: Mapping[str, Hashes]) -> None:
    """Raise if shards have lists of the same utterances; `hashes` are those of their ids."""
    every = np.sort(np.concatenate(list(hashes.values())))
    doubled = np.unique(every[1:][every[1:] == every[:-1]])
    if len(doubled):
        shards = [shown for shown, own in sorted(hashes.items()) if np.isin(doubled[0], own)]
        raise InputError(
            f"{counted(len(doubled), 'utterance')} with several lists, such as one in "
            f"{' and '.join(shards)}",
            fix="the rows of a list must follow each other, in one shard",
        )


def _choices_by(tally: Tally, label: str) -> list[ListChoice]:
    """Return the choices of a tally that a metric made."""
    named = (name.partition(" ") for name in tally.systems)
    return [ListChoice(by, int(depth)) for depth, _, by in named if by == label]


def _numbers(tally: Tally, column: MetricColumn, choice: ListChoice, bootstrap: Bootstrap) -> Row:
    """Return the rate of a choice and its difference from rank 1, with intervals."""
    assert tally.paired is not None
    label, rate = column.label, column.measure.rate
    own = sample_of(tally.rows[label].filter(k0=choice.name).drop("k0"))
    both = (
        DistinctRows(np.hstack([own.rows, own.rows]), own.counts)
        if choice == FIRST
        else tally.paired.sample(label, choice.name)
    )
    found = paired_sample(both, rate, bootstrap)
    low, high = interval_of_sample(own, rate, bootstrap)
    return {
        "rate": found.rate,
        "low": low,
        "high": high,
        "difference": found.difference,
        "difference_low": found.low,
        "difference_high": found.high,
    }
