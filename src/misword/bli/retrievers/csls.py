"""Cross-domain similarity local scaling (CSLS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.retrievers import Neighbors, Retriever, RowNumbers, Scores, UnitVectors
from misword.bli.search.hubness import PrunedHubness, hubness_terms, lower_bounds, row_means
from misword.bli.search.products import with_vectors
from misword.bli.search.ranking import Backend, Ranked, check_backend, cosines, nearest_by, ranked
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings

BOUNDS_FROM = 1 << 24  # pairs of words from which computing bounds is faster than all hubness
SPARE_CANDIDATES = 32  # candidates beyond 2 k in the first round
TOLERANCE = np.float32(1e-5)  # greater than any rounding error of a value


@dataclass(frozen=True, slots=True)
class CSLS(Retriever):
    """Twice the cosine, less the hubness of the query and of the target.

    score(i, j) = 2 s(i, j) - r(i) - r(j), where s is the cosine and the hubness r is the mean of
    the `neighbors` greatest cosines of a word with all words of the other language. The scores of
    hubs, words that are near to very many words, are lowered.

    r(j) is computed only for targets that can be among the best k: a lower bound of r(j) gives an
    upper bound of the score. The result is that of the full computation, except for the order of
    scores that are equal within rounding (a few units in the seventh digit).

    `backend` is the library that multiplies the vectors (see `bli.search.ranking`); with faiss
    and torch the hubness of all targets is computed.

    Known problems: r depends on both vocabularies, so ranks change with the number of words loaded.

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever csls`
    """

    name: ClassVar[str] = "csls"
    title: ClassVar[str] = "CSLS"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)

    neighbors: int = 10
    backend: Backend = "numpy"

    def __post_init__(self) -> None:
        check_backend(self.backend)
        if self.neighbors < 1:
            raise OptionError(f"{self.neighbors} neighbours", fix="use 1 or more; 10 is usual")

    def settings(self, context: Context) -> Settings:
        """Return `neighbors`; the backend does not change a rank."""
        return (("neighbors", str(self.neighbors)),)

    def retrieve(
        self,
        queries: RowNumbers,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None = None,
    ) -> Neighbors:
        """Return the `k` targets with the greatest score for each query."""
        target_rows = with_vectors(target)
        vectors = source[queries], source[with_vectors(source)], target[target_rows]
        k = min(k, len(target_rows))
        if self.backend == "numpy":
            ids, scores = _BoundedSearch(*vectors, self.neighbors, workers).best(k)
        else:
            ids, scores = self._full_search(*vectors, k, workers)
        return Neighbors(target_rows[ids], scores)

    def _full_search(
        self,
        queries: UnitVectors,
        source: UnitVectors,
        target: UnitVectors,
        k: int,
        workers: int | None,
    ) -> tuple[RowNumbers, Scores]:
        """Rank with the hubness of all targets, computed by another backend.

        Without the query's own hubness, half the score is one inner product: the target's hubness
        is one more dimension of the target vectors, and every query has -0.5 in that dimension.
        """
        query_hubness, target_hubness = (
            row_means(nearest_by(self.backend, rows, others, self.neighbors, workers)[1])
            for rows, others in ((queries, target), (target, source))
        )
        queries = np.column_stack([queries, np.full(len(queries), -0.5, np.float32)])
        targets = np.column_stack([target, target_hubness])
        ids, half_scores = nearest_by(self.backend, queries, targets, k, workers)
        return ids, 2 * half_scores - query_hubness[:, None]


class _BoundedSearch:
    """CSLS that computes the hubness of a target only where a bound does not rule the target out.

    The value of a target for a query is its cosine minus half its hubness. This is half the score
    without the query's own hubness, which does not change the ranking. With a lower bound of the
    hubness the same formula gives an upper bound of the value.
    """

    def __init__(
        self,
        queries: UnitVectors,
        source: UnitVectors,
        target: UnitVectors,
        neighbors: int,
        workers: int | None,
    ) -> None:
        self.queries, self.source, self.target = queries, source, target
        self.neighbors, self.workers = neighbors, workers
        # Half the hubness of each target; nan until it is computed.
        self.half_hubness = np.full(len(target), np.nan, np.float32)
        # A lower bound of the cosine with the last of each target's nearest neighbours.
        self.last_cosine_bounds = self.half_hubness
        self.pruned: PrunedHubness | None = None

    def best(self, k: int) -> tuple[RowNumbers, Scores]:
        """Return the best `k` targets of all queries, and their scores.

        Each round ranks more candidates by their upper bounds, for the queries that the round
        before could not prove.
        """
        shape, size = (len(self.queries), k), len(self.target)
        if len(self.source) * size < BOUNDS_FROM or len(self.queries) * k > 2 * size:
            self._compute_hubness(np.arange(size))
        all_computed = np.isfinite(self.half_hubness).all()
        penalties = self.half_hubness if all_computed else self._half_lower_bounds()
        ids, values = np.zeros(shape, np.int64), np.zeros(shape)
        query_hubness = np.zeros(len(self.queries), np.float32)
        open_rows, width = np.arange(len(self.queries)), min(2 * k + SPARE_CANDIDATES, size)
        while len(open_rows) and k:
            queries = self.queries[open_rows]
            candidates = ranked(
                queries, self.target, penalties, width, self.neighbors, self.workers
            )
            query_hubness[open_rows] = candidates.cosines.mean(axis=1, dtype=np.float64)
            ids[open_rows], values[open_rows], proven = self._exact(queries, candidates, k)
            open_rows, width = open_rows[~proven], min(4 * width, size)
        scores = (2 * values - query_hubness[:, None]).astype(np.float32)
        return _best_of_each_row(ids, scores, k)

    def _exact(
        self, queries: UnitVectors, candidates: Ranked, k: int
    ) -> tuple[RowNumbers, Scores, NDArray[np.bool_]]:
        """Return the best `k` candidates, their exact values, and which queries are proven.

        The `k` candidates with the greatest upper bounds give a value that the best k reach at
        least. Then the hubness of every candidate whose upper bound exceeds that value is computed.
        A query is proven if no target beyond its candidates can be better.
        """
        candidate_cosines = cosines(queries, self.target, candidates.ids)
        self._compute_hubness(candidates.ids[:, :k])
        reached = self._best_values(candidate_cosines, candidates.ids, k)[1][:, -1:] - TOLERANCE
        self._compute_hubness(candidates.ids[candidates.values >= reached])
        ids, values = self._best_values(candidate_cosines, candidates.ids, k)
        all_targets = candidates.ids.shape[1] == len(self.target)
        return ids, values, (candidates.values[:, -1] < values[:, -1] - TOLERANCE) | all_targets

    def _best_values(
        self, candidate_cosines: Scores, ids: RowNumbers, k: int
    ) -> tuple[RowNumbers, Scores]:
        """Return the best `k` among the candidates whose hubness is computed, and their values."""
        values = candidate_cosines - self.half_hubness[ids]
        return _best_of_each_row(ids, np.where(np.isnan(values), np.float32(-np.inf), values), k)

    def _compute_hubness(self, ids: RowNumbers) -> None:
        """Compute the hubness of these targets, where it is not computed yet."""
        new = np.unique(ids)
        new = new[np.isnan(self.half_hubness[new])]
        rows = self.target[new]
        if self.pruned:
            bounds = self.last_cosine_bounds[new]
            hubness = self.pruned.terms(rows, bounds, self.neighbors, self.workers)
        else:
            hubness = hubness_terms(rows, self.source, self.neighbors, self.workers)
        self.half_hubness[new] = hubness / 2

    def _half_lower_bounds(self) -> Scores:
        """Return half of a lower bound of each target's hubness, and prepare pruning."""
        bounds, self.last_cosine_bounds = lower_bounds(
            self.target, self.source, self.neighbors, self.workers
        )
        self.pruned = PrunedHubness(self.target, self.source)
        return bounds * np.float32(0.5)


def _best_of_each_row(ids: RowNumbers, scores: Scores, k: int) -> tuple[RowNumbers, Scores]:
    """Return the best `k` of each row, best first; equal scores are in the order of the ids."""
    order = np.lexsort((ids, -scores), axis=1)[:, :k]
    return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)
