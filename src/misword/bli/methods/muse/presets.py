"""MUSE from a lexicon, or from the words that both languages write alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.linear import rotation
from misword.bli.methods.muse.refinement import Direction, RefinementOptions, refine
from misword.bli.spaces import Space
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class MuseS(Method):
    """Procrustes from a lexicon, then refinement with dictionaries that the mapping induces.

    A dictionary has the pairs of words that are each other's nearest by CSLS, both among the `rank`
    most frequent; the next rotation is learnt from it alone. The result is the rotation, of all
    including the first, with the greatest mean cosine over the CSLS translations of the
    `selection` most frequent words or, if there is a validation lexicon, with the best hit@1.

    `dictionary`: S2T takes the best target of each source word, T2S the best source of each target
    word, `S2T&T2S` the pairs that are in both, `S2T|T2S` the pairs that are in either.

    Known problems: the released MUSE takes vectors as they are, which is `normalize=none`; long
    vectors then have more weight in the rotation, and between distant languages it may fail.
    Refinement is useless or harmful where the lexicon is large and the spaces are not much alike:
    the mean cosine does not show that, a validation lexicon does. The released code selects the
    rotation by the test dictionary; this method never reads it.

    Example: `misword map en.vec fr.vec --method muse-s --lexicon train.txt -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-s"
    title: ClassVar[str] = "MUSE, supervised"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)
    seeding: ClassVar[Seeding] = "lexicon"

    refinements: int = 5
    rank: int = 10_000
    csls: int = 10
    dictionary: Direction = "S2T&T2S"
    selection: int = 10_000
    normalize: str = "unit+center+unit"

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range."""
        Method.check(self, context)
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
        saved = run.saved_state()
        first = saved["matrix"] if saved else rotation(source, target, seeds)
        matrix = refine(source, target, first, len(seeds), self._refinement, run, saved)
        return MappingMatrices(matrix, np.eye(target.dimension, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class MuseI(MuseS):
    """The same as `muse-s`, with the words that both languages write alike as lexicon.

    Known problems: between languages of different scripts there are only numbers and borrowed
    words, and false friends count as much as names.

    Example: `misword map en.vec fr.vec --method muse-i -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-i"
    title: ClassVar[str] = "MUSE, identical words"
    seeding: ClassVar[Seeding] = "identical"
