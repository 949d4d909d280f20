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
from misword.bli.mapping import Record
from misword.bli.methods import State, TrainingRun
from misword.bli.methods.linear import mapped_units, rotation
from misword.bli.retrievers.csls import CSLS
from misword.bli.spaces import Space
from misword.core.parts.option_checks import check_at_least

Direction = Literal["S2T", "T2S", "S2T&T2S", "S2T|T2S"]


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

    def hit(self, gold: RowPairs) -> float:
        """Return hit@1 by CSLS on gold pairs, whose source words must be among the first words."""
        queries = np.unique(gold[:, 0])
        found = np.column_stack([queries, self.best[queries]])
        return float(np.isin(_codes(found), _codes(gold)).mean())

    def pairs(self, rank: int) -> RowPairs:
        """Return the pairs of a word and its best target, both among the first `rank`."""
        best = self.best[:rank]
        rows = np.flatnonzero((best >= 0) & (best < rank))
        return np.column_stack([rows, best[rows]])


def _codes(pairs: RowPairs) -> RowNumbers:
    """Return one number for each pair of rows."""
    return (pairs[:, 0] << 32) + pairs[:, 1]


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
    held_out: RowPairs | None = None,
) -> Float32Array:
    """Refine a rotation; returns the best of all rotations, the first included.

    The best rotation has the highest hit@1 on the validation lexicon, else on the pairs that were
    held out of the training, else the highest mean cosine. `pairs` is the number of pairs that the
    first rotation was learnt from. `saved` is a state that this function saved in an interrupted
    training.
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
        record: Record = {
            "refinement": state["refinement"], "pairs": state["pairs"], "mean cosine": cosine,
        }  # fmt: skip
        value = cosine
        if held_out is not None:
            value = record["hit@1 held out"] = forward.hit(held_out)
        hit = run.report(record, state["matrix"], identity)
        value = value if hit is None else hit
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
