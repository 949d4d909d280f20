"""Retrievers: rank the words of the target language as translations of a source word.

Every retriever is exact: it skips only products that are proven not to change the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowNumbers
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry

__all__ = ["RETRIEVERS", "Neighbors", "Retriever", "RowNumbers", "Scores", "UnitVectors"]

HERE = "misword.bli.retrievers"

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


class Retriever(Part):
    """Base class of retrievers; a retriever must define `retrieve`.

    `settings` must name every option that can change a rank, and no other.
    """

    __slots__ = ()

    family: ClassVar[str] = "retrieval"

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


RETRIEVERS: Registry[Retriever] = Registry(
    "retrievers",
    {
        "csls": Entry(f"{HERE}.csls:CSLS"),
        "inverted-nn": Entry(f"{HERE}.inverted_nn:InvertedNN"),
        "inverted-softmax": Entry(f"{HERE}.inverted_softmax:InvertedSoftmax"),
        "nn": Entry(f"{HERE}.nn:NN"),
    },
)
