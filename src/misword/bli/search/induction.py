"""Dictionary induction: the best translation of each word of two mapped spaces, both directions.

VecMap's self-learning repeats it in each iteration (Artetxe et al. 2018b, section 3.3):
bidirectional, with CSLS, and with random dropout of pairs. MUSE's refinement uses it without
dropout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers, RowPairs
from misword.bli.search.hubness import hubness_of_lists, hubness_of_vectors
from misword.bli.search.pair_dropout import dropout_keys
from misword.bli.search.partners import PartnerSearch
from misword.bli.search.product_scan import ROOM, CandidateSearch, Estimates, WordResults, scan
from misword.bli.search.tiles import only_vectors

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
    `keep`, by `pair_dropout`, with row numbers that count only the rows with a vector. Of equal
    scores the first row is taken. Workers and `earlier` change nothing in the result.

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
