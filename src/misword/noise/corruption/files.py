"""Files of transcripts to corrupt: names of the output files, words, blocks, utterance ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.core.types import Tokens
from misword.io.files.sources import PathLike, place
from misword.io.files.writing import check_path
from misword.io.transcripts.rewriting import Rewritable
from misword.noise.corruption import text_block
from misword.noise.corruption.levels import Level
from misword.noise.corruption.targets import system_name
from misword.noise.corruption.text_block import TextBlock, blocks_of, encode_rows, without_first
from misword.text.texts import SEPARATOR

if TYPE_CHECKING:
    import polars as pl

STDOUT = "-"


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
    return [cut_label(row)[1] for row in rows] if labelled else rows


def clean_texts(source: Rewritable, level: Level) -> pl.DataFrame:
    """Return the clean texts of the blocks that a level keeps, with their utterance ids."""
    import polars as pl

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
    import polars as pl

    return pl.int_range(1, size + 1, eager=True).cast(pl.String)


def cut_label(row: str) -> tuple[str, str]:
    """Return the utterance id that a row begins with, and the rest.

    >>> cut_label("utt1  a b "), cut_label("utt2")
    (('utt1', 'a b '), ('utt2', ''))
    """
    label, *rest = row.split(None, 1)
    return label, "".join(rest)
