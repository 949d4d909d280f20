"""Arrays as text for the page's scripts: little-endian numbers in base64, read by `streams.js`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.report.rates import positions

# A value as JSON can hold it.
Data = dict[str, Any]


def packed(values: NDArray[Any]) -> Data:
    """Return an array as base64; whole numbers take the fewest bytes that hold the largest one."""
    if values.dtype.kind == "f":
        kind = f"f{values.dtype.itemsize}"
    else:
        largest = int(values.max(initial=0))
        kind = "u1" if largest < 1 << 8 else "u2" if largest < 1 << 16 else "u4"
    data = np.ascontiguousarray(values.astype(f"<{kind}")).tobytes()
    return {"type": kind, "data": b64encode(data).decode("ascii")}


# Words of lexicons as numbers, for the page's scripts: each distinct word is stored once.

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
