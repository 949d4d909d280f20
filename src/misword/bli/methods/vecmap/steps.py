"""The multi-step framework of Artetxe et al. 2018a: from a dictionary to two matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowPairs
from misword.bli.methods import MappingMatrices, Method
from misword.bli.methods.linear import cross_product, decompose, root_powers
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError


@dataclass(frozen=True, slots=True)
class MultiStepMapping(Method):
    """Base class of all presets of VecMap: the steps of the framework and their options.

    `normalize`: normalisation before all other steps (step 0). `whiten`: make the components of the
    dictionary's vectors uncorrelated (step 1). `source_reweight`, `target_reweight`: the power of
    the singular values by which each side's components are multiplied (step 3). `dewhiten`: the
    power of the inverse of the whitening that is applied to each side (step 4): 1 restores the
    variances, 0 leaves the components whitened, 0.5 is between. It has no effect without `whiten`.
    """

    normalize: str = "unit+center+unit"
    whiten: bool = True
    source_reweight: float = 0.5
    target_reweight: float = 0.5
    dewhiten: float = 1.0

    def check(self, context: Context) -> None:
        """Raise an error if a normalisation step does not exist or a power is out of range."""
        Method.check(self, context)
        for name in ("source_reweight", "target_reweight", "dewhiten"):
            if not 0 <= getattr(self, name) <= 10:
                raise OptionError(f"{name} is {getattr(self, name)}", fix="use a power such as 0.5")

    def fit(self, source: Space, target: Space, dictionary: RowPairs) -> MappingMatrices:
        """Compute the two matrices for a dictionary, in closed form.

        X and Z are the source and the target vectors of the dictionary's pairs, as in the paper.
        """
        x, z = source.rows, target.rows
        identity = np.eye(source.dimension)

        # Step 1: whitening. The covariance of each side's dictionary vectors becomes the identity.
        whiten_x, whiten_z, dewhiten_x, dewhiten_z = [identity] * 4
        if self.whiten:
            own_x, own_z = dictionary[:, [0, 0]], dictionary[:, [1, 1]]
            whiten_x, dewhiten_x = root_powers(cross_product(x, x, own_x), -1, self.dewhiten)
            whiten_z, dewhiten_z = root_powers(cross_product(z, z, own_z), -1, self.dewhiten)

        # Step 2: orthogonal mapping of both sides, U S V^T being the SVD of the whitened X^T Z.
        u, s, v = decompose(whiten_x.T @ cross_product(x, z, dictionary) @ whiten_z)
        map_x, map_z = whiten_x @ u, whiten_z @ v

        # Step 3: re-weighting of each component by its cross-correlation S.
        map_x, map_z = map_x * s**self.source_reweight, map_z * s**self.target_reweight

        # Step 4: de-whitening. Each side gets back a power of its variances, in the new directions.
        if self.dewhiten:
            map_x = map_x @ (u.T @ dewhiten_x @ u)
            map_z = map_z @ (v.T @ dewhiten_z @ v)
        return MappingMatrices(_single(map_x), _single(map_z))


def _single(matrix: Float64Array) -> Float32Array:
    return np.ascontiguousarray(matrix, np.float32)
