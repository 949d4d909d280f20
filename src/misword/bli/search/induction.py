"""Dictionary induction: the best translation of each word of two mapped spaces, both directions.

VecMap's self-learning repeats it in each iteration (Artetxe et al. 2018b, section 3.3):
bidirectional, with CSLS, and with random dropout of pairs. MUSE's refinement uses it without
dropout. The best partner of a word is found among candidates that were chosen by estimates of
hubness terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers, RowPairs
from misword.bli.search.hubness import hubness_of_lists, hubness_of_vectors
from misword.bli.search.kernels import best_candidates, best_kept
from misword.bli.search.products import (
    ALL_PAIRS,
    ROOM,
    CandidateSearch,
    Estimates,
    WordResults,
    dropout_keys,
    only_vectors,
    scan,
)
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


# For vectors of length one: candidates have scores less than this below the best. Half the hubness
# term of nearly every word changes by less from one iteration of self-learning to the next.
MARGIN = 0.04
ROUNDING = 2.0**-24  # the greatest relative error of a float32


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """The best target of each source row (`forward`), the best source of each target row.

    Rows of zeros have -1. `objective` is the mean, over the words of both sides, of the greatest
    cosine of each word, without hubness terms and without dropout. `estimates` are for the next
    iteration; they are those of the rows with a vector.
    """

    forward: RowNumbers
    backward: RowNumbers
    objective: float
    estimates: Estimates


def induce(
    source: Float32Array,
    target: Float32Array,
    *,
    csls: int = 10,
    keep: float = 1.0,
    seed: int = 0,
    iteration: int = 0,
    workers: int | None = None,
    earlier: Estimates | None = None,
) -> Induced:
    """Return the best partner of each word among the pairs that dropout keeps.

    The score of a partner is its cosine minus half its hubness term (the rank is that of CSLS,
    since the word's own term is the same for all partners). The hubness term is the mean of the
    `csls` greatest cosines; with 0 the score is the cosine. Each pair is kept with probability
    `keep`, by the hash of `dropout_keys`, with row numbers that count only the rows with a vector.
    Of equal scores the first row is taken. The result does not depend on `workers` and `earlier`.

    The released VecMap multiplies the score of a dropped pair by 0, so that it is better than all
    negative scores. Here a dropped pair is never taken, except that a word all of whose pairs are
    dropped gets the best of all.

    `earlier` are the estimates of an earlier result, for the same words in a similar mapping: one
    pass over the cosines computes the hubness terms and finds candidates for the partners. A word
    whose best candidate is not proven to be the best partner is compared with all words again.
    Without `earlier`, a pass of its own computes the terms first.
    """
    forward, backward = np.full(len(source), -1), np.full(len(target), -1)
    (x, source_rows), (z, target_rows) = only_vectors(source), only_vectors(target)
    if earlier is None:
        earlier = _first_estimates(x, z, csls, workers)
    if not len(x) or not len(z):
        return Induced(forward, backward, 0.0, earlier)
    greatest_product = _greatest_length(x) * _greatest_length(z)
    margin, keys = MARGIN * greatest_product, dropout_keys(keep, seed, iteration)
    results = scan(x, z, max(csls, 1), CandidateSearch(earlier, margin, keys), workers)
    hubness = hubness_of_lists(results[0].lists, results[1].lists)
    share = np.float32(0.5 if csls else 0)
    penalties = hubness.source * share, hubness.target * share
    # Two sums of the same products, in different orders, differ by less.
    slack = 2 * (x.shape[1] + 8) * ROUNDING * greatest_product
    partners, bars = [], []
    for own, other in ((0, 1), (1, 0)):
        key, limit = int(keys[own]), int(keys[2])
        search = PartnerSearch((x, z)[own], (x, z)[other], penalties[other], key, limit, slack)
        ids, unproven = search.best(results[own], earlier.halves[other], workers)
        partners.append(ids)
        bars.append(_next_bars(results[own], earlier.bars[own], margin, unproven))
    forward[source_rows], backward[target_rows] = (
        target_rows[partners[0]],
        source_rows[partners[1]],
    )
    best = hubness.best_source.mean(dtype=np.float64) + hubness.best_target.mean(dtype=np.float64)
    return Induced(forward, backward, float(best / 2), Estimates(penalties, (bars[0], bars[1])))


def induced_pairs(induced: Induced, direction: str) -> RowPairs:
    """Return an induced dictionary as pairs of rows.

    In a union, pairs that are best in both directions stand there twice, and so have more weight.
    """
    forward = np.column_stack([np.arange(len(induced.forward)), induced.forward])
    backward = np.column_stack([induced.backward, np.arange(len(induced.backward))])
    parts = {"forward": [forward], "backward": [backward], "union": [forward, backward]}[direction]
    pairs = np.concatenate(parts)
    return pairs[(pairs >= 0).all(axis=1)]


def _first_estimates(x: Float32Array, z: Float32Array, csls: int, workers: int | None) -> Estimates:
    """Return estimates for a search without an earlier one: the exact hubness terms."""
    nothing = Estimates.constant(len(x), len(z), -np.inf)
    if not csls:
        return nothing
    terms, half = hubness_of_vectors(x, z, csls, workers), np.float32(0.5)
    return Estimates((terms.source * half, terms.target * half), nothing.bars)


def _next_bars(
    results: WordResults, bars: Float32Array, margin: float, unproven: RowNumbers
) -> Float32Array:
    """Return bars at which the search of the next iteration begins.

    A bar is the score of the last of `ROOM` candidates, less the margin: of the partners that
    exceed it, the next dropout keeps about as many. A word with fewer candidates keeps its bar,
    and a word without a proven partner gets none.
    """
    last = np.partition(results.scores, -ROOM, axis=1)[:, -ROOM]
    following = np.where(last > -np.inf, last - np.float32(margin), bars)
    following[unproven] = -np.inf
    return following


def _greatest_length(rows: Float32Array) -> float:
    """Return the length of the longest row."""
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max()))
