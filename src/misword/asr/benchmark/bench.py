"""The function `bench`: systems on many test sets, with averages, ranks, costs and history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

from misword.asr.benchmark.cells import BenchCell, cells_of, history_rows, labelled, set_rows
from misword.asr.benchmark.suite import Suite, TestSet, merged_options, suite_of
from misword.asr.benchmark.tables import (
    averages_table,
    cells_table,
    costs_table,
    groups_table,
    sets_table,
)
from misword.asr.benchmark.timeline import (
    RunPoint,
    advice_table,
    cells_of_run,
    changes_table,
    checkpoint_timeline,
    gate_conditions,
    history_table,
    points_of,
    run_of,
    runs_since,
    timeline,
)
from misword.asr.comparison.gate import Condition, conditions_frame
from misword.asr.comparison.groups import group_columns
from misword.asr.options import BenchOptions, Metrics, ScoreOptions, find_preset
from misword.asr.score import score
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.progress import progress
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.history import Run, append, appending
from misword.io.options import Reading
from misword.stat.benchmarks.matrix import Averages, averages
from misword.stat.benchmarks.ranks import corrected, test_pairs
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.benchmark import BENCHMARK
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.scores import Scores

# Called with the name of each test set and its scores, before they are dropped from memory.
EachSet = Callable[[str, Scores], None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Benchmark(DisplayedResult):
    """Systems on several test sets.

    Attributes:
        tables: the tables by name, `averages` first. `cells` has the rate of each system on each
            set, `pairs` the test of each pair of systems, `sets` who wins each set and what it adds
            to the difference of the best two, `costs`, `groups`, `entities`, `history`, `changes`,
            `gate` and `advice` what the options asked for.
        columns: the metrics.
        conditions: those of `best_of_last`.
        notes: what the rates do not show.
    """

    description: ClassVar[Description] = BENCHMARK

    tables: Mapping[str, pl.DataFrame]
    columns: tuple[MetricColumn, ...]
    facts: Mapping[str, Any]
    conditions: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()
    rows: pl.DataFrame | None = field(default=None)

    @property
    def passed(self) -> bool:
        """Whether no condition of `best_of_last` failed."""
        return not any(condition.outcome == "failed" for condition in self.conditions)

    def main_table(self) -> pl.DataFrame:
        """Return the averages and ranks."""
        return self.tables["averages"]

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return all tables and their provenance."""
        facts = {
            "misword": __version__,
            **(provenance or {}),
            **metric_provenance(self.columns),
            **self.facts,
            "notes": list(self.notes),
        }
        return Result("benchmark", dict(self.tables), facts)

    def append(self, path: Any) -> None:
        """Add the run to a history; other processes that do the same wait."""
        if self.rows is not None:
            with appending(path):
                append(path, self.rows)


@takes(Metrics, BenchOptions)
def bench(
    sets: Any,
    metrics: str | Iterable[str] | None = None,
    *,
    each: EachSet | None = None,
    **options: Unpack[BenchOptions],
) -> Benchmark:
    """Score systems on several test sets; return the matrix, its averages, ranks and tests.

    `sets` is a TOML file, folders (one for each set, with `reference.*` and a file for each
    system), or a mapping from names of sets to `Scores`, or to references and hypotheses as
    `misword.score` takes them. Without sets, the last run of the `history` is shown.

    `average` decides the ranks: the mean of the rates of the sets (`macro`) or the rate of all
    their words (`micro`). All pairs of systems are tested, and corrected together. `costs` is a
    file, or a mapping from systems to numbers by name. `best_of_last` compares each system with its
    best in the last runs of the history. `each` is called with the scores of each set. The run is
    added to `history` only by `Benchmark.append`. The other arguments are those of `misword.score`
    and `misword.read_corpus`.

    >>> import misword
    >>> texts = ["the cat sat", "so we go"], {"a": ["the cat sat", "so we go"], "b": ["a cat", ""]}
    >>> found = misword.bench({"one": texts, "two": texts}, "wer", bootstrap=0)
    >>> found.main_table().select("system", "macro").rows()
    [('a', 0.0), ('b', 0.8333333333333334)]
    """
    suite = suite_of(sets, options["systems"]) if _is_given(sets) else None
    families = (Metrics, BenchOptions)
    given = {**options, "metrics": metrics}
    settings = merged_options(given, suite, families) if suite else given
    resampling = Bootstrap.of(settings)  # type: ignore[arg-type]
    if suite is None:
        run, found, notes = _last_run(settings)
    else:
        run, (found, notes) = _this_run(settings), _score_sets(suite, settings, each)
    measured = _Measured(*labelled(found.cells), found, run)
    costs = settings["costs"] if suite is None or suite.costs is None else suite.costs
    made = _tables(measured, settings, resampling, costs)
    frames, facts, conditions, more = made
    rows = history_rows(measured.cells, run, {"notes": notes}) if suite else None
    facts |= {"title": suite.title} if suite and suite.title else {}
    columns = _columns(measured)
    return Benchmark(frames, columns, facts, conditions, (*notes, *more), rows)


