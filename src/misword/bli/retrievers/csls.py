"""Cross-domain similarity local scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.hubness import terms
from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.core.registry import options_of

BLOCK = 1024


@dataclass(frozen=True, slots=True)
class CSLS:
    """Twice the cosine, less how close query and target are to everything (`neighbors` of them).

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever csls`
    """

    NAME: ClassVar[str] = "csls"
    neighbors: int = 10

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return options_of(self)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = np.flatnonzero(target.any(axis=1))
        off = terms(target[real], source, self.neighbors, workers)
        own = terms(source[queries], target, self.neighbors, workers)
        k = min(k, len(real))
        ids, found = np.empty((len(queries), k), np.int64), np.empty((len(queries), k), np.float32)
        for lo in range(0, len(queries), BLOCK):
            cut = slice(lo, lo + BLOCK)
            scores = 2 * (source[queries[cut]] @ target[real].T) - own[cut, None] - off
            order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
            ids[cut], found[cut] = real[order], np.take_along_axis(scores, order, 1)
        return Neighbors(ids, found)
