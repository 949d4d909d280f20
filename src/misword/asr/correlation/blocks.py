"""Blocks of utterances: which utterance is in which block, and sums over blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.stat.measure import Statistics
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


def find_blocks(part: Scores, block: int | str) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return `block`, `first` and `last` utterance of each block, and each utterance's block."""
    import polars as pl

    number = pl.int_range(1, pl.len() + 1)
    if isinstance(block, str):
        if block not in part.metadata:
            columns = ", ".join(part.metadata) or "there are none"
            raise OptionError(f"no column {block!r} of metadata", fix=f"columns: {columns}")
        if part.table[block].null_count():
            utt = part.table["utt"].filter(part.table[block].is_null())[0]
            raise InputError(f"utterance {utt!r} has no {block}", fix="give it one")
        value = pl.col(block).cast(pl.String)
    else:
        value = (number - 1) // block + 1
    rows = part.table.select(value.alias("block"), number.alias("number"))
    frame = rows.group_by("block", maintain_order=True).agg(
        pl.col("number").min().alias("first"), pl.col("number").max().alias("last")
    )
    placed = rows.join(frame.with_row_index("place"), on="block", how="left", maintain_order="left")
    return frame, placed["place"].to_numpy().astype(np.int64)


def sum_blocks(statistics: Statistics, members: NDArray[np.int64]) -> Statistics:
    """Sum the statistics of each block; `members` has the number of each utterance's block."""
    sums = np.zeros((int(members.max()) + 1, statistics.shape[1]))
    np.add.at(sums, members, statistics)
    return sums
