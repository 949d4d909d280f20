"""Metadata of the utterances, for the explorer's filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from misword.core.types import Result
from misword.io.transcripts.categories import interpret
from misword.report.explorer.packing import Data, packed
from misword.report.result_access import best_hypotheses, metadata, table
from misword.report.utterance_rates import positions

if TYPE_CHECKING:
    import polars as pl


def metadata_columns(result: Result, size: int) -> list[Data]:
    """Return the metadata of the first `size` utterances.

    A column of numbers is an array of numbers, unless its numbers are names. Any other column is a
    list of its distinct texts and an array of positions in that list.
    """
    import polars as pl

    frame = table(result, "utterances")
    if frame is None:
        return []
    frame = best_hypotheses(frame).unique("utt", keep="first", maintain_order=True).head(size)
    columns: list[Data] = []
    for name in metadata(result):
        column = interpret(frame[name])
        if column.dtype.is_numeric():
            values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
            columns.append({"name": name, "numbers": packed(values)})
            continue
        text = as_text(column)
        distinct = text.unique(maintain_order=True)
        codes = packed(positions(text, distinct))
        columns.append({"name": name, "values": distinct.to_list(), "codes": codes})
    return columns


def as_text(column: pl.Series) -> pl.Series:
    """Return any column as text, empty where a value is missing; lists as Python prints them."""
    import polars as pl

    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        values = ["" if value is None else str(value) for value in column.to_list()]
        return pl.Series(values, dtype=pl.String)
