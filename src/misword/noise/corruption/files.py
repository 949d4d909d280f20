"""Whole files corrupted, however large: one pass to learn their words, one to draw and write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError
from misword.core.progress import progress
from misword.core.types import Tokens
from misword.io.files.sources import PathLike, place
from misword.io.files.writing import whole_files
from misword.io.transcripts.rewriting import Rewritable
from misword.noise.channels import Channel
from misword.noise.corrupt import ROWS, Corrupted, Corruption, signature
from misword.noise.corruption.drawing import Drawn
from misword.noise.corruption.sampler import Picker
from misword.noise.corruption.targets import Census, Level, Realised, check_mix, draw_levels
from misword.noise.corruption.text_block import Passage, without_first, words_of
from misword.noise.corruption.word_shape import cores
from misword.noise.hearing import Mix
from misword.text.texts import SEPARATOR

if TYPE_CHECKING:
    import polars as pl


@dataclass
class Output:
    """One level while its passages come in: a file, sums, and what is kept of the passages."""

    level: Level
    file: BinaryIO | None
    counts: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = field(
        default_factory=lambda: np.zeros(4, np.int64)
    )
    kept: list[tuple[Passage, Drawn]] = field(default_factory=list)

    def take(self, passage: Passage, drawn: Drawn, keep: bool) -> None:
        """Count what was drawn; keep it where it is asked for."""
        self.counts += drawn.counts.sum(axis=0)
        if keep:
            self.kept.append((passage, drawn))

    @property
    def realised(self) -> Realised:
        """What came out."""
        return Realised.of(self.level, self.counts)


def corrupt_file(
    source: Rewritable,
    targets: Sequence[PathLike],
    rates: Sequence[float],
    *,
    channel: Channel,
    context: Context,
    mix: Mix | None = None,
    seed: int = 0,
    keep: bool = False,
) -> Corruption:
    """Write a corrupted file for each rate, if `targets` names them.

    All of them are written, or none. Texts and errors are in what comes back only if `keep` is set;
    without it the memory does not grow with the file.
    """
    words = count_words(source)
    hearing = channel.hear(cores(words), context)
    mix = hearing.mix if mix is None else mix
    check_mix(mix)
    picker = Picker(hearing)
    census = Census.of(list(words), np.fromiter(words.values(), np.int64, len(words)), picker)
    levels = [Level(rate, mix, seed, census) for rate in rates]
    for level in levels:
        level.check()
    with whole_files(targets) as files:
        opened: list[BinaryIO | None] = [*files] if files else [None] * len(levels)
        outputs = [Output(level, file) for level, file in zip(levels, opened, strict=True)]
        _draw(source, outputs, picker, keep, context.workers)
        for output in outputs:
            output.level.settle(output.realised.errors)
    found = {output.level.name: _corrupted(output, picker, source.labelled) for output in outputs}
    signed = signature(channel, context, mix, seed)
    return Corruption(_references(source, outputs[0]), found, signed, tuple(_notes(source, words)))


def _notes(source: Rewritable, words: Counter[str]) -> Iterator[str]:
    """What a user would stumble over."""
    if "/" in words and any("{" in word for word in words):
        yield (
            f"{source.shown} has {{ a / b }}, which is plain text here: score the noisy text with "
            "--no-alternatives"
        )


def count_words(source: Rewritable) -> Counter[str]:
    """How often each word is there, as it stands in the text."""
    found: Counter[str] = Counter()
    done = 0
    with progress("counting words") as step:
        for data, rows in source.pieces(ROWS):
            tokens = words_of(data, rows)
            if source.labelled:
                _refuse_unlabelled(source, tokens, done)
            done += rows
            ids = (without_first(tokens) if source.labelled else tokens).ids
            counts = np.bincount(ids, minlength=len(tokens.vocabulary))
            there = np.flatnonzero(counts)
            vocabulary = tokens.vocabulary[:]
            for at, count in zip(there.tolist(), counts[there].tolist(), strict=True):
                found[vocabulary[at]] += count
            step(rows)
    return found


def _refuse_unlabelled(source: Rewritable, tokens: Tokens, before: int) -> None:
    empty = np.flatnonzero(tokens.lengths == 0)
    if len(empty):
        raise InputError(
            "an empty line, where an id is needed",
            where=place(source.shown, before + int(empty[0]) + 1),
            fix="an empty transcript is its id alone; for text without ids use "
            "--input-format lines",
        )


def _draw(
    source: Rewritable, outputs: list[Output], picker: Picker, keep: bool, workers: int | None
) -> None:
    passages = (Passage.of(data, rows, source.labelled) for data, rows in source.pieces(ROWS))
    levels = [output.level for output in outputs]
    writers = [source.writer(output.file) if output.file else None for output in outputs]
    with progress("drawing") as step:
        for passage, drawn in draw_levels(passages, levels, picker, workers):
            for output, writer, one in zip(outputs, writers, drawn, strict=True):
                output.take(passage, one, keep)
                if writer:
                    writer.write(one.text)
            step(len(passage))
    for writer in filter(None, writers):
        writer.finish()


def _corrupted(output: Output, picker: Picker, labelled: bool) -> Corrupted:
    rows = [row for _, drawn in output.kept for row in drawn.text.decode().split(SEPARATOR)]
    texts = [cut_label(row)[1] for row in rows] if labelled else rows
    return Corrupted(texts, output.realised, output.kept, picker)


def _references(source: Rewritable, output: Output) -> pl.DataFrame:
    """The clean texts with their ids, of what was kept."""
    import polars as pl

    rows = list(_clean(output))
    ids = source.ids
    if source.labelled:
        cut = [cut_label(row) for row in rows]
        ids, rows = pl.Series([label for label, _ in cut], dtype=pl.String), [t for _, t in cut]
    if ids is None:
        ids = pl.int_range(1, len(rows) + 1, eager=True).cast(pl.String)
    return pl.DataFrame(
        {"utt": ids if rows else ids.clear(), "text": pl.Series(rows, dtype=pl.String)}
    )


def _clean(output: Output) -> Iterator[str]:
    for passage, _ in output.kept:
        yield from passage.data[:-1].tobytes().decode().split(SEPARATOR)


def cut_label(row: str) -> tuple[str, str]:
    """The id that a row begins with, and the rest.

    >>> cut_label("utt1  a b "), cut_label("utt2")
    (('utt1', 'a b '), ('utt2', ''))
    """
    label, *rest = row.split(None, 1)
    return label, "".join(rest)
