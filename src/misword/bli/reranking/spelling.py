"""Spelling: how similar two words are, and which candidates are forms of one word.

Words are compared after transliteration (`misword.text.transliteration`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.bli.arrays import Float64Array, RowNumbers
from misword.text.tokens import encode_lists
from misword.text.transliteration import transliterate

LETTERS = 24  # of a word that are compared for a common prefix
# Two words are taken for forms of one word if they begin alike: with at least this number of
# letters, and with at least this share of the longer word.
SHORTEST_STEM, STEM_SHARE = 4, 0.6
ROWS = 256  # lists whose candidates are compared with each other at a time

Codes = NDArray[np.uint32]  # a row for each word: its first letters, filled up with zeros


@dataclass(frozen=True, slots=True, eq=False)
class Spellings:
    """Transliterated words of queries and candidates.

    `words` are distinct words; `queries` and `candidates` are their numbers, by query and by query
    and candidate.
    """

    words: Sequence[str]
    queries: RowNumbers
    candidates: RowNumbers

    @classmethod
    def of(
        cls,
        source_words: Sequence[str],
        target_words: Sequence[str],
        queries: RowNumbers,
        ids: RowNumbers,
    ) -> Spellings:
        """Take the words of rows of both vocabularies."""
        distinct, places = np.unique(ids, return_inverse=True)
        words = [transliterate(source_words[row]) for row in queries.tolist()]
        words += [transliterate(target_words[row]) for row in distinct.tolist()]
        return cls(words, np.arange(len(queries)), len(queries) + places.reshape(ids.shape))

    @property
    def lengths(self) -> Float64Array:
        """The number of letters of each word."""
        return np.array([len(word) for word in self.words], np.float64)

    @property
    def codes(self) -> Codes:
        """The first letters of each word."""
        array = np.array(self.words, f"<U{LETTERS}")
        return array.view(np.uint32).reshape(len(self.words), LETTERS)

    def similarities(self, workers: int | None = None) -> Float64Array:
        """Return one minus the edit distance divided by the length of the longer word."""
        tokens = encode_lists(self.words)
        pairs = np.column_stack([self._query_of_each(), self.candidates.ravel()])
        distances = align(tokens, tokens, pairs=pairs, operations=False, workers=workers).costs
        longer = np.maximum(*self.lengths[pairs].T)
        return np.reshape(1 - distances / np.maximum(longer, 1), self.candidates.shape)

    def prefixes(self) -> Float64Array:
        """Return the length of the common prefix divided by the length of the longer word."""
        codes, lengths = self.codes, self.lengths
        common = _common_prefix(codes[self.queries][:, None], codes[self.candidates])
        longer = np.maximum(lengths[self.queries][:, None], lengths[self.candidates])
        return np.asarray(common / np.maximum(longer, 1))

    def forms(self) -> NDArray[np.bool_]:
        """Return which candidates of a list are forms of which others: three axes.

        A candidate is always a form of itself.
        """
        width = self.candidates.shape[1]
        related = np.empty((len(self.candidates), width, width), np.bool_)
        codes, lengths = self.codes, self.lengths
        for start in range(0, len(self.candidates), ROWS):
            block = self.candidates[start : start + ROWS]
            letters, sizes = codes[block], lengths[block]
            common = _common_prefix(letters[:, :, None], letters[:, None])
            longer = np.maximum(sizes[:, :, None], sizes[:, None])
            alike = (common >= SHORTEST_STEM) & (common >= STEM_SHARE * longer)
            related[start : start + ROWS] = alike | np.eye(width, dtype=np.bool_)
        return related

    def _query_of_each(self) -> RowNumbers:
        return np.repeat(self.queries, self.candidates.shape[1])


def _common_prefix(first: Codes, second: Codes) -> RowNumbers:
    """Return the number of equal letters at the beginning, along the last axis."""
    equal = (first == second) & (first > 0)
    return np.asarray(np.logical_and.accumulate(equal, axis=-1).sum(axis=-1))
