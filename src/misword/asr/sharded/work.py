"""What a worker does with a shard: read, score, tally, and perhaps write its utterances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from hashlib import sha256
from operator import add
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.learnt_references import LearntReferences
from misword.asr.metric_columns import MeasuredCorpus
from misword.asr.metrics import Metric, statistics_of
from misword.asr.pairs import EquivalentClasses
from misword.asr.score import create_metrics, prepare_with, scores_of
from misword.asr.scoring_options import ScoringOptions, combine
from misword.asr.sharded.checks import comparing, context_of
from misword.asr.sharded.run_notes import RunNotes
from misword.asr.sharded.shard_files import ShardFiles, Written
from misword.core.context import Context
from misword.core.engines import Work
from misword.core.errors import InputError, OptionError
from misword.core.types import Corpus
from misword.core.version import __version__
from misword.embed.vectors.vocabulary import hash_words
from misword.io.files.limits import chosen_limit, limited
from misword.io.shards.corpora import ShardCorpus, read_corpora
from misword.io.shards.listing import ShardTask
from misword.io.shards.roles import ShardReading
from misword.stat.scores import Scores
from misword.stat.tally import Tally

if TYPE_CHECKING:
    import polars as pl

Hashes = NDArray[np.uint64]


class ShardScores(NamedTuple):
    """What a worker returns for a shard.

    `hashes` are those of the ids, sorted; None if the shard has no ids. `files` names the files
    that were written, `reused` is true if they were there already.
    """

    tally: Tally
    notes: RunNotes
    hashes: Hashes | None
    files: tuple[str, ...] = ()
    reused: bool = False


@dataclass(frozen=True, slots=True)
class ScoringWork(Work[ShardTask, ShardScores]):
    """Scores shards. `arguments` are those of `misword.score` that say how texts are compared.

    `by` names the columns to group by, `paired` says that systems are to be compared, `threads` is
    the number of threads of a worker, and `out` the folder for the statistics of utterances,
    `learnt` what fitted metrics learnt from all references, by their labels.
    `max_bytes` is the limit of the size of an input (`io/files/limits.py`).
    """

    reading: ShardReading
    arguments: Mapping[str, Any]
    by: tuple[str, ...] = ()
    paired: bool = False
    threads: int | None = 1
    out: str | None = None
    learnt: Mapping[str, LearntReferences] = field(default_factory=dict)
    version: str = field(default=__version__)
    max_bytes: int | None = field(default_factory=chosen_limit)

    def start(self) -> Callable[[ShardTask], ShardScores]:
        """Open vectors and models; return the function that scores a shard."""
        if self.version != __version__:
            raise OptionError(
                f"the worker has misword {__version__}, the run was started by {self.version}",
                fix="install the same version on all machines",
            )
        scorer = Scorer.of(self.arguments, self.threads, self.learnt)
        key = "" if self.out is None else self.key(scorer)
        return partial(_score_shard, self, scorer, key)

    def key(self, scorer: Scorer) -> str:
        """Return a digest of everything that decides what is written about a shard."""
        signatures = [str(column.signature) for column in scorer.one_pair().columns]
        settings = (signatures, replace(self.reading, systems=()), self.reading.systems, self.by)
        return sha256(repr((*settings, self.version)).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Options, metrics and their opened resources in one process."""

    options: ScoringOptions
    metrics: Mapping[str, Metric]
    equivalents: EquivalentClasses
    context: Context

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        threads: int | None = None,
        learnt: Mapping[str, LearntReferences] = MappingProxyType({}),
    ) -> Scorer:
        """Check the arguments of `misword.score`, and open what the metrics need.

        `learnt` is what fitted metrics learnt from all shards, by their labels.
        """
        context = context_of(arguments, threads)
        options = combine(context, **comparing(arguments))
        metrics = create_metrics(options.metrics, context)
        for label, references in learnt.items():
            references.keep(metrics[label], context)
        return cls(options, metrics, arguments.get("equivalents", ()), context)

    def score(self, corpus: Corpus) -> tuple[Scores, RunNotes]:
        """Score some utterances; the scores have no tables of words."""
        pairs = prepare_with(self.options, corpus, self.equivalents, self.context)
        order = sorted(self.metrics, key=lambda label: not self.metrics[label].operations)
        measured = {label: statistics_of(self.metrics[label], pairs) for label in order}
        scores = scores_of(MeasuredCorpus(pairs.keys, measured, pairs, None, []), self.metrics)
        plain = [note for note in scores.run_notes if note not in pairs.notes]
        return scores, RunNotes.of(pairs, self.metrics.values(), plain)

    def one_pair(self) -> Scores:
        """Return the scores of a pair of equal texts, for their signatures."""
        import polars as pl

        references = pl.DataFrame({"utt": ["1"], "text": ["a"]})
        return self.score(Corpus.of(references, {"system": pl.Series(["a"])}))[0]


