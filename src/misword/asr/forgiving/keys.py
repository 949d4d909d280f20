"""Keys: numbers for what spans of words can be read as.

A span of the reference and a span of the hypothesis that have a key in common can be read as the
same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import Spans

Numbers = NDArray[np.int64]


class KeyedSpans(NamedTuple):
    """Spans of rows: the words `start` to `end - 1` of `row` can be read as `key`."""

    row: Numbers
    start: Numbers
    end: Numbers
    key: Numbers

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int, int, int]]) -> KeyedSpans:
        """Return spans from tuples."""
        columns = np.array(list(spans), np.int64).reshape(-1, 4).T
        return cls(*columns)

    @classmethod
    def join(cls, parts: Iterable[KeyedSpans]) -> KeyedSpans:
        """Return all spans of several lists."""
        return cls(*(np.concatenate(column) for column in zip(cls.of(()), *parts, strict=True)))

    def by_row(self, rows: int) -> Spans:
        """Return the spans as the compiled code reads them, listed by row."""
        return Spans.of(rows, *self)

    def take(self, chosen: NDArray[np.bool_]) -> KeyedSpans:
        """Return the chosen spans."""
        return KeyedSpans(*(column[chosen] for column in self))


@dataclass(slots=True)
class Keys:
    """The numbers of keys, and the family of each."""

    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    families: list[int] = field(default_factory=list)

    def number(self, family: int, key: str) -> int:
        """Return the number of a key of a family; a new key gets the next number."""
        known = self.numbers.setdefault((family, key), len(self.families))
        if known == len(self.families):
            self.families.append(family)
        return known


SideSpans = tuple[KeyedSpans, KeyedSpans]
