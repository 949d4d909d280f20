"""A shard as corpora of some of its utterances, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from misword.core.types import Corpus
from misword.io.shards.joining import Matched, joined_files
from misword.io.shards.listing import Shard, ShardTask
from misword.io.shards.local_copies import local_file
from misword.io.shards.roles import ColumnRoles, ShardReading
from misword.io.shards.tables import shard_format, table_parts
from misword.io.transcripts.pairing import Transcript, pair, refuse_doubled


@dataclass(frozen=True, slots=True, eq=False)
class ShardCorpus:
    """Some utterances of a shard.

    `has_ids` is false if the ids are the numbers of rows within the shard. `lacking` counts the
    utterances without a hypothesis of each system, and `left_out` those that were left out for it.
    """

    corpus: Corpus
    has_ids: bool
    lacking: dict[str, int] = field(default_factory=dict)
    left_out: int = 0


def read_corpora(task: ShardTask, reading: ShardReading) -> Iterator[ShardCorpus]:
    """Yield the utterances of a shard, some thousand at a time.

    Both sides are columns of one file, or the task has a file for each side (`joining`).
    """
    sides = _columns_of_one if len(task.files) == 1 else joined_files
    for references, hypotheses, has_ids in sides(task.files, reading):
        for transcript in (references, *hypotheses):
            refuse_doubled(transcript)
        found = _corpus(references, hypotheses, reading, has_ids)
        if found is not None:
            yield found


def _columns_of_one(files: Sequence[Shard], reading: ShardReading) -> Iterator[Matched]:
    """Yield both sides of a table that has references and hypotheses."""
    (shard,) = files
    part, roles, rows = shard_format(shard, reading.format), ColumnRoles(reading, "both"), 0
    with local_file(shard) as path:
        for table in table_parts(path, shard, part, roles.pick):
            ours, *theirs = (
                roles.transcript(table, text or "", part.name, rows)
                for text in (roles.reference, *roles.hypotheses)
            )
            rows += len(table.table.frame)
            yield ours, theirs, roles.ident is not None


def _corpus(
    references: Transcript,
    hypotheses: Sequence[Transcript],
    reading: ShardReading,
    has_ids: bool,
) -> ShardCorpus | None:
    """Pair some utterances; None if all of them are left out."""
    import polars as pl

    gaps = reading.missing != "error"
    frame = references.frame.drop("line").select("utt", "text", pl.exclude("utt", "text"))
    texts = {
        name: pair(references, side, gaps=gaps)
        for name, side in zip(reading.systems, hypotheses, strict=True)
    }
    lacking = {name: count for name, text in texts.items() if (count := text.null_count())}
    rows = len(frame)
    if lacking and reading.missing == "skip":
        scored = pl.Series([True]).new_from_index(0, rows)
        for text in texts.values():
            scored &= text.is_not_null()
        frame = frame.filter(scored)
        texts = {name: text.filter(scored) for name, text in texts.items()}
    if not len(frame):
        return None
    filled = {name: text.fill_null("") for name, text in texts.items()}
    return ShardCorpus(Corpus.of(frame, filled), has_ids, lacking, rows - len(frame))
