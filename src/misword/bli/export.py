"""Mapped vectors as a text file in word2vec's format, which most tools read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.mapping import Mapped
from misword.core.progress import progress
from misword.io.files.sources import PathLike, counted
from misword.io.files.writing import whole_files

BLOCK = 8192  # rows written at a time


def export(mapped: Mapped, path: PathLike) -> tuple[str, ...]:
    """Write words and unit vectors in the common space; returns notes on what was left out.

    Each number is written with as few digits as are needed to read back the same float32. Words
    with white space cannot be written in this format.
    """
    words = mapped.words[: len(mapped)]
    rows = np.array([i for i, word in enumerate(words) if word.split() == [word]], np.int64)
    with whole_files([path]) as (file,):
        _write(file, words, mapped.rows, rows)
    left_out = len(words) - len(rows)
    if not left_out:
        return ()
    return (f"{counted(left_out, 'word')} with white space left out of {path}",)


def _write(file: BinaryIO, words: Sequence[str], vectors: Float32Array, rows: RowNumbers) -> None:
    import polars as pl

    names = [str(i) for i in range(vectors.shape[1])]
    file.write(f"{len(rows)} {vectors.shape[1]}\n".encode())
    with progress("writing vectors", len(rows)) as step:
        for lo in range(0, len(rows), BLOCK):
            block = rows[lo : lo + BLOCK]
            frame = pl.DataFrame(vectors[block], schema=names, orient="row")
            frame.insert_column(0, pl.Series("word", [words[i] for i in block.tolist()]))
            text = frame.write_csv(include_header=False, separator=" ", quote_style="never")
            file.write(text.encode())
            step(len(block))
