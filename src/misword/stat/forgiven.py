"""Forgiven differences of writing in tables of scores and in tables of words.

A forgiven block is one row of a table of words: kind `hit`, its words joined by spaces, and the
name of the family that forgives it in the column `family`. A block can have no reference word, or
no hypothesis word; the column is then null.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.stat.measure import MetricColumn
from misword.stat.row_groups import RowGroups

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Forgiven:
    """What was forgiven: the names of the families, and the metrics without forgiveness.

    The table of scores has the number of forgiven differences of each pair as `forgiven.<family>`;
    `without` are the columns of metrics scored as if nothing were forgiven, labelled
    `without.<label>`.
    """

    families: tuple[str, ...] = ()
    without: tuple[MetricColumn, ...] = ()

    @property
    def counts(self) -> list[str]:
        """The names of the columns with numbers of forgiven differences."""
        return [f"forgiven.{family}" for family in self.families]

    @property
    def names(self) -> list[str]:
        """The names of all columns in the table of scores."""
        return [*self.counts, *(name for column in self.without for name in column.names)]

    def summary(self, label: str, table: pl.DataFrame, groups: RowGroups) -> dict[str, Any]:
        """Return the rate of a metric without forgiveness, and the differences by family.

        There is a number for each group of rows. Only metrics that count edits have a rate without
        forgiveness.
        """
        return self.summary_of(label, len(groups), lambda name: groups.sums(table[name].to_numpy()))

    def summary_of(
        self, label: str, groups: int, sums: Callable[[str], NDArray[Any]]
    ) -> dict[str, Any]:
        """Return what `summary` does; `sums` returns the sums of a column for each group."""
        if not self.families:
            return {}
        rates: Any = [None] * groups
        for column in self.without:
            if column.label == f"without.{label}":
                rates = column.rates(np.stack([sums(name) for name in column.names], axis=-1))
        counts = {name: sums(name) for name in self.counts}
        return {"without": rates, "forgiven": sum(counts.values()), **counts}


def forgiven_blocks(words: pl.DataFrame) -> pl.DataFrame:
    """Return the forgiven differences of a table of words, with the place of each alignment step.

    One of the two sides is null if the family forgives a word that is there or not.
    """
    import polars as pl

    columns = ["utt", "system", "place", "family", "reference", "hypothesis"]
    return words.filter(pl.col("family").is_not_null()).select(columns)


def reference_sizes(words: pl.DataFrame) -> NDArray[np.int64]:
    """Return how many reference words a row of a table of words stands for; 1 for an insertion.

    A forgiven block stands for as many words as its reference has, possibly for none.

    >>> import polars as pl
    >>> family, reference = ["contractions", "fillers", None], ["we are", None, "here"]
    >>> reference_sizes(pl.DataFrame({"family": family, "reference": reference})).tolist()
    [2, 0, 1]
    """
    import polars as pl

    if "family" not in words.columns:
        return np.ones(words.height, np.int64)
    size = pl.col("reference").str.count_matches(" ", literal=True).cast(pl.Int64) + 1
    of_block = pl.when(pl.col("family").is_not_null()).then(size.fill_null(0)).otherwise(1)
    return words.select(of_block.alias("size"))["size"].to_numpy()


def single_reference_words(words: pl.DataFrame) -> pl.DataFrame:
    """Return a table of words with a row for each reference word of a forgiven block.

    All words of a block are hits. Blocks without reference words have no row.
    """
    sizes = reference_sizes(words)
    if (sizes == 1).all():
        return words
    rows = np.repeat(np.arange(len(sizes)), sizes)
    divided = words[rows]
    parts = words["reference"].filter(sizes > 1).str.split(" ").explode()
    places = np.flatnonzero(sizes[rows] > 1)
    return divided.with_columns(divided["reference"].scatter(places, parts))
