"""MUSE from a lexicon, or from the words that both languages write alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.linear import rotation
from misword.bli.methods.muse.refinement import Direction, RefinementOptions, refine
from misword.bli.spaces import Space
from misword.bli.validation import headword_folds
from misword.core.context import Context
from misword.core.parts.option_checks import check_between

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
