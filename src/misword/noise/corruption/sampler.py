"""Random words from an error model: substitutes and insertions, for many words at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets
from misword.noise.arrays import Floats, Ints
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.text_block import CASES, case_forms, word_shape
from misword.noise.error_model import CandidateTable, ErrorModel


class TokenShapes(NamedTuple):
    """The shapes of tokens as columns, with one value for each token.

    `row` is the row of the core in the candidate table, -1 if it is not there. `before`, `size` and
    `case` are those of `WordShape`.
    """

    row: Ints
    before: Ints
    size: Ints
    case: Ints


@dataclass(frozen=True)
class CasedWords:
    """The bytes of every word in each case, with a space on both sides.

    A substitute is written without the spaces, an inserted word with one of them. The bytes of a
    form are `data[offsets[i]:offsets[i + 1]]`, where i is its number by `form`.
    """

    data: bytes
    offsets: Offsets

    @classmethod
    def of(cls, words: list[str]) -> CasedWords:
        """Write the words in their three cases."""
        forms = [f" {form} ".encode() for word in words for form in case_forms(word)]
        return cls(b"".join(forms), np.cumsum([0, *map(len, forms)], dtype=np.int64))

    def form(self, ids: Ints, case: Ints) -> Ints:
        """Return the number of the form of each word, given its id and its case."""
        return ids * len(CASES) + case


@dataclass(frozen=True)
class Sampler:
    """Draws words from an error model.

    The methods take words as rows of the candidate table; -1 is a word that is not in the table.
    """

    model: ErrorModel
    protection: Protection | None = None

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words of the candidates."""
        return self.table.vocabulary

    def insertion_probability(self, ids: Ints) -> Floats:
        """Return the probability of each word to be the inserted one."""
        return self.model.insertion_probability[ids]

    @property
    def table(self) -> CandidateTable:
        """The candidates of the model."""
        return self.model.candidates

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.table.words)}

    @cached_property
    def spellings(self) -> CasedWords:
        """The words of the vocabulary as they are written into a text."""
        return CasedWords.of(list(self.table.vocabulary))

    @cached_property
    def substitution_weight(self) -> Floats:
        """The substitution weight of each row; the last one, of row -1, is 0."""
        weight = np.where(self.table.has_candidates, self.model.substitution_weight, 0.0)
        return np.append(weight, 0.0)

    @cached_property
    def deletion_weight(self) -> Floats:
        """The deletion weight of each row; the last one, of row -1, is 0."""
        return np.append(self.model.deletion_weight, 0.0)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, int, int, int]]:
        return {}

    def shapes(self, tokens: list[str]) -> TokenShapes:
        """Return the shapes of tokens; the shape of each distinct token is computed once."""
        shapes, rows = self._shapes, self.rows
        for token in tokens:
            if token not in shapes:
                shape = word_shape(token)
                row = rows.get(shape.core, -1)
                shapes[token] = (row, shape.before, shape.size, shape.case)
        table = np.array([shapes[token] for token in tokens], np.int64)
        return TokenShapes(*table.reshape(-1, 4).T)

    def substitutes(self, rows: Ints, random: Floats) -> Ints:
        """Return the id of a substitute of each word, given a random number in [0, 1) for each."""
        weight = self.table.background_weight[rows]
        from_background = random < weight
        ids = np.empty(len(rows), np.int64)
        from_row = ~from_background
        if from_row.any():
            rest = (random[from_row] - weight[from_row]) / (1 - weight[from_row])
            at = np.searchsorted(self._cumulative, rows[from_row] + rest, side="right")
            last = self.table.offsets[rows[from_row] + 1] - 1
            ids[from_row] = self.table.ids[np.minimum(at, last)]
        if from_background.any():
            ids[from_background] = self._background_substitutes(
                rows[from_background], random[from_background] / weight[from_background]
            )
        return ids

    def insertions(self, random: Floats) -> Ints:
        """Return the id of an inserted word for each random number in [0, 1)."""
        cumulative = np.cumsum(self.model.insertion_probability)
        at = np.searchsorted(cumulative, random * cumulative[-1], side="right")
        ids: Ints = np.minimum(at, len(cumulative) - 1)
        return ids

    def details(self, rows: Ints, ids: Ints) -> tuple[Floats, Floats, Floats]:
        """Return probability, phonological and semantic distance of words and their substitutes."""
        table = self.table
        order, keys = self._entry_keys
        wanted = rows * len(table.vocabulary) + ids
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        listed = keys[at] == wanted if len(keys) else np.zeros(len(wanted), bool)
        entry = order[at] if len(keys) else np.zeros(len(wanted), np.int64)

        def values(column: NDArray[np.floating], missing: float) -> Floats:
            of_pairs = np.full(len(wanted), missing)
            of_pairs[listed] = column[entry[listed]]
            return of_pairs

        probability = values(table.probability, 0.0)
        if len(table.background):
            others = 1 - self._own_background[rows]
            probability += table.background_weight[rows] * table.background[ids] / others
        return probability, values(table.phonological, np.nan), values(table.semantic, np.nan)

    @cached_property
    def _cumulative(self) -> Floats:
        """Row number plus cumulative probability within the row: one search finds a candidate."""
        table = self.table
        row = table.entry_rows
        sums = np.cumsum(table.probability)
        before = np.concatenate([[0.0], sums])[table.offsets[:-1]]
        totals = np.bincount(row, table.probability, len(table.words))
        within = (sums - before[row]) / totals[row]
        cumulative: Floats = row + np.minimum(within, 1.0)
        return cumulative

    @cached_property
    def _own_background(self) -> Floats:
        """The probability of each word itself in the background distribution."""
        own = self.table.own_ids
        if not len(self.table.background):
            return np.zeros(len(own))
        return np.where(own >= 0, self.table.background[own], 0.0)

    def _background_substitutes(self, rows: Ints, random: Floats) -> Ints:
        """Return ids drawn from the background distribution without the word itself.

        A random number is scaled to the total without the word, and moved on by the probability of
        the word if it is beyond the word's place.
        """
        cumulative = np.cumsum(self.table.background)
        cumulative /= cumulative[-1]
        own, own_share = self.table.own_ids[rows], self._own_background[rows]
        begin = np.where(own > 0, cumulative[own - 1], 0.0)
        at = random * (1 - own_share)
        at = np.where((own >= 0) & (at >= begin), at + own_share, at)
        ids = np.minimum(np.searchsorted(cumulative, at, side="right"), len(cumulative) - 1)
        itself = ids == own  # possible only by rounding
        ids[itself] = (ids[itself] + 1) % len(cumulative)
        return ids.astype(np.int64)

    @cached_property
    def _entry_keys(self) -> tuple[Ints, Ints]:
        """The entries of the table sorted by (row, id), and these keys as single numbers."""
        table = self.table
        keys = table.entry_rows * len(table.vocabulary) + table.ids
        order = np.argsort(keys, kind="stable")
        return order, keys[order]
