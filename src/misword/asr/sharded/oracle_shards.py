"""What a worker does with a shard of N-best lists: score all hypotheses, choose, and tally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from misword.asr.nbest.choice import RANK, RANK_1, STEPS, JudgedHypotheses, arranged, ties_rule
from misword.asr.nbest.lists import TOLERANCE, HypothesisLists, Rows
from misword.asr.nbest.oracle import check_depths
from misword.asr.sharded.score_shards import (
    DEFAULT_ENGINE,
    ShardedScoring,
    ShardRequest,
    TallySum,
    split_arguments,
)
from misword.asr.sharded.work import Hashes, Scorer, check_arguments, id_hashes
from misword.core.context import Context
from misword.core.engines import Engine, Work
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus, Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.writing import apart, write_whole
from misword.io.results import SHARDS
from misword.io.shards.corpora import read_lists
from misword.io.shards.files import ShardTask, describe_data, find_tasks
from misword.io.shards.running import run_tasks
from misword.io.shards.tables import ShardReading
from misword.stat.bootstrap import Bootstrap, DistinctRows, interval_of_sample
from misword.stat.descriptions.hypotheses import ORACLE
from misword.stat.measure import Measure, MetricColumn, metric_provenance
from misword.stat.paired import paired_sample
from misword.stat.scores import Scores
from misword.stat.sums import sample_of
from misword.stat.tally import Tally, tally_of

WHOLE = 0  # the depth of a choice from whole lists


class ListChoice(NamedTuple):
    """A choice from all lists: by which metric, and from how many hypotheses of each list."""

    by: str
    depth: int = WHOLE

    @property
    def name(self) -> str:
        """The name of the choice as a system of a tally."""
        return f"{self.depth} {self.by}"


FIRST = ListChoice(RANK_1, 1)
# The rate of each system and choice; the metric chooses by errors minus this rate times the size.
Rates = Mapping[tuple[str, ListChoice], float]


@dataclass(slots=True, eq=False)
class ShardChoices:
    """What a worker returns for a shard.

    Attributes:
        tallies: for each system a tally in which each choice is a system, rank 1 first.
        lengths: for each system the number of lists of each length.
        varying: systems and choosing metrics whose reference size depends on the hypothesis.
        hashes: those of the ids.
    """

    tallies: dict[str, Tally]
    lengths: dict[str, Counter[int]]
    varying: set[tuple[str, str]]
    hashes: Hashes


@dataclass(frozen=True, slots=True)
class ChoosingWork(Work[ShardTask, ShardChoices]):
    """Chooses hypotheses from the lists of shards; `arguments` are those of `misword.score`.

    `choices` are made from each list; ties are decided by rank, or by the metric `ties`. `rates`
    are those of the last pass, for metrics whose reference size depends on the hypothesis. With
    `out`, the texts that were chosen at the depth of the last choice are written.
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    choices: tuple[ListChoice, ...]
    ties: str = RANK
    rates: Rates = field(default_factory=dict)
    threads: int | None = 1
    out: str | None = None

    def start(self) -> Callable[[ShardTask], ShardChoices]:
        """Open vectors and models; return the function that chooses from a shard."""
        return partial(_choose_in_shard, self, Scorer.of(self.arguments, self.threads))


def _choose_in_shard(work: ChoosingWork, scorer: Scorer, task: ShardTask) -> ShardChoices:
    """Choose from all lists of a shard."""
    sums: dict[str, TallySum] = {}
    lengths: dict[str, Counter[int]] = {}
    varying: set[tuple[str, str]] = set()
    hashes = [np.zeros(0, np.uint64)]
    for number, corpus in enumerate(read_lists(task, work.reading)):
        scores, _ = scorer.score(corpus)
        system = corpus.systems[0]
        lists = _Lists.of(scores, corpus, work, system)
        sums.setdefault(system, TallySum()).add(lists.tally())
        lengths.setdefault(system, Counter()).update(lists.lists.lengths.tolist())
        varying |= {(system, label) for label in lists.varying()}
        if system == work.reading.systems[0]:
            hashes.append(id_hashes(corpus.references["utt"]))
        if work.out is not None:
            _write(lists.texts(), work.out, task, number)
    tallies = {system: total.tally() for system, total in sums.items()}
    return ShardChoices(tallies, lengths, varying, np.sort(np.concatenate(hashes)))


