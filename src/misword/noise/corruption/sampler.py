"""A hearing made ready for drawing: which words can be hit, and what is heard for a random number.

Everything here is a look-up for many words at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets
from misword.noise.corruption.word_shape import Shape, forms, shape
from misword.noise.hearing import Candidates, Hearing, Weights

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Spelling:
    """Every heard word in each case, with a space on both sides, in one piece of bytes."""

    data: bytes
    offsets: Offsets  # of word * 3 + case

    @classmethod
    def of(cls, heard: list[str]) -> Spelling:
        """Write the words down."""
        written = [f" {form} ".encode() for word in heard for form in forms(word)]
        ends = np.cumsum([0, *map(len, written)], dtype=np.int64)
        return cls(b"".join(written), ends)


@dataclass(frozen=True)
class Picker:
    """What `hearing` says, by the row of a said word; row -1 is a word it does not know."""

    hearing: Hearing

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each said word."""
        return {word: row for row, word in enumerate(self.table.said)}

    @property
    def table(self) -> Candidates:
        """The candidates."""
        return self.hearing.candidates

    @cached_property
    def spelling(self) -> Spelling:
        """The heard words as they are written."""
        return Spelling.of(list(self.table.heard))

    @cached_property
    def substituted(self) -> Weights:
        """How likely each row is to be substituted; 0 for the unknown word, which is last."""
        return np.append(np.where(self.table.filled, self.hearing.substituted, 0.0), 0.0)

    @cached_property
    def deleted(self) -> Weights:
        """How likely each row is to be deleted; 0 for the unknown word, which is last."""
        return np.append(self.hearing.deleted, 0.0)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, int, int, int]]:
        return {}

    def shapes(self, vocabulary: list[str]) -> Ints:
        """Row, bytes before the core, bytes of the core and case of each token, as columns."""
        known, rows = self._shapes, self.rows
        for token in vocabulary:
            if token not in known:
                found: Shape = shape(token)
                known[token] = (rows.get(found.core, -1), found.before, found.size, found.case)
        table = np.array([known[token] for token in vocabulary], np.int64)
        return table.reshape(-1, 4).T

    def pick(self, rows: Ints, random: Weights) -> Ints:
        """What is heard for each said word, by one random number in [0, 1) each."""
        shares = self.table.shares[rows]
        common = random < shares
        heard = np.empty(len(rows), np.int64)
        own = ~common
        if own.any():
            rest = (random[own] - shares[own]) / (1 - shares[own])
            at = np.searchsorted(self._sums, rows[own] + rest, side="right")
            last = self.table.offsets[rows[own] + 1] - 1
            heard[own] = self.table.ids[np.minimum(at, last)]
        if common.any():
            heard[common] = self._from_common(rows[common], random[common] / shares[common])
        return heard

    def insert(self, random: Weights) -> Ints:
        """Words that are heard where nothing was said."""
        total = np.cumsum(self.hearing.inserted)
        at = np.searchsorted(total, random * total[-1], side="right")
        found: Ints = np.minimum(at, len(total) - 1)
        return found

    def facts(self, rows: Ints, heard: Ints) -> tuple[Weights, Weights, Weights]:
        """Probability and both distances of said words and what was heard."""
        table = self.table
        order, keys = self._lookup
        wanted = rows * len(table.heard) + heard
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = keys[at] == wanted if len(keys) else np.zeros(len(wanted), bool)
        entry = order[at] if len(keys) else np.zeros(len(wanted), np.int64)
        sides = []
        for column, empty in (
            (table.probability, 0.0), (table.phonological, np.nan), (table.semantic, np.nan),
        ):  # fmt: skip
            side = np.full(len(wanted), empty)
            side[found] = column[entry[found]]
            sides.append(side)
        if len(table.common):
            left = 1 - self._own_share[rows]
            sides[0] += table.shares[rows] * table.common[heard] / left
        return sides[0], sides[1], sides[2]

    @cached_property
    def _sums(self) -> Weights:
        """Row number plus cumulative probability inside the row: one search finds a candidate."""
        table = self.table
        lengths = np.diff(table.offsets)
        row = np.repeat(np.arange(len(lengths)), lengths)
        sums = np.cumsum(table.probability)
        before = np.concatenate([[0.0], sums])[table.offsets[:-1]]
        totals = np.bincount(row, table.probability, len(lengths))
        inside = (sums - before[row]) / totals[row]
        found: Weights = row + np.minimum(inside, 1.0)
        return found

    @cached_property
    def _own(self) -> Ints:
        return self.table.own()

    @cached_property
    def _own_share(self) -> Weights:
        """What the common distribution gives each said word itself."""
        if not len(self.table.common):
            return np.zeros(len(self._own))
        return np.where(self._own >= 0, self.table.common[self._own], 0.0)

    def _from_common(self, rows: Ints, random: Weights) -> Ints:
        """A word of the common distribution, any but the said one: its stretch is stepped over."""
        sums = np.cumsum(self.table.common)
        sums /= sums[-1]
        own, mine = self._own[rows], self._own_share[rows]
        begin = np.where(own > 0, sums[own - 1], 0.0)
        at = random * (1 - mine)
        at = np.where((own >= 0) & (at >= begin), at + mine, at)
        heard = np.minimum(np.searchsorted(sums, at, side="right"), len(sums) - 1)
        clash = heard == own  # rounding at the stretch's edge
        heard[clash] = (heard[clash] + 1) % len(sums)
        return heard.astype(np.int64)

    @cached_property
    def _lookup(self) -> tuple[Ints, Ints]:
        """Places of the candidates in the order of (said, heard), and those numbers."""
        table = self.table
        row = np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))
        keys = row * len(table.heard) + table.ids
        order = np.argsort(keys, kind="stable")
        return order, keys[order]
