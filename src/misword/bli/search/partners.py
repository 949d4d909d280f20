"""The best partner of each word, from candidates that were chosen by estimates of hubness terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.kernels import best_candidates, best_kept
from misword.bli.search.pair_dropout import ALL_PAIRS
from misword.bli.search.product_scan import WordResults
from misword.core.workers import row_blocks, run

ROWS = 256  # rows that are multiplied with all others at a time


@dataclass(frozen=True, slots=True, eq=False)
class PartnerSearch:
    """The choice of partners in one direction: for each of `rows`, one of `others`.

    The score of a partner is the dot product minus its penalty. `key` and `limit` decide which
    pairs dropout keeps. `slack` is by how much rounding may change a score.
    """

    rows: Float32Array
    others: Float32Array
    penalties: Float32Array
    key: int
    limit: int
    slack: float

    def best(
        self, results: WordResults, estimates: Float32Array, workers: int | None = None
    ) -> tuple[RowNumbers, RowNumbers]:
        """Return the kept partner with the greatest score, of equal scores the first.

        `results` has candidates with scores in which `estimates` stand for the penalties. The
        score of another partner is at most the bar of the word plus the greatest difference between
        an estimate and a penalty. A word whose best candidate does not exceed that is compared with
        all others; the numbers of these words are returned too. A word all of whose pairs are
        dropped gets the best of all.
        """
        ids, scores = np.empty(len(self.rows), np.int64), np.empty(len(self.rows), np.float32)
        candidates = results.scores, results.partners, results.bars

        def work(lo: int, hi: int) -> None:
            best_candidates(
                self.rows, self.others, self.penalties, candidates, lo, hi, (ids, scores)
            )

        run(work, np.ones(len(ids), np.int64), workers)
        others_reach = results.bars + ((estimates - self.penalties).max() + self.slack)
        unproven = np.flatnonzero(~(scores > others_reach))
        ids[unproven] = self._best_of_all(unproven, self.limit, workers)
        dropped = np.flatnonzero(ids < 0)
        ids[dropped] = self._best_of_all(dropped, ALL_PAIRS, workers)
        return ids, unproven

    def _best_of_all(self, numbers: RowNumbers, limit: int, workers: int | None) -> RowNumbers:
        """Return the best partner of some rows among all kept pairs; -1 where there is none."""
        ids = np.empty(len(numbers), np.int64)

        def work(lo: int, hi: int) -> None:
            block = numbers[lo:hi]
            products = self.rows[block] @ self.others.T
            ids[lo:hi] = best_kept(
                products, self.rows, block, self.others, self.penalties, self.slack,
                (self.key, limit),
            )  # fmt: skip

        row_blocks(work, len(numbers), ROWS, workers)
        return ids
