"""Retrievers: rank the words of the target language as translations of a source word.

The search of every retriever is exact: it skips only products that are proven not to change the
ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowNumbers
from misword.bli.reranking.model import Reranker
from misword.core.context import Context
from misword.core.parts import Part, Settings
from misword.core.parts.registry import Registry

__all__ = [
    "RETRIEVERS",
    "Languages",
    "Neighbors",
    "Retriever",
    "RowNumbers",
    "Scores",
    "UnitVectors",
]

UnitVectors = NDArray[np.float32]  # a row for each word: length 1, or all 0 without a vector
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """For each query the row numbers of its best targets and their scores, best first.

    Targets with equal scores are in the order of their rows. There are k columns, or fewer if fewer
    targets have a vector: a target without a vector (a row of zeros) is never retrieved.
    """

    ids: RowNumbers
    scores: Scores


@dataclass(frozen=True, slots=True, eq=False)
class MappedLanguages:
    """The words and unit vectors of both languages of a mapping, and its reranker if it has one."""

    source_words: Sequence[str]
    source: UnitVectors
    target_words: Sequence[str]
    target: UnitVectors
    reranker: Reranker | None = None


class Retriever(Part):
    """Base class of retrievers; a retriever must define `retrieve`, or `search` if it reads words.

    `settings` must name every option that can change a rank, and no other. `gives_probabilities`
    says that a score is the probability that the candidate is right.
    """

    __slots__ = ()

    family: ClassVar[str] = "retrieval"
    gives_probabilities: ClassVar[bool] = False

    def check_languages(self, languages: MappedLanguages) -> None:
        """Raise an error before any search if the retriever cannot be used on these languages."""

    def settings_for(self, languages: MappedLanguages) -> Settings:
        """Return the settings that decide the ranks, with those that come from the mapping."""
        return self.settings(Context())

    def search(
        self, queries: RowNumbers, languages: MappedLanguages, k: int, workers: int | None = None
    ) -> Neighbors:
        """Return the best `k` target words for rows of the source."""
        return self.retrieve(queries, languages.source, languages.target, k, workers)

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the best `k` rows of `target` for each of the rows `source[queries]`.

        `source` and `target` are the unit vectors of both whole vocabularies in the common space,
        because hubness is a property of a word among all words of the other language. `workers` is
        the number of threads; it does not change the result.
        """
        raise NotImplementedError


RETRIEVERS: Registry[Retriever] = Registry("retrievers", __name__)
