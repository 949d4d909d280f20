"""MUSE from a lexicon, or from words that both languages write alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.methods import Pairs, Run, Trained
from misword.bli.methods.muse.refinement import Direction, Refinement, refine, rotation
from misword.bli.spaces import Space, steps_of
from misword.core.part import options_of


@dataclass(frozen=True, slots=True)
class MuseS:
    """Procrustes from a lexicon, then refined with dictionaries that the rotation itself gives.

    A dictionary has the words that are each other's nearest by CSLS, both among the `rank` most
    frequent; a new rotation comes from it alone. Of all rotations, the first included, the one with
    the greatest mean cosine over the CSLS translations of the `selection` most frequent words is
    taken, or with the best hit@1 where there is a validation lexicon.

    `dictionary`: S2T takes each source word's best target, T2S the other way, `S2T&T2S` what
    both agree on, `S2T|T2S` what either says.

    Known problems: the released MUSE takes vectors as they are, which is `normalize=none`; long
    vectors then weigh more in the rotation, and between distant languages it may find nothing.
    Refinement is of no use, or does harm, where the lexicon is large and the spaces are not much
    alike: the mean cosine does not see that, a validation lexicon does. The released code chooses
    among rotations by the test dictionary; this one never sees it.

    Example: `misword map en.vec fr.vec --method muse-s --lexicon train.txt -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-s"
    seeding: ClassVar[Literal["lexicon", "identical", "none"]] = "lexicon"

    refinements: int = 5
    rank: int = 10_000
    csls: int = 10
    dictionary: Direction = "S2T&T2S"
    selection: int = 10_000
    normalize: str = "unit+center+unit"

    def check(self) -> None:
        """Refuse options that do not fit."""
        steps_of(self.normalize)
        self._refinement.check()

    def settings(self) -> tuple[tuple[str, str], ...]:
        """All options."""
        return options_of(self)

    @property
    def _refinement(self) -> Refinement:
        return Refinement(self.refinements, self.rank, self.csls, self.dictionary, self.selection)

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Turn the source; the target stays where it is."""
        state = run.resume()
        first = state["matrix"] if state else rotation(source, target, seeds)
        matrix = refine(source, target, first, len(seeds), self._refinement, run, state)
        return Trained(matrix, np.eye(target.dimension, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class MuseI(MuseS):
    """As `muse-s`, with the words that both languages write alike for a lexicon.

    Known problems: between languages of different scripts there are only numbers and borrowed
    words, and false friends count as much as names.

    Example: `misword map en.vec fr.vec --method muse-i -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-i"
    seeding: ClassVar[Literal["lexicon", "identical", "none"]] = "identical"
