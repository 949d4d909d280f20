"""MUSE's refinement procedure: Procrustes on a dictionary of CSLS translations, repeated.

Conneau et al. 2018, section 2.2. The criterion that selects the best mapping without a lexicon is
that of section 3, "Validation criterion for unsupervised model selection": the mean cosine of the
CSLS translations of the most frequent words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowNumbers, RowPairs
from misword.bli.methods import State, TrainingRun
from misword.bli.methods.linear import nearest_orthogonal, rotation
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.induction import Induced, induce
from misword.bli.spaces import Space, scale_to_unit
from misword.core.parts.option_checks import check_at_least
from misword.core.workers import one_blas_thread, row_blocks

Direction = Literal["S2T", "T2S", "S2T&T2S", "S2T|T2S"]
BLOCK = 4096  # rows at a time, the same for any number of workers: the same bits


@dataclass(frozen=True, slots=True)
class RefinementOptions:
    """Options of the refinement, under the names they have in the presets.

    `refinements`: the number of iterations. `rank`: both words of a dictionary pair must be among
    the `rank` most frequent ones of their language (their neighbours and hubness terms are
    computed over the whole vocabularies). `csls`: the number of neighbours in the hubness terms.
    `dictionary`: which directions make the dictionary. `selection`: the number of most frequent
    words whose mean cosine is the selection criterion.
    """

    refinements: int
    rank: int
    csls: int
    dictionary: Direction
    selection: int

    def check(self) -> None:
        """Raise an error if an option is out of its range."""
        check_at_least(self, refinements=0, rank=1, csls=1, selection=1)


@dataclass(frozen=True, slots=True, eq=False)
class BestTargets:
    """The best target, by CSLS, of each of the first source words, and its cosine.

    A word without a vector (a row of zeros) has -1.
    """

    best: RowNumbers
    cosines: Float64Array

    def mean_cosine(self, words: int) -> float:
        """Return the mean cosine over the pairs of which both words are among the first `words`."""
        best, cosines = self.best[:words], self.cosines[:words]
        within = (best >= 0) & (best < words)
        return float(cosines[within].mean()) if within.any() else 0.0

    def pairs(self, rank: int) -> RowPairs:
        """Return the pairs of a word and its best target, both among the first `rank`."""
        best = self.best[:rank]
        rows = np.flatnonzero((best >= 0) & (best < rank))
        return np.column_stack([rows, best[rows]])


def mapped_units(
    rows: Float32Array, matrix: Float32Array | None, workers: int | None = None
) -> Float32Array:
    """Return rows times a matrix (None: the identity), scaled to length one."""
    width = rows.shape[1] if matrix is None else matrix.shape[1]
    units = np.empty((len(rows), width), np.float32)

    def work(lo: int, hi: int) -> None:
        if matrix is None:
            units[lo:hi] = rows[lo:hi]
        else:
            np.matmul(rows[lo:hi], matrix, out=units[lo:hi])
        scale_to_unit(units[lo:hi])

    row_blocks(work, len(rows), BLOCK, workers)
    return units


def best_targets(
    source: Float32Array, target: Float32Array, words: int, csls: int, workers: int | None = None
) -> BestTargets:
    """Return the best target of each of the first `words` rows of the source, by CSLS."""
    queries = np.flatnonzero(source[:words].any(axis=1))
    best, cosines = np.full(min(words, len(source)), -1), np.zeros(min(words, len(source)))
    neighbors = CSLS(csls).retrieve(queries, source, target, 1, workers)
    if neighbors.ids.shape[1]:
        best[queries] = neighbors.ids[:, 0]
        cosines[queries] = np.einsum(
            "ij,ij->i", source[queries], target[best[queries]], dtype=np.float64
        )
    return BestTargets(best, cosines)


def dictionary_pairs(
    forward: BestTargets, backward: BestTargets | None, rank: int, direction: Direction
) -> RowPairs:
    """Return the dictionary: the pairs of one direction, of both (`&`), or of either (`|`)."""
    if direction == "S2T" or backward is None:
        return forward.pairs(rank)
    reverse = backward.pairs(rank)[:, ::-1]
    if direction == "T2S":
        return reverse
    joined = np.concatenate([forward.pairs(rank), reverse])
    pairs, times = np.unique(joined, axis=0, return_counts=True)
    return pairs if direction == "S2T|T2S" else pairs[times == 2]


def refine(
    source: Space,
    target: Space,
    matrix: Float32Array,
    pairs: int,
    options: RefinementOptions,
    run: TrainingRun,
    saved: State | None = None,
) -> Float32Array:
    """Refine a rotation; returns the best of all rotations, the first included.

    The best rotation has the highest hit@1 on the validation lexicon, or the highest mean cosine if
    there is no validation lexicon. `pairs` is the number of pairs that the first rotation was
    learnt from. `saved` is a state that this function saved in an interrupted training.
    """
    identity = np.eye(target.dimension, dtype=np.float32)
    state: State = saved or {
        "refinement": 0, "pairs": pairs, "matrix": matrix, "best": matrix, "value": -np.inf,
    }  # fmt: skip
    target_units = mapped_units(target.rows, None, run.workers)
    while True:
        source_units = mapped_units(source.rows, state["matrix"], run.workers)
        last = state["refinement"] == options.refinements
        words = max(options.selection, 0 if last else options.rank)
        forward = best_targets(source_units, target_units, words, options.csls, run.workers)
        cosine = forward.mean_cosine(options.selection)
        record = {
            "refinement": state["refinement"], "pairs": state["pairs"], "mean cosine": cosine,
        }  # fmt: skip
        hit = run.report(record, state["matrix"], identity)
        value = cosine if hit is None else hit
        if value > state["value"]:
            state = {**state, "best": state["matrix"], "value": value}
        if last:
            break
        dictionary = _dictionary(source_units, target_units, forward, options, run.workers)
        if not len(dictionary):
            break  # nothing to learn from: the best rotation so far is the result
        state = {
            **state,
            "refinement": state["refinement"] + 1,
            "pairs": len(dictionary),
            "matrix": rotation(source, target, dictionary),
        }
        run.save(state)
    return np.asarray(state["best"])


def _dictionary(
    source_units: Float32Array,
    target_units: Float32Array,
    forward: BestTargets,
    options: RefinementOptions,
    workers: int | None,
) -> RowPairs:
    """Return the next dictionary; the backward translations are computed only if it needs them."""
    backward = None
    if options.dictionary != "S2T":
        backward = best_targets(target_units, source_units, options.rank, options.csls, workers)
    return dictionary_pairs(forward, backward, options.rank, options.dictionary)


def agreement(
    source: Space,
    target: Space,
    matrix: Float32Array,
    options: RefinementOptions,
    workers: int | None = None,
) -> float:
    """Return the share of frequent words that are the translation of their own translation.

    Only the `selection` most frequent words of each language are compared.
    """
    induced = _induce_frequent(source, target, matrix, options, workers)
    translated = np.flatnonzero(induced.forward >= 0)
    back = induced.backward[induced.forward[translated]]
    return float(np.count_nonzero(back == translated) / max(len(translated), 1))


def chance_agreement(
    source: Space,
    target: Space,
    options: RefinementOptions,
    seed: int,
    workers: int | None = None,
) -> float:
    """Return the agreement of a random rotation after refinement, for comparison.

    Refinement raises the agreement of any rotation, so a random one is refined as often.
    """
    normal = np.random.default_rng(seed).standard_normal((source.dimension, source.dimension))
    with one_blas_thread():
        matrix = nearest_orthogonal(normal).astype(np.float32)
    for _ in range(options.refinements):
        forward = _induce_frequent(source, target, matrix, options, workers).forward
        translated = np.flatnonzero(forward >= 0)
        matrix = rotation(source, target, np.column_stack([translated, forward[translated]]))
    return agreement(source, target, matrix, options, workers)


def _induce_frequent(
    source: Space,
    target: Space,
    matrix: Float32Array,
    options: RefinementOptions,
    workers: int | None,
) -> Induced:
    """Return the dictionaries of the most frequent words in both directions."""
    words = options.selection
    source_units = mapped_units(source.rows[:words], matrix, workers)
    target_units = mapped_units(target.rows[:words], None, workers)
    return induce(source_units, target_units, csls=options.csls, workers=workers)
