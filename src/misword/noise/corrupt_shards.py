"""Corruption of shards: passes that count rows and words, and the writing of noisy shards."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np

from misword.core.context import Context
from misword.core.engines import Work
from misword.core.errors import MismatchError, OptionError
from misword.core.lazy import pl
from misword.embed.vectors.words import notes_of
from misword.io.files.path_errors import real_path, temporary_folder
from misword.io.files.sources import inner_name, is_url
from misword.io.files.writing import check_parent
from misword.io.shards import ShardReading, Shards
from misword.io.shards.files import Shard, ShardTask, join, local_file, output_files
from misword.io.shards.records import ShardRecord, shard_digest
from misword.io.shards.running import ShardRun
from misword.io.shards.texts import ShardWriter, TextPart, TextShard
from misword.noise.arrays import Ints
from misword.noise.channels import Channel
from misword.noise.corruption.drawer import BlockDrawer, DrawsRows
from misword.noise.corruption.levels import make_targets, sampler_of
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.result import Corrupted, Corruption, signature, substitution_notes
from misword.noise.corruption.row_keys import Keys, id_keys, number_keys
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import TOLERANCE, ErrorCapacity, Realised, Target, system_name
from misword.noise.corruption.text_block import TextBlock, distinct_cores, encode_rows
from misword.noise.error_model import Mix
from misword.noise.row_noise import PlaceCounts, calibrate

# Facts about a corpus that the drawing of errors needs: its words, and a sample of its rows.

SAMPLE_ROWS = 1 << 15
WITH_IDS = -1


@dataclass(frozen=True, slots=True)
class RowCounting(Work[ShardTask, int]):
    """Counts the rows of shards without ids; the count of a shard with ids is `WITH_IDS`."""

    reading: ShardReading

    def start(self) -> Callable[[ShardTask], int]:
        """Return the function that counts the rows of a shard."""
        return self._count

    def _count(self, task: ShardTask) -> int:
        with local_file(task.files[0]) as path:
            rows = TextShard(path, task.files[0], self.reading).count_rows()
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
class WordCounting(Work[ShardTask, TextFacts]):
    """Counts the words of shards, and takes their share of the sample.

    `first_rows` has the number of rows before each shard, by the number of its task; it is empty if
    rows have ids.
    """

    reading: ShardReading
    first_rows: Mapping[int, int]

    def start(self) -> Callable[[ShardTask], TextFacts]:
        """Return the function that counts the words of a shard."""
        return self._count

    def _count(self, task: ShardTask) -> TextFacts:
        facts, first_row = TextFacts(), self.first_rows.get(task.number, 0)
        with local_file(task.files[0]) as path:
            for part in TextShard(path, task.files[0], self.reading).parts():
                facts.add_rows(part.texts, row_keys(part, first_row + facts.rows))
        return facts


def row_keys(part: TextPart, rows_before: int) -> Keys:
    """Return the keys of some rows: of their ids, or of their numbers in all shards."""
    if part.ids is not None:
        return id_keys(part.ids)
    return number_keys(rows_before, len(part.texts))


# Write the noisy form of shards, and a record of each, so that a run can be continued.

RECORDS = "_misword"  # the folder of the records; other tools skip names that start with _


@dataclass(frozen=True, slots=True)
class NoisyShard:
    """The hits, substitutions, insertions and deletions of a shard at each target WER.

    `rows` is the number of its rows; `kept` is set if the shard was written by an earlier run.
    """

    counts: list[list[int]]
    rows: int
    kept: bool = False


@dataclass(frozen=True, eq=False)
class Rewriting(Work[ShardTask, NoisyShard]):
    """Writes shards with errors to a folder, one file for each target WER."""

    reading: ShardReading
    first_rows: Mapping[int, int]
    noises: Sequence[DrawsRows]
    folder: str
    signature: str

    def start(self) -> Callable[[ShardTask], NoisyShard]:
        """Return the function that writes the noisy forms of a shard."""
        return self._write

    def names(self, shard: Shard) -> list[str]:
        """Return the files of a shard: `a.csv`, or `wer-0.10/a.csv` for each of several WERs."""
        name = inner_name(shard.name)
        if len(self.noises) == 1:
            return [name]
        return [f"{system_name(noise.target_wer)}/{name}" for noise in self.noises]

    def _write(self, task: ShardTask) -> NoisyShard:
        source, first_row = task.files[0], self.first_rows.get(task.number, 0)
        rates = [(noise.target_wer, *noise.rates) for noise in self.noises]
        digest = shard_digest(task, first_row, self.signature, rates, self.reading)
        path = join(self.folder, RECORDS, f"{source.name}.json")
        record, names = ShardRecord(path, self.folder, digest), self.names(source)
        if (found := record.read()) is not None:
            return NoisyShard(found[1]["counts"], found[1]["rows"], kept=True)
        with (
            output_files([join(self.folder, name) for name in names]) as files,
            local_file(source) as local,
            ExitStack() as stack,
        ):
            shard = TextShard(local, source, self.reading)
            folders = [stack.enter_context(temporary_folder()) for _ in files]
            writers = [shard.writer(file, at) for file, at in zip(files, folders, strict=True)]
            counts, rows = self._draw(shard, writers, first_row)
        content = {"counts": counts.tolist(), "rows": rows}
        record.write(names, content)
        return NoisyShard(**content)

    def _draw(
        self, shard: TextShard, writers: Sequence[ShardWriter], first_row: int
    ) -> tuple[Ints, int]:
        """Write the noisy texts of a shard; return the counts of each target WER, and the rows."""
        counts, rows = np.zeros((len(self.noises), 4), np.int64), first_row
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
        return counts, rows - first_row


# The passes over the shards of a corpus: numbers of rows, words, and writing.


def output_folder(source: Shards) -> str:
    """Return the folder for the noisy shards; raise if there is none, or if it cannot be used."""
    output = source.out
    if output is None:
        raise OptionError(
            "noisy shards need a folder", fix="name it: misword.shards(..., out='noisy/')"
        )
    if not is_url(output):
        if os.path.exists(output) and not os.path.isdir(output):
            raise OptionError("this is a file", where=output, fix="name a folder: -o noisy/")
        check_parent(real_path(output) / "shard", output)
    return output


def check_names(tasks: Sequence[ShardTask], output: str) -> None:
    """Raise if the noisy shards would replace each other or the shards."""
    names: dict[str, str] = {}
    for task in tasks:
        shard = task.files[0]
        name = inner_name(shard.name)
        if other := names.get(name):
            raise OptionError(
                f"{other} and {shard.shown} have one name, so one would replace the other",
                fix="corrupt one folder at a time",
            )
        names[name] = shard.shown
        folder = os.path.dirname(shard.path)
        if not is_url(output) and os.path.realpath(folder) == os.path.realpath(output):
            raise OptionError("this is the folder of the shards", where=output, fix="name another")


def number_rows(run: ShardRun, reading: ShardReading) -> dict[int, int]:
    """Return the number of rows before each shard, by task; empty if rows have ids."""
    rows: dict[int, int] = {}
    run.perform(RowCounting(reading), rows.__setitem__, "counting rows of")
    run.check()
    numbers = sorted(rows)
    without = [number for number in numbers if rows[number] != WITH_IDS]
    if without and len(without) < len(numbers):
        raise MismatchError(
            f"{run.tasks[without[0]].shown} has no ids, others have ids",
            fix="name the column of the ids with --id-column, or --id-column none",
        )
    before = np.cumsum([0, *(rows[number] for number in without)]).tolist()
    return dict(zip(without, before, strict=False))


def count_words(run: ShardRun, work: WordCounting) -> TextFacts:
    """Return the words of all shards and the sample of their rows."""
    facts = TextFacts()
    run.perform(work, lambda _, found: facts.add(found), "counting words of")
    run.check()
    return facts


def write_shards(run: ShardRun, work: Rewriting, rows: int) -> Ints:
    """Write all noisy shards; return the sums of their counts, for each target WER.

    `rows` is the number of rows that were read when words were counted.
    """
    counts, written = np.zeros((len(work.noises), 4), np.int64), dict[int, int]()

    def take(number: int, shard: NoisyShard) -> None:
        counts[:] += np.array(shard.counts, np.int64)
        written[number] = shard.rows
        run.kept |= {number} if shard.kept else set()

    run.perform(work, take, "drawing errors into")
    run.check()
    if not run.errors:
        run.count_rows(rows, 0, sum(written.values()))
    return counts


# Corrupt the texts of shards at target word error rates, on one machine or a cluster.
#
# The shards are read twice, as `corrupt_file` reads a file: once to count their words, once to
# draw errors. Each row has random numbers of its own (`noise/row_noise.py`), so its noisy text does
# not depend on the shard that it is in, on the other rows of the shard, or on the engine.


def corrupt_shards(
    source: Shards,
    target_wers: Sequence[float],
    channel: Channel,
    context: Context,
    mix: Mix | None,
    seed: int,
    protection: Protection | None = None,
) -> Corruption:
    """Corrupt the texts of shards, and write noisy shards of the same names (`misword.corrupt`)."""
    output, own = output_folder(source), source.reading
    reading = ShardReading((), own.id_column, own.reference_column, (), format=own.format)
    run = ShardRun.of(replace(source, sides=source.sides[:1]), context.workers)
    check_names(run.tasks, output)
    first_rows = number_rows(run, reading)
    facts = count_words(run, WordCounting(reading, first_rows))
    model = channel.model(distinct_cores(facts.words), facts.sample, context)
    mix = model.mix if mix is None else mix
    signed = signature(channel, context, mix, seed, drawn="row", protection=protection)
    sampler = sampler_of(model, protection)
    levels = _calibrated(facts, sampler, target_wers, mix, seed)
    noises = [noise for _, noise in levels]
    work = Rewriting(reading, first_rows, noises, output, str(signed))
    counts = write_shards(run, work, facts.rows)
    realised = [
        Realised.of(target, drawn) for (target, _), drawn in zip(levels, counts, strict=True)
    ]
    return Corruption(
        pl.DataFrame(schema={"utt": pl.String, "text": pl.String}),
        {level.target.name: Corrupted([], level, (), sampler) for level in realised},
        signed,
        (*run.notes(), *notes_of(context), *_notes(realised)),
        rows=facts.rows,
        shards=run.data,
        failures=run.failures,
    )


def _calibrated(
    facts: TextFacts,
    sampler: Sampler | BlockDrawer,
    target_wers: Sequence[float],
    mix: Mix,
    seed: int,
) -> list[tuple[Target, DrawsRows]]:
    """Return each target and the noise that meets it on the sample of the rows."""
    tokens = sorted(facts.words)
    counts = np.array([facts.words[token] for token in tokens], np.int64)
    capacity, block = ErrorCapacity.of(tokens, counts, sampler), facts.block()
    targets = make_targets(target_wers, mix, seed, capacity)
    if not isinstance(sampler, Sampler):
        return [
            (target, sampler.row_noise(block, facts.keys, target.wer, seed)) for target in targets
        ]
    places = PlaceCounts.of(facts.words, facts.rows, sampler)
    return [(target, calibrate(target, places, block, facts.keys)) for target in targets]


def _notes(realised: Sequence[Realised]) -> Iterator[str]:
    """Yield notes on words without substitutes, and on targets missed by over half a point."""
    yield from substitution_notes(realised[0].target.capacity)
    for level in realised:
        if level.wer is not None and abs(level.wer - level.target.wer) > TOLERANCE:
            yield f"{level.target.name}: the realised WER is {level.wer:.4f}"
