"""What is known of a corpus before errors are drawn: its words, and a sample of its rows."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Unpack

import numpy as np

from misword.core.context import Context
from misword.core.engines import ENGINES, Engine, Value, Work
from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.embed.options import Language, Threads
from misword.embed.vectors.words import notes_of
from misword.io.files.path_errors import real_path, temporary_folder
from misword.io.files.sources import inner_name
from misword.io.files.writing import check_parent
from misword.io.shards.files import (
    Shard,
    exists,
    find_shards,
    is_url,
    join,
    local_file,
    output_files,
    read_file,
)
from misword.io.shards.running import run_tasks
from misword.io.shards.tables import ShardReading
from misword.io.shards.texts import TextPart, TextShard
from misword.noise.arrays import Ints
from misword.noise.channels.specs import choose_channel
from misword.noise.corrupt import signature, substitution_notes
from misword.noise.corruption.levels import make_targets
from misword.noise.corruption.result import summary_result, summary_row
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import (
    TOLERANCE,
    ErrorCapacity,
    Realised,
    Target,
    as_mix,
    as_target_wers,
    system_name,
)
from misword.noise.corruption.text_block import TextBlock, distinct_cores, encode_rows
from misword.noise.error_model import Mix
from misword.noise.options import CorruptFileOptions
from misword.noise.sharding import Keys, PlaceCounts, RowNoise, calibrate, id_keys, number_keys
from misword.stat.descriptions.noise import CORRUPTION

SAMPLE_ROWS = 1 << 15
WITH_IDS = -1


@dataclass(frozen=True, slots=True)
class TextTask:
    """A shard of texts; `first_row` is the number of rows in the shards before it, without ids."""

    shard: Shard
    first_row: int = 0


@dataclass(frozen=True, slots=True)
class RowCounting(Work[TextTask, int]):
    """Counts the rows of shards without ids; the count of a shard with ids is `WITH_IDS`."""

    reading: ShardReading

    def start(self) -> Callable[[TextTask], int]:
        """Return the function that counts the rows of a shard."""
        return self._count

    def _count(self, task: TextTask) -> int:
        with local_file(task.shard) as path:
            rows = TextShard(path, task.shard, self.reading).count_rows()
        return WITH_IDS if rows is None else rows


@dataclass(slots=True, eq=False)
class TextFacts:
    """The number of rows, how often each token is there, and the rows with the smallest keys.

    `sample` has the texts of these rows by rising key; equal keys are sorted by text.
    """

    rows: int = 0
    words: Counter[str] = field(default_factory=Counter)
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))
    sample: list[str] = field(default_factory=list)

    def add(self, other: TextFacts) -> None:
        """Add the facts of other rows."""
        self.rows += other.rows
        self.words.update(other.words)
        self._add_sample(other.keys, other.sample)

    def add_rows(self, texts: pl.Series, keys: Keys) -> None:
        """Add rows."""
        self.rows += len(texts)
        tokens = encode_rows(texts.str.join("\0").item().encode(), len(texts))
        by_id = np.bincount(tokens.ids, minlength=len(tokens.vocabulary))
        for token, count in zip(tokens.vocabulary[:], by_id.tolist(), strict=True):
            self.words[token] += count
        smallest = np.flatnonzero(keys <= self._bound(keys))
        self._add_sample(keys[smallest], texts.gather(smallest).to_list())

    def block(self) -> TextBlock:
        """Return the sample as a block of text."""
        return TextBlock.of("\0".join(self.sample).encode(), len(self.sample))

    def _bound(self, keys: Keys) -> np.uint64:
        """Return a key that no row of the sample exceeds once rows with `keys` are added."""
        largest = np.uint64(2**64 - 1)
        if len(self.keys) == SAMPLE_ROWS:
            largest = self.keys[-1]
        if len(keys) > SAMPLE_ROWS:
            largest = min(largest, np.partition(keys, SAMPLE_ROWS - 1)[SAMPLE_ROWS - 1])
        return largest

    def _add_sample(self, keys: Keys, texts: list[str]) -> None:
        joined = [*zip(self.keys.tolist(), self.sample, strict=True)]
        joined += zip(keys.tolist(), texts, strict=True)
        joined.sort()
        del joined[SAMPLE_ROWS:]
        self.keys = np.array([key for key, _ in joined], np.uint64)
        self.sample = [text for _, text in joined]


@dataclass(frozen=True, slots=True)
class WordCounting(Work[TextTask, TextFacts]):
    """Counts the words of shards, and takes their share of the sample."""

    reading: ShardReading

    def start(self) -> Callable[[TextTask], TextFacts]:
        """Return the function that counts the words of a shard."""
        return self._count

    def _count(self, task: TextTask) -> TextFacts:
        facts = TextFacts()
        with local_file(task.shard) as path:
            for part in TextShard(path, task.shard, self.reading).parts():
                facts.add_rows(part.texts, row_keys(part, task.first_row + facts.rows))
        return facts


def row_keys(part: TextPart, rows_before: int) -> Keys:
    """Return the keys of some rows: of their ids, or of their numbers in all shards."""
    if part.ids is not None:
        return id_keys(part.ids)
    return number_keys(rows_before, len(part.texts))


# Write the noisy form of shards, and a record of each, so that a run can be continued.

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


# The passes over the shards of a corpus: numbers of rows, words, and writing.


def check_folder(output: str) -> None:
    """Raise, before any work, if a path is a file or nothing can be written in it."""
    if os.path.exists(output) and not os.path.isdir(output):
        raise OptionError("this is a file", where=output, fix="name a folder: -o noisy/")
    check_parent(real_path(output) / "shard", output)


def find_text_tasks(shards: str, output: str) -> list[TextTask]:
    """Return a task for each shard; raise if the noisy shards would replace each other or these."""
    if not is_url(output):
        check_folder(output)
    tasks = [TextTask(shard) for shard in find_shards(shards)]
    names: dict[str, str] = {}
    for task in tasks:
        name = inner_name(task.shard.name)
        if other := names.get(name):
            raise OptionError(
                f"{other} and {task.shard.shown} have one name, so one would replace the other",
                fix="corrupt one folder at a time",
            )
        names[name] = task.shard.shown
        folder = os.path.dirname(task.shard.path)
        if not is_url(output) and os.path.realpath(folder) == os.path.realpath(output):
            raise OptionError("this is the folder of the shards", where=output, fix="name another")
    return tasks


@dataclass(eq=False)
class TextPasses:
    """Passes over shards on an engine. A shard that cannot be read is left out of later passes."""

    engine: Engine
    workers: int | None
    keep_going: bool
    reading: ShardReading
    tasks: list[TextTask]
    notes: list[str] = field(default_factory=list)

    def number_rows(self) -> None:
        """Number the rows of all shards, if they have no ids."""
        rows: dict[int, int] = {}
        self._run(RowCounting(self.reading), rows.__setitem__, "counting rows")
        counts = [rows[number] for number in sorted(rows)]
        with_ids = [count == WITH_IDS for count in counts]
        if any(with_ids) and not all(with_ids):
            shown = self.tasks[with_ids.index(False)].shard.shown
            raise MismatchError(
                f"{shown} has no ids, others have ids",
                fix="name the column of the ids with --id-column, or --id-column none",
            )
        if not any(with_ids):
            before = np.cumsum([0, *counts])[:-1].tolist()
            numbered = zip(self.tasks, before, strict=True)
            self.tasks = [replace(task, first_row=first) for task, first in numbered]

    def count_words(self) -> TextFacts:
        """Return the words of all shards and the sample of their rows."""
        facts = TextFacts()
        self._run(WordCounting(self.reading), lambda _, found: facts.add(found), "counting words")
        return facts

    def write(self, rewriting: Rewriting) -> Ints:
        """Write all noisy shards; return the sums of their counts, for each target WER."""
        counts = np.zeros((len(rewriting.noises), 4), np.int64)
        kept = 0

        def take(_: int, shard: NoisyShard) -> None:
            nonlocal kept
            counts[:] += np.array(shard.counts, np.int64)
            kept += shard.kept

        self._run(rewriting, take, "drawing")
        if kept:
            shards = counted(kept, "shard")
            self.notes.append(f"{shards} of {len(self.tasks):,} kept: written by an earlier run")
        return counts

    def _run(
        self, work: Work[TextTask, Value], take: Callable[[int, Value], None], what: str
    ) -> None:
        """Run a pass; raise an error about all bad shards, or leave them out."""
        shards = [task.shard for task in self.tasks]
        report = run_tasks(
            self.engine, work, self.tasks, shards, take, what=what, workers=self.workers
        )
        report.check(keep_going=self.keep_going)
        self.tasks = [task for at, task in enumerate(self.tasks) if at not in report.errors]
        self.notes += report.notes()


# Corrupt the texts of shards at target word error rates, on one machine or a cluster.
#
# The shards are read twice, as `corrupt_file` reads a file: once to count their words, once to
# draw errors. Each row has random numbers of its own (`sharding/row_random.py`), so its noisy text
# does not depend on the shard that it is in, on the other rows of the shard, or on the engine.


@dataclass(frozen=True, eq=False, repr=False)
class ShardedCorruption(DisplayedResult):
    """The realised word error rates of corrupted shards; the texts are in the written files.

    `summary` has a row for each target WER, as `Corruption.summary`. `rows` is the number of texts.
    """

    summary: pl.DataFrame
    rows: int
    signature: Signature
    notes: tuple[str, ...] = ()
    description = CORRUPTION

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the summary as a result that can be written."""
        return summary_result(self.summary, self.signature, provenance)


