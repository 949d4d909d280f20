"""The plain nearest neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.core.registry import options_of
from misword.embed.neighbors import blocks, nearest


@dataclass(frozen=True, slots=True)
class NN:
    """The targets with the greatest cosine.

    Known problems: in a space of many dimensions some words, hubs, are near to everything and come
    out as the translation of everything (Dinu et al. 2015). The other retrievers answer that.

    Example: `misword translate en-fr.map --words words.txt --retriever nn`
    """

    NAME: ClassVar[str] = "nn"

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = np.flatnonzero(target.any(axis=1))
        ids, scores = nearest(source[queries], blocks(target[real]), k, workers)
        return Neighbors(real[ids], scores)
