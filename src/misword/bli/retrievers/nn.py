"""The plain nearest neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.bli.search.backends import Backend, check, nearest_by
from misword.bli.search.tiles import with_vectors


@dataclass(frozen=True, slots=True)
class NN:
    """The targets with the greatest cosine.

    Known problems: in a space of many dimensions some words, hubs, are near to everything and come
    out as the translation of everything (Dinu et al. 2015). The other retrievers answer that.

    `backend` says who multiplies: numpy, faiss or torch (see `bli.backends`); it decides no rank.

    Example: `misword translate en-fr.map --words words.txt --retriever nn`
    """

    name: ClassVar[str] = "nn"
    backend: Backend = "numpy"

    def __post_init__(self) -> None:
        check(self.backend)

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank: nothing but the vectors."""
        return ()

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = with_vectors(target)
        ids, scores = nearest_by(self.backend, source[queries], target[real], k, workers)
        return Neighbors(real[ids], scores)
