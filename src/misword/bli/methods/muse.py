"""MUSE (Conneau et al. 2018): from a lexicon, from identical words, or unsupervised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, Float64Array, RowNumbers, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Method, Seeding, State, TrainingRun
from misword.bli.methods.procrustes import mapped_units, rotation
from misword.bli.retrievers.csls import CSLS
from misword.bli.seeds import headword_folds
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.parts import check_at_least, check_between

# MUSE's refinement procedure: Procrustes on a dictionary of CSLS translations, repeated.
#
# Conneau et al. 2018, section 2.2. The criterion that selects the best mapping without a lexicon
# is that of section 3, "Validation criterion for unsupervised model selection": the mean cosine of
# the CSLS translations of the most frequent words.

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
            break  # without pairs nothing can be learnt: the best rotation so far is the result
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


# MUSE from a lexicon, or from the words that both languages write alike.

LEAST_HELD_OUT = 100  # words; fewer do not decide which rotation is better


@dataclass(frozen=True, slots=True)
class MuseS(Method):
    """Procrustes from a lexicon, then refinement with dictionaries that the mapping induces.

    A dictionary has the pairs of words that are each other's nearest by CSLS, both among the `rank`
    most frequent; the next rotation is learnt from it alone. The result is the best rotation of
    all, including the first. The best rotation has the greatest hit@1 on the validation lexicon.
    Without a validation lexicon, it has the greatest hit@1 by CSLS on pairs that are held out of
    the lexicon: those of a share `holdout` of its source words, drawn at random. If the first
    rotation is the best, it is learnt again from all pairs. With less than 100 held-out words, or
    `holdout=0`, the best rotation has the greatest mean cosine over the CSLS translations of the
    `selection` most frequent words, as in the paper.

    `dictionary`: S2T takes the best target of each source word, T2S the best source of each target
    word, `S2T&T2S` the pairs that are in both, `S2T|T2S` the pairs that are in either.

    Known problems: the released MUSE takes vectors as they are, which is `normalize=none`; long
    vectors then have more weight in the rotation, and between distant languages it may fail.
    Refinement is useless or harmful where the lexicon is large and the spaces are not much alike:
    the mean cosine does not show that, held-out pairs do. The released code selects the rotation by
    the test dictionary; this method never reads it.

    Example: `misword map en.vec fr.vec --method muse-s --lexicon train.txt -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-s"
    revision: ClassVar[int] = 2
    title: ClassVar[str] = "MUSE, supervised"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)
    seeding: ClassVar[Seeding] = "lexicon"

    refinements: int = 5
    rank: int = 10_000
    csls: int = 10
    dictionary: Direction = "S2T&T2S"
    selection: int = 10_000
    holdout: float = 0.2
    normalize: str = "unit+center+unit"

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range."""
        Method.check(self, context)
        check_between(self, holdout=(0, 0.5))
        self._refinement.check()

    @property
    def _refinement(self) -> RefinementOptions:
        return RefinementOptions(
            self.refinements, self.rank, self.csls, self.dictionary, self.selection
        )

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity."""
        is_held_out = self._held_out(seeds, run)
        learnt, held_out = seeds[~is_held_out], seeds[is_held_out]
        first = rotation(source, target, learnt)
        matrix = refine(
            source, target, first, len(learnt), self._refinement, run, run.saved_state(),
            held_out if len(held_out) else None,
        )  # fmt: skip
        if len(held_out) and np.array_equal(matrix, first):
            matrix = rotation(source, target, seeds)
        return MappingMatrices(matrix, np.eye(target.dimension, dtype=np.float32))

    def _held_out(self, seeds: RowPairs, run: TrainingRun) -> NDArray[np.bool_]:
        """Return which pairs are held out of the training to select a rotation by them.

        Their source words are among the `selection` most frequent, which are translated anyway.
        """
        frequent = seeds[:, 0] < self.selection
        words = len(np.unique(seeds[frequent, 0]))
        if run.has_validation or self.holdout * words < LEAST_HELD_OUT:
            return np.zeros(len(seeds), np.bool_)
        folds = headword_folds(seeds, round(1 / self.holdout), run.seed)
        return np.asarray((folds == 0) & frequent)


@dataclass(frozen=True, slots=True)
class MuseI(MuseS):
    """The same as `muse-s`, with the words that both languages write alike as lexicon.

    No pairs are held out: words that are written alike do not represent the others.

    Known problems: between languages of different scripts there are only numbers and borrowed
    words, and false friends count as much as names.

    Example: `misword map en.vec fr.vec --method muse-i -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-i"
    revision: ClassVar[int] = 1
    title: ClassVar[str] = "MUSE, identical words"
    seeding: ClassVar[Seeding] = "identical"

    holdout: float = 0.0