def _write(texts: pl.DataFrame, out: str, task: ShardTask, number: int) -> None:
    """Write the chosen texts of some lists of a shard."""
    data = BytesIO()
    texts.write_parquet(data)
    folder = Path(out) / SHARDS
    folder.mkdir(parents=True, exist_ok=True)
    with apart():
        write_whole(data.getvalue(), folder / f"chosen-{task.number:05}-{number:05}.parquet")


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Some lists of one system, what metrics say of them, and the rows of each choice."""

    scores: Scores
    corpus: Corpus
    lists: HypothesisLists
    judged: Mapping[str, JudgedHypotheses]
    rows: Mapping[ListChoice, Rows]
    deepest: int

    @classmethod
    def of(cls, scores: Scores, corpus: Corpus, work: ChoosingWork, system: str) -> _Lists:
        """Choose from the lists of one system."""
        scores = replace(scores, table=arranged(scores.table))
        lists = HypothesisLists.of(scores.table["rank"].to_numpy())
        judged = {
            column.label: JudgedHypotheses(column.measure, column.terms(scores.table))
            for column in scores.columns
        }
        rows = {FIRST: lists.first}
        for choice in work.choices:
            part = lists if choice.depth == WHOLE else lists.up_to(choice.depth)
            tied = _best(part, judged[choice.by], work.rates.get((system, choice)))
            if work.ties not in (RANK, choice.by):
                tied = _best(tied, judged[work.ties], None)
            rows[choice] = tied.first
        return cls(scores, corpus, lists, judged, rows, work.choices[-1].depth)

    def varying(self) -> Iterator[str]:
        """Yield the metrics whose reference size depends on the hypothesis."""
        for label, judged in self.judged.items():
            sizes = judged.terms[:, 1].astype(np.float64)
            if (self.lists.spread(sizes) > TOLERANCE).any():
                yield label

    def tally(self) -> Tally:
        """Return a tally in which each choice is a system."""

        table = self.scores.table
        chosen = [
            table[rows].with_columns(
                pl.lit(choice.name).alias("system"), pl.lit(1, pl.Int64).alias("rank")
            )
            for choice, rows in self.rows.items()
        ]
        scores = self.scores
        return tally_of(pl.concat(chosen), scores.columns, scores.forgiven, paired=True)

    def texts(self) -> pl.DataFrame:
        """Return the hypotheses that each metric chose at the greatest depth."""

        texts = self.corpus.hypotheses.select("utt", "rank", "text")
        keys = self.scores.table.select("utt", "system", "rank")
        frames = [
            keys[rows].with_columns(chosen_by=pl.lit(choice.by))
            for choice, rows in self.rows.items()
            if choice.depth == self.deepest
        ]
        chosen = pl.concat(frames)
        return chosen.join(texts, on=["utt", "rank"], how="left", maintain_order="left")


def _best(lists: HypothesisLists, judged: JudgedHypotheses, rate: float | None) -> HypothesisLists:
    """Return the hypotheses of each list with the least errors, or errors minus rate times size."""
    errors, sizes = (column.astype(np.float64) for column in judged.terms.T[:2])
    return lists.with_least(errors if rate is None else errors - rate * sizes)


def check_chooser(label: str, measure: Measure) -> None:
    """Raise if a metric can choose only with all lists at once."""
    if not measure.is_quotient:
        raise OptionError(
            f"{label} chooses with all lists at once, which is not possible for shards",
            fix="leave the metric out, or leave --engine out",
        )


# The best hypotheses of N-best lists in shards, by each metric.

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

    description: ClassVar[Description] = ORACLE

    rates: pl.DataFrame
    curves: pl.DataFrame
    columns: tuple[MetricColumn, ...]
    settings: Mapping[str, Any]
    shards: Mapping[str, Any]
    notes: tuple[str, ...] = ()

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
        _refuse_duplicates({tasks[number].shown: each.hashes for number, each in found.items()})
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


def _refuse_duplicates(hashes: Mapping[str, Hashes]) -> None:
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
