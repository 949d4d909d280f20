"""The steps of a linear mapping after Artetxe et al. 2018a, from a dictionary to two matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.methods import Pairs, Trained
from misword.bli.methods.linear import Square, cross, decompose, roots
from misword.bli.spaces import Space, steps_of
from misword.core.errors import OptionError
from misword.core.part import options_of


@dataclass(frozen=True, slots=True)
class Treated:
    """What all presets of VecMap share: which steps are taken, and how far.

    `normalize`: changes to the vectors before all else. `whiten`: make the dictionary's rows
    uncorrelated first. `source_reweight`, `target_reweight`: the power of the singular values that
    each side's components are multiplied by. `dewhiten`: undo the whitening in the end, on each
    side by its own inverse; without whitening there is nothing to undo.
    """

    normalize: str = "unit+center+unit"
    whiten: bool = True
    source_reweight: float = 0.5
    target_reweight: float = 0.5
    dewhiten: bool = True

    def check(self) -> None:
        """Refuse steps that do not exist and powers that are no weights."""
        steps_of(self.normalize)
        for name in ("source_reweight", "target_reweight"):
            if not 0 <= getattr(self, name) <= 10:
                raise OptionError(f"{name} is {getattr(self, name)}", fix="use a power such as 0.5")

    def settings(self) -> tuple[tuple[str, str], ...]:
        """All options."""
        return options_of(self)

    def treat(self, source: Space, target: Space, pairs: Pairs) -> Trained:
        """The two matrices that follow from a dictionary, in closed form."""
        x, z = source.rows, target.rows
        same = np.eye(source.dimension)

        # Step 1: whitening. Each side's dictionary rows get the identity as their covariance.
        whiten_x, whiten_z, colour_x, colour_z = same, same, same, same
        if self.whiten:
            first, second = pairs[:, [0, 0]], pairs[:, [1, 1]]
            whiten_x, colour_x = roots(cross(x, x, first))
            whiten_z, colour_z = roots(cross(z, z, second))

        # Step 2: orthogonal mapping. Both sides turn towards where they agree most.
        u, s, v = decompose(whiten_x.T @ cross(x, z, pairs) @ whiten_z)
        map_x, map_z = whiten_x @ u, whiten_z @ v

        # Step 3: re-weighting. Components count by how well the two sides agree on them.
        map_x, map_z = map_x * s**self.source_reweight, map_z * s**self.target_reweight

        # Step 4: de-whitening. Each side gets back its own variances, in the new directions.
        if self.whiten and self.dewhiten:
            map_x = map_x @ (u.T @ colour_x @ u)
            map_z = map_z @ (v.T @ colour_z @ v)
        return Trained(_single(map_x), _single(map_z))


def _single(matrix: Square) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.ascontiguousarray(matrix, np.float32)
