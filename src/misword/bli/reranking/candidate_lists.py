"""Lists of candidates by CSLS, with what the search in the other direction says of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowNumbers
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.hubness import hubness_terms
from misword.bli.search.ranking import cosines

CANDIDATES = 30  # of a list
BACK_CANDIDATES = 10  # of the search in the other direction


@dataclass(frozen=True, slots=True, eq=False)
class CandidateLists:
    """For each query its best targets by CSLS; arrays have a row for each query.

    `queries` are rows of the source, `ids` rows of the target. `scores` are those of CSLS,
    `source_hubness` (one column) and `target_hubness` their hubness terms. `back_ranks` is the rank
    of the query among the candidates of the target in the other direction, 11 if it is not among
    the first 10. `back_best` is the score of the first candidate in that direction.
    """

    queries: RowNumbers
    ids: RowNumbers
    scores: Float64Array
    source_hubness: Float64Array
    target_hubness: Float64Array
    back_ranks: RowNumbers
    back_best: Float64Array

    @classmethod
    def find(
        cls,
        queries: RowNumbers,
        source: Float32Array,
        target: Float32Array,
        size: int,
        workers: int | None = None,
    ) -> CandidateLists:
        """Retrieve `size` candidates for each query, or all targets with a vector if fewer."""
        retriever = CSLS()
        found = retriever.retrieve(queries, source, target, size, workers)
        scores = found.scores.astype(np.float64)
        of_query = hubness_terms(source[queries], target, retriever.neighbors, workers)
        source_hubness = of_query.astype(np.float64)[:, None]
        products = cosines(source[queries], target, found.ids).astype(np.float64)
        distinct, places = np.unique(found.ids, return_inverse=True)
        places = places.reshape(found.ids.shape)
        back = retriever.retrieve(distinct, target, source, BACK_CANDIDATES, workers)
        is_query = back.ids[places] == queries[:, None, None]
        ranks = np.where(is_query.any(axis=2), is_query.argmax(axis=2) + 1, BACK_CANDIDATES + 1)
        return cls(
            queries,
            found.ids,
            scores,
            source_hubness,
            2 * products - source_hubness - scores,
            ranks,
            back.scores[:, 0].astype(np.float64)[places],
        )

    def block(self, start: int, end: int) -> CandidateLists:
        """Return the lists of some of the queries."""
        return CandidateLists(
            *(getattr(self, name)[start:end] for name in self.__dataclass_fields__)
        )
