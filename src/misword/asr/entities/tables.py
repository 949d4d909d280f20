"""The table `entity_counts`, made from counts of spans when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.entities.counts import SpanCounts
from misword.stat.entity_rates import ENTITY_COUNTS

if TYPE_CHECKING:
    import polars as pl

OF_REFERENCES = ("words", "substitutions", "missed", "added", "terms", "found")
OF_HYPOTHESES = ("terms", "found")


@dataclass(frozen=True, slots=True, eq=False)
class CountedSource:
    """The counts of one source of entities: tags, a recogniser or keywords.

    Hypotheses have counts for keywords only.
    """

    source: str
    classes: tuple[str, ...]
    references: SpanCounts
    hypotheses: SpanCounts | None = None

    @property
    def sides(self) -> list[SpanCounts]:
        """The counts of the references, and of the hypotheses if there are some."""
        return [self.references] if self.hypotheses is None else [self.references, self.hypotheses]

    def found_classes(self) -> set[str]:
        """Return the classes that a text has spans of."""
        numbers = np.concatenate([np.unique(side.table[:, 0]) for side in self.sides])
        return {self.classes[number] for number in numbers.tolist()}

    def table(self, keys: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each pair and class that has spans on either side."""
        import polars as pl

        width = len(self.classes)
        own_keys = [side.pair * width + side.column("class") for side in self.sides]
        every = np.sort(np.concatenate(own_keys), kind="stable")  # a merge of two sorted arrays
        every = every[np.diff(every, prepend=-1) != 0]
        columns: dict[str, pl.Series] = {}
        names = [ENTITY_COUNTS[:6], ENTITY_COUNTS[6:]]
        fields = [OF_REFERENCES, OF_HYPOTHESES]
        for side, own, read, named in zip(self.sides, own_keys, fields, names, strict=False):
            places = np.searchsorted(every, own)
            for name, field in zip(named, read, strict=True):
                values = np.zeros(len(every), np.int64)
                values[places] = side.column(field)
                columns[name] = pl.Series(name, values)
        for name in ENTITY_COUNTS[6:]:
            columns.setdefault(
                name, pl.Series(name, [None], pl.Int64).new_from_index(0, len(every))
            )
        pair, kind = np.divmod(every, max(width, 1))
        named_class = pl.Series("class", self.classes, pl.String).gather(kind)
        identified: pl.DataFrame = keys.select("utt", "system", "rank")[pair]
        return identified.with_columns(pl.lit(self.source).alias("source"), named_class).hstack(
            list(columns.values())
        )


@dataclass(frozen=True, slots=True, eq=False)
class CountsTable:
    """Makes the table `entity_counts` of several sources; `keys` identifies the pairs."""

    keys: pl.DataFrame
    sources: Sequence[CountedSource]

    def __call__(self) -> pl.DataFrame:
        """Make the table."""
        import polars as pl

        return pl.concat([source.table(self.keys) for source in self.sources])