def _is_given(sets: Any) -> bool:
    """Return whether sets are named: not None, and no empty list."""
    return sets is not None and not (isinstance(sets, Sequence) and len(sets) == 0)


def _this_run(settings: Mapping[str, Any]) -> Run:
    return Run.now(settings["step"], settings["version"])


@dataclass(frozen=True, slots=True)
class _Found:
    """What was read: the cells of the sets, tables of classes of words, and all systems."""

    cells: list[BenchCell]
    systems: tuple[str, ...]
    sets: tuple[str, ...]
    entities: tuple[pl.DataFrame, ...] = ()


@dataclass(frozen=True, slots=True)
class _Measured:
    """The cells with their common labels."""

    cells: list[BenchCell]
    labels: list[str]
    found: _Found
    run: Run


def _columns(measured: _Measured) -> tuple[MetricColumn, ...]:
    """Return the metrics with the signatures of the first set."""
    by_label: dict[str, MetricColumn] = {}
    for cell in measured.cells:
        by_label.setdefault(cell.column.label, cell.column)
    return tuple(by_label[label] for label in measured.labels)


# Reading and scoring.


def _score_sets(
    suite: Suite, settings: Mapping[str, Any], each: EachSet | None
) -> tuple[_Found, tuple[str, ...]]:
    """Score all test sets, one after the other."""
    by, block = list(group_columns(settings["by"])), settings["block"] or ""
    cells: list[BenchCell] = []
    notes: dict[str, list[str]] = {}
    entities = []
    with progress("test sets", len(suite.sets)) as step:
        for own in suite.sets:
            scores = _score(own, settings, keep_texts=each is not None)
            for text in scores.notes:
                notes.setdefault(text, []).append(own.name)
            cells += cells_of(own.name, scores, by, block)
            if scores.has_classes:
                table = scores.entities(bootstrap=settings["bootstrap"])
                entities.append(table.insert_column(0, pl.lit(own.name).alias("set")))
            if each is not None:
                each(own.name, scores)
            step(1)
    present = list(dict.fromkeys(cell.system for cell in cells))
    systems = tuple(settings["systems"] or present)
    if not set(present) & set(systems):
        raise OptionError(
            "no system of --systems is in the sets", fix=f"here: {', '.join(present)}"
        )
    kept = [cell for cell in cells if cell.system in systems]
    found = _Found(kept, systems, tuple(own.name for own in suite.sets), tuple(entities))
    return found, tuple(f"{', '.join(places)}: {text}" for text, places in notes.items())


def _score(own: TestSet, settings: Mapping[str, Any], *, keep_texts: bool) -> Scores:
    """Score one test set by the options of all sets and its own."""
    if own.texts and isinstance(own.texts[0], Scores):
        return own.texts[0]
    merged = {**chosen(settings, Metrics, ScoreOptions), **own.scoring}
    merged = {name: merged[name] for name in chosen({}, Metrics, ScoreOptions)}
    texts = dict(zip(("hypotheses", "metadata", "ids"), own.source(chosen(settings, Reading))[1:],
                     strict=False))  # fmt: skip
    source = own.source(chosen(settings, Reading))[0]
    try:
        return score(source, keep_texts=keep_texts, **texts, **merged)
    except (InputError, OptionError) as error:
        where = f"{own.name}: {error.where}" if error.where else own.name
        raise type(error)(error.what, where=where, fix=error.fix) from error


def _last_run(settings: Mapping[str, Any]) -> tuple[Run, _Found, tuple[str, ...]]:
    """Return the last run of the history, for a benchmark without sets."""
    if settings["history"] is None:
        raise OptionError(
            "there is no test set",
            fix="name a TOML file or folders, or the file of earlier runs: --history runs.parquet",
        )
    runs = runs_since(settings["history"], settings["since"])
    if runs.is_empty():
        raise OptionError(
            "the history has no runs" + (" since then" if settings["since"] else ""),
            where=str(settings["history"]),
            fix="add one: misword bench bench.toml --history FILE",
        )
    run = run_of(runs.row(-1, named=True))
    cells = cells_of_run(settings["history"], run.name)
    present = tuple(dict.fromkeys(cell.system for cell in cells))
    systems = tuple(settings["systems"] or present)
    cells = [cell for cell in cells if cell.system in systems]
    sets = tuple(dict.fromkeys(cell.set for cell in cells))
    return run, _Found(cells, systems, sets), (f"run {run.name} of the history is shown",)


# The tables.


