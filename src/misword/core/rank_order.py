"""The order of the rows of N-best lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def lists_in_order(frame: pl.DataFrame, rank: str = "rank", same: Sequence[str] = ("utt",)) -> bool:
    """Return whether each row has rank 1, or the next rank of the list of the row before.

    Two rows of a list have the same values in the columns `same`.

    >>> import polars as pl
    >>> lists_in_order(pl.DataFrame({"utt": ["a", "a", "b"], "rank": [1, 2, 1]}))
    True
    >>> lists_in_order(pl.DataFrame({"utt": ["a", "b", "a"], "rank": [1, 1, 2]}))
    False
    """
    import polars as pl

    ranks = pl.col(rank)
    unchanged = [pl.col(name) == pl.col(name).shift() for name in same]
    follows = pl.all_horizontal(ranks == ranks.shift() + 1, *unchanged).fill_null(False)
    return bool(frame.select(((ranks == 1) | follows).all()).item())