@takes(CorruptFileOptions)
def corrupt_shards(
    shards: str | os.PathLike[str],
    wer: str | float | Iterable[float],
    output: str | os.PathLike[str],
    *,
    engine: str | Engine = "serial",
    keep_going: bool = False,
    **options: Unpack[CorruptFileOptions],
) -> ShardedCorruption:
    """Corrupt the texts of shards, and write noisy shards of the same names to a folder.

    `shards` is a pattern (`run/*.parquet`), a folder, or the URL of either; `output` is a folder or
    its URL. With several rates it has a folder for each: `noisy/wer-0.10` and so on. Shards that an
    earlier run wrote with the same options are kept. `engine` is `serial`, `process`, `ray`, or the
    address of a Ray cluster; the noisy texts are the same with all of them, and for any division of
    the rows into shards: the errors of a row are decided by the seed, its id (without ids: its
    number in all shards), its text, and the error model of the whole corpus.

    The other options are those of `corrupt_file`. The realised WER is the target within 0.3 points
    or so: rates of errors are fitted to a sample of 32,768 rows.

    Known problems: rows with the same id have the same random numbers.
    """
    target_wers, mix, seed = as_target_wers(wer), as_mix(options["mix"]), options["seed"]
    machine = engine if isinstance(engine, Engine) else ENGINES.create(engine)
    machine.check(Context())
    context = Context.of(**chosen(options, Language, Threads))
    part = choose_channel(options["channel"], context)
    columns = options["id_column"], options["text_column"]
    reading = ShardReading((), *columns, (), format=options["input_format"])
    tasks = find_text_tasks(os.fspath(shards), os.fspath(output))
    passes = TextPasses(machine, context.workers, keep_going, reading, tasks)
    passes.number_rows()
    facts = passes.count_words()
    model = part.error_model(distinct_cores(facts.words), context)
    mix = model.mix if mix is None else mix
    signed = signature(part, context, mix, seed, drawn="row")
    levels = _calibrated(facts, Sampler(model), target_wers, mix, seed)
    noises = [noise for _, noise in levels]
    counts = passes.write(Rewriting(reading, noises, os.fspath(output), str(signed)))
    realised = [
        Realised.of(target, drawn) for (target, _), drawn in zip(levels, counts, strict=True)
    ]
    notes = (*passes.notes, *notes_of(context), *_notes(realised))
    return ShardedCorruption(_summary(realised), facts.rows, signed, notes)


def _calibrated(
    facts: TextFacts, sampler: Sampler, target_wers: Sequence[float], mix: Mix, seed: int
) -> list[tuple[Target, RowNoise]]:
    """Return each target and the noise that meets it on the sample of the rows."""
    places = PlaceCounts.of(facts.words, facts.rows, sampler)
    capacity = ErrorCapacity.of(list(places.tokens), places.counts, sampler)
    block = facts.block()
    return [
        (target, calibrate(target, places, block, facts.keys))
        for target in make_targets(target_wers, mix, seed, capacity)
    ]


def _summary(realised: Sequence[Realised]) -> pl.DataFrame:
    return pl.DataFrame([summary_row(level) for level in realised])


def _notes(realised: Sequence[Realised]) -> Iterator[str]:
    """Yield notes on words that are left alone, and on targets missed by more than half a point."""
    yield from substitution_notes(realised[0].target.capacity)
    for level in realised:
        if level.wer is not None and abs(level.wer - level.target.wer) > TOLERANCE:
            yield f"{level.target.name}: the realised WER is {level.wer:.4f}"
