"""Cross-domain similarity local scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.retrievers import Matrix, Neighbors, Rows
from misword.bli.search.backends import Backend, check, nearest_by
from misword.bli.search.hubness import hubness_terms, row_means
from misword.bli.search.hubness_bounds import lower_bounds
from misword.bli.search.pruned_hubness import PrunedHubness
from misword.bli.search.ranking import Ranked, cosines, ranked
from misword.bli.search.tiles import with_vectors
from misword.core.errors import OptionError

NARROW_FROM = 1 << 24  # pairs of words from which bounds are worth their while
SPARE = 32  # candidates beyond twice what is asked for, at first
SLACK = np.float32(1e-5)  # by which rounding may move a value


@dataclass(frozen=True, slots=True)
class CSLS:
    """Twice the cosine, less how close query and target are to everything.

    score(i, j) = 2 s(i, j) - r(i) - r(j), where r is the mean of the `neighbors` greatest cosines
    of a word with all words of the other language. Hubs, near to everything, come down.

    r(j) is computed only for targets that can be among the best: a lower bound of it makes an upper
    bound of the score. The result is that of the full computation, but for the order of
    scores that are equal within rounding (a few units in the seventh digit).

    `backend` says who multiplies (see `bli.backends`): faiss or torch compute all terms.

    Known problems: r depends on both vocabularies, so a rank moves with the number of words loaded.

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, section 2.3.

    Example: `misword translate en-fr.map --words words.txt --retriever csls`
    """

    name: ClassVar[str] = "csls"
    neighbors: int = 10
    backend: Backend = "numpy"

    def __post_init__(self) -> None:
        check(self.backend)
        if self.neighbors < 1:
            raise OptionError(f"{self.neighbors} neighbours", fix="use 1 or more; 10 is usual")

    def settings(self) -> tuple[tuple[str, str], ...]:
        """What decides a rank."""
        return (("neighbors", str(self.neighbors)),)

    def retrieve(
        self, queries: Rows, source: Matrix, target: Matrix, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of each query."""
        real = with_vectors(target)
        sides = source[queries], source[with_vectors(source)], target[real]
        k = min(k, len(real))
        if self.backend == "numpy":
            ids, scores = _Search(*sides, self.neighbors, workers).best(k)
        else:
            ids, scores = self._full(*sides, k, workers)
        return Neighbors(real[ids], scores)

    def _full(
        self, asked: Matrix, source: Matrix, target: Matrix, k: int, workers: int | None
    ) -> tuple[Rows, Matrix]:
        """All terms, by another backend: half of each is one more dimension of the vectors."""
        own, off = (
            row_means(nearest_by(self.backend, rows, others, self.neighbors, workers)[1])
            for rows, others in ((asked, target), (target, source))
        )
        queries = np.column_stack([asked, np.full(len(asked), -0.5, np.float32)])
        ids, half = nearest_by(self.backend, queries, np.column_stack([target, off]), k, workers)
        return ids, 2 * half - own[:, None]


class _Search:
    """What is known of the hubness of targets, and how more of it is found out.

    The value of a target is its cosine less half its term: half the score, but for the query's own
    term. With a lower bound of the term it is an upper bound.
    """

    def __init__(
        self, asked: Matrix, source: Matrix, target: Matrix, neighbors: int, workers: int | None
    ) -> None:
        self.asked, self.source, self.target = asked, source, target
        self.neighbors, self.workers = neighbors, workers
        self.half = np.full(len(target), np.nan, np.float32)  # of the terms that are known
        self.bars = self.half  # what the last of a target's neighbours has at least
        self.shadow: PrunedHubness | None = None

    def best(self, k: int) -> tuple[Rows, Matrix]:
        """The best targets of all queries, and their scores."""
        size, pairs = len(self.target), len(self.source) * len(self.target)
        if pairs < NARROW_FROM or len(self.asked) * k > 2 * size:
            self._learn(np.arange(size))
        less = self.half if np.isfinite(self.half).all() else self._bounds()
        ids, values = np.zeros((len(self.asked), k), np.int64), np.zeros((len(self.asked), k))
        own = np.zeros(len(self.asked), np.float32)
        rows, width = np.arange(len(self.asked)), min(2 * k + SPARE, size)
        while len(rows) and k:
            found = ranked(self.asked[rows], self.target, less, width, self.neighbors, self.workers)
            own[rows] = found.cosines.mean(axis=1, dtype=np.float64)
            ids[rows], values[rows], proven = self._exact(self.asked[rows], found, k)
            rows, width = rows[~proven], min(4 * width, size)
        scores = (2 * values - own[:, None]).astype(np.float32)
        return _sorted(ids, scores, k)

    def _exact(
        self, asked: Matrix, found: Ranked, k: int
    ) -> tuple[Rows, Matrix, NDArray[np.bool_]]:
        """The best `k` candidates by exact values, these, and whether no other can be better.

        The candidates that look best tell which value is enough; then the terms of all that may
        exceed it are computed.
        """
        near = cosines(asked, self.target, found.ids)
        self._learn(found.ids[:, :k])
        enough = self._values(near, found.ids, k)[1][:, -1:] - SLACK
        self._learn(found.ids[found.values >= enough])
        ids, values = self._values(near, found.ids, k)
        whole = found.ids.shape[1] == len(self.target)
        return ids, values, (found.values[:, -1] < values[:, -1] - SLACK) | whole

    def _values(self, near: Matrix, ids: Rows, k: int) -> tuple[Rows, Matrix]:
        """The best `k` among the candidates whose term is known."""
        values = near - self.half[ids]
        return _sorted(ids, np.where(np.isnan(values), np.float32(-np.inf), values), k)

    def _learn(self, ids: Rows) -> None:
        """Compute the terms of these targets, unless they are known."""
        new = np.unique(ids)
        new = new[np.isnan(self.half[new])]
        rows = self.target[new]
        if self.shadow:
            found = self.shadow.terms(rows, self.bars[new], self.neighbors, self.workers)
        else:
            found = hubness_terms(rows, self.source, self.neighbors, self.workers)
        self.half[new] = found / 2

    def _bounds(self) -> Matrix:
        """Half of the least that the terms can be."""
        bounds, self.bars = lower_bounds(self.target, self.source, self.neighbors, self.workers)
        self.shadow = PrunedHubness(self.target, self.source)
        return bounds * np.float32(0.5)


def _sorted(ids: Rows, scores: Matrix, k: int) -> tuple[Rows, Matrix]:
    """The best `k` of each row, equal ones in the order of their numbers."""
    order = np.lexsort((ids, -scores), axis=1)[:, :k]
    return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)
