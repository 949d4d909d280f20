"""Procrustes: one rotation, from a lexicon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.methods import Pairs, Run, Trained
from misword.bli.methods.linear import cross, orthogonal
from misword.bli.spaces import Space, steps_of
from misword.core.part import options_of


@dataclass(frozen=True, slots=True)
class Procrustes:
    """The orthogonal map that brings the lexicon's words nearest to their translations.

    One singular value decomposition: the plain baseline, and the start of other methods. What is
    near within a language stays as near as it was.

    Known problems: two spaces of different shape cannot be made alike by a rotation.

    Example: `misword map en.vec fr.vec --method procrustes --lexicon train.txt -o en-fr.map`

    Reference: Xing et al. 2015, Artetxe et al. 2016; Schönemann 1966 for the solution.
    """

    name: ClassVar[str] = "procrustes"
    seeding: ClassVar[Literal["lexicon", "identical", "none"]] = "lexicon"

    normalize: str = "unit+center+unit"

    def check(self) -> None:
        """Refuse steps that do not exist."""
        steps_of(self.normalize)

    def settings(self) -> tuple[tuple[str, str], ...]:
        """All options."""
        return options_of(self)

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Turn the source; the target stays where it is."""
        matrix = orthogonal(cross(source.rows, target.rows, seeds)).astype(np.float32)
        stays = np.eye(target.dimension, dtype=np.float32)
        run.step({"iteration": 1, "pairs": len(seeds)}, matrix, stays)
        return Trained(matrix, stays)
