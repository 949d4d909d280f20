"""What a worker does with a shard of N-best lists: score all hypotheses, choose, and tally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from misword.asr.choosing.choice import RANK, JudgedHypotheses
from misword.asr.choosing.lists import TOLERANCE, HypothesisLists, Rows
from misword.asr.choosing.tables import RANK_1, arranged
from misword.asr.sharded.tally_sum import TallySum
from misword.asr.sharded.work import Hashes, Scorer, id_hashes
from misword.core.engines import Work
from misword.core.errors import OptionError
from misword.core.types import Corpus
from misword.io.files.outputs import apart
from misword.io.files.writing import write_whole
from misword.io.results import SHARDS
from misword.io.shards.listing import ShardTask
from misword.io.shards.lists import read_lists
from misword.io.shards.roles import ShardReading
from misword.stat.measure import Measure
from misword.stat.scores import Scores
from misword.stat.tally import Tally, tally_of

if TYPE_CHECKING:
    import polars as pl

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
        import polars as pl

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
        import polars as pl

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
