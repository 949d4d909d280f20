"""Write the noisy form of shards, and a record of each, so that a run can be continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from misword.core.engines import Work
from misword.io.files.path_errors import temporary_folder
from misword.io.files.sources import inner_name
from misword.io.shards.listing import Shard
from misword.io.shards.local_copies import local_file
from misword.io.shards.outputs import exists, join, output_files, read_file
from misword.io.shards.roles import ShardReading
from misword.io.shards.texts import TextShard
from misword.noise.arrays import Ints
from misword.noise.corruption.targets import system_name
from misword.noise.corruption.text_block import TextBlock
from misword.noise.sharding.counting import TextTask, row_keys
from misword.noise.sharding.row_drawing import RowNoise

RECORDS = "_misword"  # the folder of the records; other tools pass over names with _ in front


@dataclass(frozen=True, slots=True)
class NoisyShard:
    """The hits, substitutions, insertions and deletions of a shard at each target WER.

    `kept` is set if the shard was written by an earlier run.
    """

    counts: list[list[int]]
    kept: bool = False


@dataclass(frozen=True, eq=False)
class Rewriting(Work[TextTask, NoisyShard]):
    """Writes shards with errors to a folder, one file for each target WER."""

    reading: ShardReading
    noises: Sequence[RowNoise]
    folder: str
    signature: str

    def start(self) -> Callable[[TextTask], NoisyShard]:
        """Return the function that writes the noisy forms of a shard."""
        return self._write

    def targets(self, shard: Shard) -> list[str]:
        """Return the files of a shard: `noisy/a.csv`, or `noisy/wer-0.10/a.csv` for each WER."""
        name = inner_name(shard.name)
        if len(self.noises) == 1:
            return [join(self.folder, name)]
        return [join(self.folder, system_name(noise.target_wer), name) for noise in self.noises]

    def _write(self, task: TextTask) -> NoisyShard:
        record, digest = join(self.folder, RECORDS, f"{task.shard.name}.json"), self._digest(task)
        targets = self.targets(task.shard)
        if (known := _read_record(record, digest)) and all(map(exists, targets)):
            return NoisyShard(known, kept=True)
        with output_files(targets) as files, local_file(task.shard) as path, ExitStack() as stack:
            shard = TextShard(path, task.shard, self.reading)
            folders = [stack.enter_context(temporary_folder()) for _ in files]
            writers = [shard.writer(file, at) for file, at in zip(files, folders, strict=True)]
            counts, rows = np.zeros((len(self.noises), 4), np.int64), task.first_row
            for part in shard.parts():
                data = part.texts.str.join("\0").item().encode()
                block, keys = TextBlock.of(data, len(part.texts)), row_keys(part, rows)
                for noise, writer, total in zip(self.noises, writers, counts, strict=True):
                    corrupted = noise.draw(block, keys)
                    total += corrupted.counts.sum(axis=0)
                    writer.write(part, corrupted.text.decode().split("\0"))
                rows += len(part.texts)
            for writer in writers:
                writer.finish()
        _write_record(record, digest, counts)
        return NoisyShard(counts.tolist())

    def _digest(self, task: TextTask) -> str:
        """Return a digest of everything that decides the noisy forms of a shard."""
        rates = [(noise.target_wer, *noise.rates) for noise in self.noises]
        texts = (task.shard.identity, task.first_row, self.signature, rates, self.reading)
        return sha256(repr(texts).encode()).hexdigest()


def _read_record(path: str, digest: str) -> list[list[int]] | None:
    """Return the counts of a shard that an earlier run wrote in the same way; None otherwise."""
    content = read_file(path)
    try:
        record = json.loads(content) if content else {}
    except ValueError:
        return None
    if not isinstance(record, dict) or record.get("digest") != digest:
        return None
    counts: list[list[int]] = record["counts"]
    return counts


def _write_record(path: str, digest: str, counts: Ints) -> None:
    record = {"digest": digest, "counts": counts.tolist()}
    with output_files([path]) as (file,):
        file.write(json.dumps(record).encode())