def _tables(
    measured: _Measured, settings: Mapping[str, Any], bootstrap: Bootstrap, costs: Any
) -> tuple[dict[str, pl.DataFrame], dict[str, Any], tuple[Condition, ...], tuple[str, ...]]:
    """Return the tables, facts about them, the conditions and notes."""
    systems, average = measured.found.systems, settings["average"]
    common = settings["incomplete"] == "common"
    digits = find_preset(settings["preset"]).average_digits
    by_label, pairs, rows_by_label = {}, [], {}
    for label in measured.labels:
        rows = rows_by_label[label] = set_rows(measured.cells, label)
        found = averages(rows, systems, bootstrap, common=common, digits=digits)
        by_label[label] = found
        pairs += test_pairs(rows, found, average, bootstrap)
    tested = corrected(pairs)
    tables = {
        "averages": averages_table(by_label, rows_by_label, tested, measured.found.sets, average),
        "cells": cells_table(by_label, rows_by_label, tested, measured.cells, measured.found.sets),
        "sets": sets_table(by_label, rows_by_label, tested, measured.cells, average),
        "pairs": tested,
    }
    if measured.found.entities:
        tables["entities"] = pl.concat(measured.found.entities, how="diagonal_relaxed")
    if settings["by"]:
        tables["groups"] = groups_table(measured.cells, list(group_columns(settings["by"])))
    lead = measured.labels[0]
    if costs is not None:
        tables["costs"] = costs_table(costs, tables["averages"], tested, lead, average)
    more, conditions, notes = _over_time(measured, settings, by_label[lead], digits, bootstrap)
    missing = len(systems) * len(measured.found.sets) - len(by_label[lead].cells)
    facts = {
        "systems": list(systems),
        "sets": list(measured.found.sets),
        "averaged": list(by_label[lead].sets),
        "average": average,
        "missing_cells": missing,
        "tests": tested.height,
        "correction": "holm",
        "rounded": digits,
        "by": list(group_columns(settings["by"])),
        "block": settings["block"],
        "run": measured.run.name,
        **bootstrap.settings,
    }
    return {**tables, **more}, facts, conditions, (*_notes(measured, by_label[lead]), *notes)


def _notes(measured: _Measured, found: Averages) -> tuple[str, ...]:
    """Return notes on missing cells, and on options that differ between sets."""
    notes = []
    sets, systems = measured.found.sets, measured.found.systems
    missing = [(n, s) for n in sets for s in systems if (n, s) not in found.cells]
    if missing:
        shown = ", ".join(f"{system} on {name}" for name, system in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        left = [system for system in systems if system not in found.macro]
        ending = (
            f"{counted(len(left), 'system')} without an average: {', '.join(left)}"
            if left
            else f"averages are over the {len(found.sets)} of {len(sets)} sets that all have"
        )
        cells = f"{counted(len(missing), 'cell')} of {len(sets) * len(systems)}"
        verb = "is" if len(missing) == 1 else "are"
        notes.append(f"{cells} {verb} missing ({shown}{more}); {ending}")
    signatures = {
        str(replace(cell.column.signature, metric=""))
        for cell in measured.cells
        if cell.column.label == measured.labels[0]
    }
    if len(signatures) > 1:
        notes.append(f"{measured.labels[0]} has other settings on some sets, by their own options")
    return tuple(notes)


def _over_time(
    measured: _Measured,
    settings: Mapping[str, Any],
    found: Averages,
    digits: int | None,
    bootstrap: Bootstrap,
) -> tuple[dict[str, pl.DataFrame], tuple[Condition, ...], tuple[str, ...]]:
    """Return what earlier runs, or checkpoints, add: tables, conditions and notes."""
    label, average, sets = measured.labels[0], settings["average"], found.sets
    if not sets or not (settings["history"] or settings["checkpoints"]):
        return {}, (), ()

    def points(cells: Iterable[BenchCell], run: Run) -> dict[str, RunPoint]:
        return points_of(cells, run, label, average, sets, digits)

    last = points(measured.cells, measured.run)
    confidence, conditions = bootstrap.confidence, []
    if settings["checkpoints"]:
        line = checkpoint_timeline(last)
    else:
        runs = runs_since(settings["history"], settings["since"])
        earlier = [run_of(row) for row in runs.iter_rows(named=True)]
        with progress("history", len(earlier)) as step:
            before = []
            for run in earlier:
                if run.name != measured.run.name:
                    before.append(points(cells_of_run(settings["history"], run.name), run))
                step(1)
        line = timeline(before, last)
        if settings["best_of_last"]:
            conditions = gate_conditions(
                line, label, settings["best_of_last"], settings["margin"], confidence
            )
    tables = {"history": history_table(line, confidence)}
    if settings["checkpoints"] or measured.run.step is not None:
        tables["advice"] = advice_table(line, confidence)
    if not settings["checkpoints"]:
        tables["changes"] = changes_table(line, 1 - confidence)
    frames = {
        name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items() if rows
    }
    if conditions:
        frames["gate"] = conditions_frame(conditions)
    return frames, tuple(conditions), line.notes
