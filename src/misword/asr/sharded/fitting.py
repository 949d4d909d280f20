"""Passes over the references of all shards, in which fitted metrics learn before they score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from misword.asr.learnt_references import LearntReferences
from misword.asr.metrics import Metric
from misword.asr.score import prepare_with
from misword.asr.sharded.work import Scorer
from misword.core.engines import Engine, Work
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.io.shards.corpora import read_corpora
from misword.io.shards.listing import ShardTask
from misword.io.shards.roles import ShardReading
from misword.io.shards.running import run_tasks


@dataclass(slots=True)
class PassSums:
    """The sums of one pass by the labels of metrics, and the sum of the hashes of references."""

    sums: dict[str, Any] = field(default_factory=dict)
    hashes: int = 0

    def take(self, task: int, other: PassSums) -> None:
        """Add the sums of the shard of a task."""
        self.add(other)

    def add(self, other: PassSums) -> None:
        """Add the sums of other references."""
        self.hashes += other.hashes
        for label, value in other.sums.items():
            self.sums[label] = self.sums[label] + value if label in self.sums else value


@dataclass(frozen=True, slots=True)
class FittingWork(Work[ShardTask, PassSums]):
    """Adds up what metrics learn from the references of shards.

    `sums` are those of the passes before, by the labels of metrics; `arguments` are those of
    `misword.score`.
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    sums: Mapping[str, Sequence[Any]]
    threads: int | None = 1

    def start(self) -> Callable[[ShardTask], PassSums]:
        """Open vectors and models; return the function that reads a shard."""
        return partial(_collect, self, Scorer.of(self.arguments, self.threads))


def _collect(work: FittingWork, scorer: Scorer, task: ShardTask) -> PassSums:
    """Return the sums of the references of a shard."""
    total = PassSums()
    for batch in read_corpora(task, work.reading):
        pairs = prepare_with(scorer.options, batch.corpus, scorer.equivalents, scorer.context)
        texts = pairs.reference_texts
        sums = {
            label: scorer.metrics[label].collect(texts, known, scorer.context)
            for label, known in work.sums.items()
        }
        total.add(PassSums(sums, sum_of_hashes(texts)))
    return total


def fit_metrics(
    metrics: Mapping[str, Metric],
    work: FittingWork,
    tasks: Sequence[ShardTask],
    engine: Engine,
    *,
    workers: int | None,
    keep_going: bool,
) -> dict[str, LearntReferences]:
    """Return what fitted metrics learn from the references of all shards, by their labels."""
    fitted = {label: metric.fit_passes for label, metric in metrics.items() if metric.fitted}
    sums: dict[str, list[Any]] = {label: [] for label in fitted}
    digest = ""
    for number in range(max(fitted.values(), default=0)):
        learning = {label: sums[label] for label, passes in fitted.items() if passes > number}
        total = PassSums()
        report = run_tasks(
            engine,
            replace(work, sums=learning),
            tasks,
            [task.files[0] for task in tasks],
            total.take,
            what=f"learning from references, pass {number + 1}",
            workers=workers,
        )
        report.check(keep_going=keep_going)
        digest = shown_digest(total.hashes)
        for label, value in total.sums.items():
            sums[label].append(value)
    return {label: LearntReferences(tuple(each), digest) for label, each in sums.items()}