def _score_shard(work: ScoringWork, scorer: Scorer, key: str, task: ShardTask) -> ShardScores:
    """Score a shard, or read what was written when it was scored before."""
    with limited(work.max_bytes):
        return _scored(work, scorer, task, key)


def _scored(work: ScoringWork, scorer: Scorer, task: ShardTask, key: str) -> ShardScores:
    files = None if work.out is None else ShardFiles.of(work.out, task, key)
    written = None if files is None else files.read()
    if files is not None and written is not None:
        parts = _written_parts(files, written, scorer, work)
        return _joined(parts, task)._replace(notes=written.notes, files=files.names, reused=True)
    batches = read_corpora(task, work.reading)
    found = _joined((_of_batch(batch, scorer, work, files) for batch in batches), task)
    if files is not None:
        files.finish(found.notes, has_ids=found.hashes is not None)
        found = found._replace(files=files.names)
    return found


def _of_batch(
    batch: ShardCorpus, scorer: Scorer, work: ScoringWork, files: ShardFiles | None
) -> ShardScores:
    """Score some utterances of a shard."""
    scores, notes = scorer.score(batch.corpus)
    missing = RunNotes(lacking=batch.lacking, left_out=batch.left_out)
    if files is not None:
        files.write(scores.utterances())
    hashes = id_hashes(batch.corpus.references["utt"]) if batch.has_ids else None
    return ShardScores(scores.tally(work.by, paired=work.paired), notes + missing, hashes)


def _written_parts(
    files: ShardFiles, written: Written, scorer: Scorer, work: ScoringWork
) -> Iterator[ShardScores]:
    """Yield the tallies of a shard that was scored before."""
    model = scorer.one_pair()
    for table in files.tables():
        rates = [f"{label}.rate" for label in model.labels]
        scores = replace(model, table=table.drop(rates))
        ids = table.filter(system=work.reading.systems[0])["utt"]
        hashes = id_hashes(ids) if written.has_ids else None
        yield ShardScores(scores.tally(work.by, paired=work.paired), RunNotes(), hashes)


def _joined(parts: Iterable[ShardScores], task: ShardTask) -> ShardScores:
    """Return one result for the utterances of a shard."""
    listed = list(parts)
    if not listed:
        raise InputError(
            "no utterance in it has a hypothesis",
            where=task.shown,
            fix="check that the ids of both sides are the same, or use --missing delete",
        )
    tally = Tally.sum(part.tally for part in listed)
    hashes = [part.hashes for part in listed if part.hashes is not None]
    notes = reduce(add, (part.notes for part in listed))
    return ShardScores(tally, notes, np.sort(np.concatenate(hashes)) if hashes else None)


def id_hashes(ids: pl.Series) -> Hashes:
    """Return a hash of each id, the same on every machine."""
    lengths = ids.str.len_bytes().to_numpy().astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return hash_words(ids.str.join("").item().encode(), offsets)
