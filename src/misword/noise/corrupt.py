"""Corrupt texts with the errors of a channel, at target word error rates.

The distinct words of the texts go to a channel, which returns an `ErrorModel`. The texts are cut
into `TextBlock`s. Errors from the model are drawn into each block (`corruption/drawing.py`)
until its alignment with the original has as many errors as the target word error rate needs. A
`Corruption` has the noisy texts and a table of all errors.

`corrupt` takes texts in memory or shards, `corrupt_file` a file. `build_error_model` and `draw`
are the two steps apart, so that several corruptions of the same texts need only one model.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import fspath
from pathlib import Path
from typing import Unpack

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.progress import progress
from misword.core.types import Tokens
from misword.embed.options import Language, Threads
from misword.embed.vectors.words import notes_of
from misword.io.files.sources import PathLike, place
from misword.io.files.writing import check_path, whole_files
from misword.io.shards import Shards, refuse_arguments
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.detection import refuse_other_name
from misword.io.transcripts.rewriting import Rewritable, pieces_of, rewritable
from misword.noise.channels import Channel
from misword.noise.channels.specs import choose_channel
from misword.noise.corruption import text_block
from misword.noise.corruption.drawer import BlockDrawer
from misword.noise.corruption.levels import Level, draw_levels, make_targets, sampler_of
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.result import Corrupted, Corruption, signature, substitution_notes
from misword.noise.corruption.targets import (
    ErrorCapacity,
    as_mix,
    as_target_wers,
    check_target_wers,
    system_name,
)
from misword.noise.corruption.text_block import (
    TextBlock,
    blocks_of,
    cut_label,
    distinct_cores,
    encode_rows,
    texts_of_rows,
    without_first,
)
from misword.noise.corruption.wanted import WantedRows
from misword.noise.error_model import ErrorModel, Mix
from misword.noise.options import CorruptFileOptions, CorruptOptions
from misword.text.texts import SEPARATOR, Texts
from misword.text.tokens import encode_words

STDOUT = "-"
SAMPLE_ROWS = 1 << 15  # rows that a channel may read to learn how words follow each other


def output_files(
    path: PathLike, output: PathLike | None, target_wers: Sequence[float]
) -> list[str]:
    """Return the names of the files to write, one for each WER; raise an error if one cannot be.

    With several rates, `noisy.txt` becomes `noisy.wer-0.10.txt` and so on.
    """
    if output is None:
        return []
    if fspath(output) == STDOUT:
        if len(target_wers) > 1:
            raise OptionError("several rates, one standard output", fix="use -o FILE or --out DIR")
        return [STDOUT]
    names = [fspath(output)]
    base = Path(output)
    if len(target_wers) > 1 and base.name:  # `.` has no name, and is refused below
        names = [
            str(base.with_name(f"{base.stem}.{system_name(wer)}{base.suffix}"))
            for wer in target_wers
        ]
    for name in names:
        check_path(name, "noisy.txt", [fspath(path)])
    return names


def count_words(source: Rewritable) -> Counter[str]:
    """Return how often each token is in a file, without utterance ids."""
    counts: Counter[str] = Counter()
    rows_before = 0
    with progress("counting words") as step:
        for data, rows in source.pieces(text_block.BLOCK_ROWS):
            tokens = encode_rows(data, rows)
            if source.labelled:
                _check_labels(source, tokens, rows_before)
            rows_before += rows
            ids = (without_first(tokens) if source.labelled else tokens).ids
            by_id = np.bincount(ids, minlength=len(tokens.vocabulary))
            present = np.flatnonzero(by_id)
            vocabulary = tokens.vocabulary[:]
            for token_id, count in zip(present.tolist(), by_id[present].tolist(), strict=True):
                counts[vocabulary[token_id]] += count
            step(rows)
    return counts


def first_texts(source: Rewritable) -> list[str]:
    """Return the first texts of a file, without utterance ids."""
    found: list[str] = []
    for data, _ in source.pieces(text_block.BLOCK_ROWS):
        rows = data.decode().split(SEPARATOR)
        found += texts_of_rows(rows, source.labelled)
        if len(found) >= SAMPLE_ROWS:
            break
    return found[:SAMPLE_ROWS]


def check_mixes(channel: Channel, mix: Mix | None) -> None:
    """Raise an error if a mix is given to a channel that has its own."""
    if mix is not None and not channel.mixes:
        raise OptionError(
            f"the channel {channel.name} decides itself what is substituted, deleted or inserted",
            fix="leave --mix out, or use another channel",
        )


def read_blocks(source: Rewritable) -> Iterator[TextBlock]:
    """Yield the blocks of a file."""
    with progress("drawing") as step:
        for block in blocks_of(source.pieces(text_block.BLOCK_ROWS), source.labelled):
            yield block
            step(len(block))


def notes_of_words(source: Rewritable, tokens: Iterable[str]) -> Iterator[str]:
    """Yield notes on tokens that `misword score` reads in another way."""
    tokens = set(tokens)
    if "/" in tokens and any("{" in token for token in tokens):
        yield (
            f"{source.shown} has {{ a / b }}, which is plain text here: score the noisy text with "
            "--no-alternatives"
        )


def _check_labels(source: Rewritable, tokens: Tokens, rows_before: int) -> None:
    """Raise an error if a row that should begin with an utterance id is empty."""
    empty = np.flatnonzero(tokens.lengths == 0)
    if len(empty):
        raise InputError(
            "an empty line, where an id is needed",
            where=place(source.shown, rows_before + int(empty[0]) + 1),
            fix="an empty transcript is its id alone; for text without ids use "
            "--input-format lines",
        )


def noisy_texts(level: Level, labelled: bool = False) -> list[str]:
    """Return the noisy texts of the blocks that a level keeps, without utterance ids."""
    rows = [row for _, block in level.blocks for row in block.text.decode().split(SEPARATOR)]
    return texts_of_rows(rows, labelled)


def clean_texts(source: Rewritable, level: Level) -> pl.DataFrame:
    """Return the clean texts of the blocks that a level keeps, with their utterance ids."""
    blocks = (block.data[:-1].tobytes().decode() for block, _ in level.blocks)
    rows = [row for text in blocks for row in text.split(SEPARATOR)]
    ids = source.ids
    if source.labelled:
        labelled = [cut_label(row) for row in rows]
        ids = pl.Series([label for label, _ in labelled], dtype=pl.String)
        rows = [text for _, text in labelled]
    if ids is None:
        ids = row_numbers(len(rows))
    return pl.DataFrame(
        {"utt": ids if rows else ids.clear(), "text": pl.Series(rows, dtype=pl.String)}
    )


def row_numbers(size: int) -> pl.Series:
    """Return the ids of texts that have none: their numbers from 1."""
    return pl.int_range(1, size + 1, eager=True).cast(pl.String)


# Corruption of texts and files.

__all__ = [
    "Corrupted",
    "Corruption",
    "build_error_model",
    "corrupt",
    "corrupt_file",
    "draw",
    "draw_all",
    "signature",
]


def build_error_model(
    texts: Iterable[str], channel: str | Channel, context: Context | None = None
) -> ErrorModel | BlockDrawer:
    """Return the error model of a channel for texts; of `listen` it is a listener."""
    context = context or Context()
    part = choose_channel(channel, context)
    column = Texts.of(texts)
    (tokens,) = encode_words([column])
    sample = column.split()[:SAMPLE_ROWS] if column.rows else []
    return part.model(distinct_cores(tokens.vocabulary[:]), sample, context)


def draw(
    texts: Iterable[str],
    model: ErrorModel | BlockDrawer,
    wer: float,
    *,
    mix: Mix | None = None,
    seed: int = 0,
    workers: int | None = None,
    protection: Protection | None = None,
) -> Corrupted:
    """Draw errors into texts until the corpus has the target word error rate.

    The rate is that of `misword score`: words between white space, unit costs. `mix` is by default
    that of the error model. The same seed gives the same texts, on any number of workers.
    """
    return draw_all(
        texts, model, [wer], mix=mix, seed=seed, workers=workers, protection=protection
    )[0]


def draw_all(
    texts: Iterable[str],
    model: ErrorModel | BlockDrawer,
    target_wers: Iterable[float],
    *,
    mix: Mix | None = None,
    seed: int = 0,
    workers: int | None = None,
    protection: Protection | None = None,
    wanted: WantedRows | None = None,
) -> list[Corrupted]:
    """Draw errors at several word error rates; each result is the same as if drawn alone."""
    sampler, column = sampler_of(model, protection), Texts.of(texts)
    pieces = pieces_of(column.data, column.rows, text_block.BLOCK_ROWS) if column.rows else ()
    blocks = list(text_block.blocks_of(pieces))
    capacity = sum((ErrorCapacity.of_block(block, sampler) for block in blocks), ErrorCapacity())
    mix = model.mix if mix is None else mix
    targets = make_targets(check_target_wers(target_wers), mix, seed, capacity)
    levels = [Level(target) for target in targets]
    draw_levels(blocks, levels, sampler, workers, wanted)
    return [
        Corrupted(noisy_texts(level), level.realised, level.blocks, sampler) for level in levels
    ]


@takes(CorruptOptions)
def corrupt(
    texts: Iterable[str] | Shards,
    wer: str | float | Iterable[float],
    *,
    ids: Iterable[str] | None = None,
    wanted: WantedRows | None = None,
    **options: Unpack[CorruptOptions],
) -> Corruption:
    """Corrupt texts with the errors of a channel, at one or more target word error rates.

    `wer` is a rate, several rates, or a range such as `"0:0.5:0.05"`. The default `channel` is
    `voleti` if there are vectors, otherwise `phonetic`. `mix` has the shares of substitutions,
    deletions and insertions (`"s=0.7,d=0.2,i=0.1"`); its default is that of the channel. `lang`,
    `vectors`, `max_words` and `vector_format` are for the channel. `ids` are the utterance ids, by
    default the numbers of the texts. `wanted` says how many noisy texts are to have a property.

    Shards (`misword.shards`) need a folder or URL for the noisy files (`out`), which have the names
    of the shards; with several rates it has a folder for each: `noisy/wer-0.10` and so on. The
    errors of a row are decided by the seed, its id (without ids: its number in all shards), its
    text, and the error model of the whole corpus, so they do not depend on the shard that it is in.
    The realised WER is the target within 0.3 points or so, because rates of errors are fitted to a
    sample of 32,768 rows. Rows with the same id have the same random numbers.

    Known problems: all channels but `listen` draw errors independently.

    >>> noisy = corrupt(["the cat sat on the mat"] * 10, 0.25, channel="uniform")
    >>> noisy.levels["wer-0.25"].realised.wer
    0.25

    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019 (Algorithm 1).
    """
    target_wers, mix = as_target_wers(wer), as_mix(options["mix"])
    context = Context.of(**chosen(options, Language, Threads))
    part = choose_channel(options["channel"], context)
    check_mixes(part, mix)
    protection = Protection.of(options["keep"], options["only"], context)
    if isinstance(texts, Shards):
        from misword.noise.corrupt_shards import corrupt_shards

        refuse_arguments({"ids": ids, "wanted": wanted})
        return corrupt_shards(texts, target_wers, part, context, mix, options["seed"], protection)
    column = texts if isinstance(texts, pl.Series) else pl.Series("text", list(texts), pl.String)
    own = None if ids is None else pl.Series("utt", list(ids), pl.String)
    utterance_ids = row_numbers(len(column)) if own is None else own
    if len(utterance_ids) != len(column):
        raise MismatchError(f"{len(column)} texts, {len(utterance_ids)} ids")
    model = build_error_model(column, part, context)
    mix = model.mix if mix is None else mix
    seed = options["seed"]
    levels = draw_all(
        column, model, target_wers, mix=mix, seed=seed, workers=context.workers,
        protection=protection, wanted=wanted,
    )  # fmt: skip
    return Corruption(
        pl.DataFrame({"utt": utterance_ids, "text": column}),
        {level.realised.target.name: level for level in levels},
        signature(part, context, mix, seed, protection=protection, wanted=wanted),
        (*notes_of(context), *substitution_notes(levels[0].realised.target.capacity)),
    )


@takes(CorruptFileOptions)
def corrupt_file(
    path: str | os.PathLike[str],
    wer: str | float | Iterable[float],
    output: str | os.PathLike[str] | None = None,
    *,
    keep_texts: bool = False,
    wanted: WantedRows | None = None,
    **options: Unpack[CorruptFileOptions],
) -> Corruption:
    """Corrupt a file of transcripts and write a noisy file for each target word error rate.

    `output` is the noisy file, in the format of `path`; `-` is standard output. With several rates
    it is one file each: `noisy.txt` becomes `noisy.wer-0.10.txt` and so on. All files are written,
    or none. Ids, other columns, white space, punctuation and the case of replaced words stay.

    The file is read twice: once to count its words, once to draw errors. Plain lines and Kaldi
    files are read and written block by block, so the memory does not grow with the file, unless
    `keep_texts` is set: then the result has the texts and the errors too, not only the counts.

    `input_format`, `id_column` and `text_column` say how the file is read; the other options
    are those of `corrupt`. With `wanted`, the whole file is in memory.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     text, noisy = Path(folder, "text.txt"), Path(folder, "noisy.txt")
    ...     _ = text.write_text("so we went home\\nwe sat on the mat\\n" * 10)
    ...     done = corrupt_file(text, 0.2, noisy, channel="uniform")
    ...     (done.summary["substitutions"][0], len(noisy.read_text().split()))
    (18, 90)
    """
    target_wers, mix = as_target_wers(wer), as_mix(options["mix"])
    if output is None and not keep_texts:
        raise OptionError(
            "nothing would be kept",
            fix="name a file (-o noisy.txt, or -o - for standard output) or a folder (--out DIR)",
        )
    outputs = output_files(path, output, target_wers)
    context = Context.of(**chosen(options, Language, Threads))
    part = choose_channel(options["channel"], context)
    check_mixes(part, mix)
    protection = Protection.of(options["keep"], options["only"], context)
    columns = Columns("reference", options["id_column"], options["text_column"])
    with rewritable(path, options["input_format"], columns) as source:
        for name in outputs:
            refuse_other_name(name, source.written)
        return _corrupt_source(
            source, target_wers, outputs, part, context, mix, options["seed"], keep_texts,
            protection, wanted,
        )  # fmt: skip


def _corrupt_source(
    source: Rewritable,
    target_wers: list[float],
    outputs: list[str],
    channel: Channel,
    context: Context,
    mix: Mix | None,
    seed: int,
    keep_texts: bool,
    protection: Protection | None,
    wanted: WantedRows | None,
) -> Corruption:
    """Corrupt an open file."""
    words = count_words(source)
    texts = () if channel.mixes else first_texts(source)
    model = channel.model(distinct_cores(words), texts, context)
    mix = model.mix if mix is None else mix
    sampler = sampler_of(model, protection)
    counts = np.fromiter(words.values(), np.int64, len(words))
    capacity = ErrorCapacity.of(list(words), counts, sampler)
    if protection is not None:
        found = (ErrorCapacity.of_block(block, sampler) for block in read_blocks(source))
        capacity = sum(found, ErrorCapacity())
    targets = make_targets(target_wers, mix, seed, capacity)
    with whole_files(outputs) as opened:
        levels = [Level(target, keep_texts) for target in targets]
        for level, file in zip(levels, opened, strict=bool(opened)):
            level.writer = source.writer(file)
        draw_levels(read_blocks(source), levels, sampler, context.workers, wanted)
    corrupted = {
        level.target.name: Corrupted(
            noisy_texts(level, source.labelled), level.realised, level.blocks, sampler
        )
        for level in levels
    }
    notes = (*source.notes, *notes_of(context), *notes_of_words(source, words))
    return Corruption(
        clean_texts(source, levels[0]),
        corrupted,
        signature(channel, context, mix, seed, protection=protection, wanted=wanted),
        (*notes, *substitution_notes(capacity)),
        {source.shown: source.sha256},
    )
