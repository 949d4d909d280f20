"""Words of lexicons as numbers, for the page's scripts: each distinct word is stored once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from misword.report.explorer.packing import Data, packed
from misword.report.utterance_rates import positions

NO_NUMBER = float("nan")


def distinct_words(*columns: pl.Series) -> pl.Series:
    """Return the empty text, then each word of the columns once.

    >>> distinct_words(pl.Series(["b", None, "a"]), pl.Series(["b", "c"])).to_list()
    ['', 'b', 'a', 'c']
    """
    texts = [pl.Series([""], dtype=pl.String), *(column.drop_nulls() for column in columns)]
    return pl.concat([text.rename("word") for text in texts]).unique(maintain_order=True)


def word_numbers(words: pl.Series, vocabulary: pl.Series) -> NDArray[np.int64]:
    """Return the place of each word in the vocabulary; 0 for a word that is missing.

    >>> word_numbers(pl.Series(["a", None]), pl.Series(["", "b", "a"])).tolist()
    [2, 0]
    """
    return positions(words.fill_null(""), vocabulary)


def by_rank(
    rows: NDArray[np.int64], ranks: NDArray[np.int64], values: NDArray[Any], empty: NDArray[Any]
) -> NDArray[Any]:
    """Return a copy of `empty` with each value in its row and in the column of its rank.

    Ranks start at 1; values whose rank is beyond the columns are left out.
    """
    filled, kept = empty.copy(), ranks <= empty.shape[1]
    filled[rows[kept], ranks[kept] - 1] = values[kept]
    return filled


def coded(values: Sequence[str]) -> Data:
    """Return a list of distinct values, and the number of each value in it."""
    distinct = sorted(set(values))
    number = {value: place for place, value in enumerate(distinct)}
    codes = np.array([number[value] for value in values], np.int64)
    return {"values": distinct, "codes": packed(codes)}
