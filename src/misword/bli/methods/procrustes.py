"""Orthogonal Procrustes: one rotation, learnt from a lexicon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.linear import rotation
from misword.bli.spaces import Space


@dataclass(frozen=True, slots=True)
class Procrustes(Method):
    """The orthogonal map that brings the lexicon's words nearest to their translations.

    It takes one singular value decomposition. It is the usual baseline, and other methods start
    from it. Similarities within each language stay as they were.

    Known problems: a rotation cannot make two spaces of different shape alike.

    Example: `misword map en.vec fr.vec --method procrustes --lexicon train.txt -o en-fr.map`

    Reference: Xing et al. 2015, Artetxe et al. 2016; Schönemann 1966 for the solution.
    """

    name: ClassVar[str] = "procrustes"
    title: ClassVar[str] = "Procrustes"
    cites: ClassVar[tuple[str, ...]] = ("xing2015", "artetxe2016", "schonemann1966")
    seeding: ClassVar[Seeding] = "lexicon"

    normalize: str = "unit+center+unit"

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity."""
        matrix = rotation(source, target, seeds)
        identity = np.eye(target.dimension, dtype=np.float32)
        run.report({"iteration": 1, "pairs": len(seeds)}, matrix, identity)
        return MappingMatrices(matrix, identity)
