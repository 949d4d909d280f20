"""Retrievers: which words of the other language are nearest, and by what measure.

All are exact: what is skipped is proven not to matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.registry import Entry, Registry

__all__ = ["RETRIEVERS", "Matrix", "Neighbors", "Retriever", "Rows"]

HERE = "misword.bli.retrievers"

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """For each query the row numbers of its best targets and their scores, best first.

    Equal scores are in the order of the rows. There are as many columns as were asked for, or as
    there are targets with a vector: a row of zeros is nobody's neighbour.
    """

    ids: Rows
    scores: Matrix


class Retriever(Protocol):
    """Ranks targets for queries. A part is a frozen dataclass whose fields are its options."""

    name: ClassVar[str]

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank, for a signature."""
        ...

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` rows of `target` for the rows `source[queries]`.

        `source` and `target` are the unit vectors of both whole vocabularies in one space: hubness
        is a matter of all of them.
        """
        ...


RETRIEVERS: Registry[Retriever] = Registry(
    "retrievers",
    {
        "csls": Entry(f"{HERE}.csls:CSLS"),
        "inverted-nn": Entry(f"{HERE}.inverted:InvertedNN"),
        "inverted-softmax": Entry(f"{HERE}.inverted:InvertedSoftmax"),
        "nn": Entry(f"{HERE}.nn:NN"),
    },
)
