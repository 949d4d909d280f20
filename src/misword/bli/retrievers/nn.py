"""Nearest neighbours by cosine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.bli.retrievers import Neighbors, Retriever, RowNumbers, UnitVectors
from misword.bli.search.backends import Backend, check_backend, nearest_by
from misword.bli.search.tiles import with_vectors
from misword.core.context import Context
from misword.core.parts.contract import Settings


@dataclass(frozen=True, slots=True)
class NN(Retriever):
    """The targets with the greatest cosine.

    Known problems: in a space of many dimensions some words, called hubs, are near to very many
    words, so that they are retrieved for very many queries (Dinu et al. 2015). The other retrievers
    correct this.

    `backend` is the library that multiplies the vectors: numpy, faiss or torch (see
    `bli.search.backends`). It does not change the ranking.

    Example: `misword translate en-fr.map --words words.txt --retriever nn`
    """

    name: ClassVar[str] = "nn"
    title: ClassVar[str] = "nearest neighbour"

    backend: Backend = "numpy"

    def __post_init__(self) -> None:
        check_backend(self.backend)

    def settings(self, context: Context) -> Settings:
        """No option changes a rank: empty."""
        return ()

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the `k` targets with the greatest cosine for each query."""
        target_rows = with_vectors(target)
        ids, scores = nearest_by(self.backend, source[queries], target[target_rows], k, workers)
        return Neighbors(target_rows[ids], scores)
