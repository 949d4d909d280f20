"""Blocks of utterances, such as the utterances of one speaker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


def block_column(scores: Scores, name: str, *, advice: str = "") -> pl.Series:
    """Return a metadata column; raise if it does not exist or an utterance has no value in it.

    `advice` is added to the message if there is no metadata at all.
    """
    if name not in scores.metadata:
        columns = ", ".join(scores.metadata) or f"there are none{advice}"
        raise OptionError(f"no column {name!r} of metadata", fix=f"columns: {columns}")
    values = scores.table[name]
    if values.null_count():
        utt = scores.table["utt"].filter(values.is_null())[0]
        raise InputError(f"utterance {utt!r} has no {name}", fix="give it one")
    return values


def find_blocks(scores: Scores, block: int | str) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return the table of blocks of one system, and the number of each utterance's block.

    `block` is a number of consecutive utterances, or a metadata column. The table has the name of
    each `block`, and its `first` and `last` utterance.
    """
    import polars as pl

    number = pl.int_range(1, pl.len() + 1)
    if isinstance(block, str):
        block_column(scores, block)
        name = pl.col(block).cast(pl.String)
    else:
        name = (number - 1) // block + 1
    rows = scores.table.select(name.alias("block"), number.alias("number"))
    blocks = rows.group_by("block", maintain_order=True).agg(
        pl.col("number").min().alias("first"), pl.col("number").max().alias("last")
    )
    numbered = blocks.with_row_index("place")
    joined = rows.join(numbered, on="block", how="left", maintain_order="left")
    return blocks, joined["place"].to_numpy().astype(np.int64)
