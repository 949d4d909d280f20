"""Mapped vectors as a file that any tool reads: word2vec's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from misword.bli.mapping import Mapped
from misword.bli.spaces import Matrix
from misword.core.progress import progress
from misword.io.files.sources import PathLike, counted
from misword.io.files.writing import whole_files

BLOCK = 8192


def export(mapped: Mapped, path: PathLike) -> tuple[str, ...]:
    """Write words and unit vectors in the common space; gives notes on what was left out.

    The numbers are as short as they can be and still come back as they were. Words with white
    space cannot be written in this format.
    """
    words = mapped.words[: len(mapped)]
    rows = np.array([i for i, word in enumerate(words) if word.split() == [word]], np.int64)
    with whole_files([path]) as (file,):
        _write(file, words, mapped.rows, rows)
    left = len(words) - len(rows)
    return (f"{counted(left, 'word')} with white space left out of {path}",) if left else ()


def _write(file: BinaryIO, words: Sequence[str], matrix: Matrix, rows: NDArray[np.int64]) -> None:
    import polars as pl

    names = [str(i) for i in range(matrix.shape[1])]
    file.write(f"{len(rows)} {matrix.shape[1]}\n".encode())
    with progress("writing vectors", len(rows)) as step:
        for lo in range(0, len(rows), BLOCK):
            some = rows[lo : lo + BLOCK]
            frame = pl.DataFrame(matrix[some], schema=names, orient="row")
            frame.insert_column(0, pl.Series("word", [words[i] for i in some.tolist()]))
            frame.write_csv(file, include_header=False, separator=" ", quote_style="never")
            step(len(some))
