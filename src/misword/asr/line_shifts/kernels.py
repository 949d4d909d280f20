"""Weights that two lines share, by a compiled kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import FeaturePair
from misword.native.library import INTEGER, array, procedure

_shared_weights = procedure(
    "misword_shared_weights", array(np.int32), array(np.int64), array(np.int32), array(np.int64),
    array(np.float32), array(np.int64), array(np.int64), INTEGER, INTEGER,
    array(np.float32, out=True),
)  # fmt: skip


def shared_weights(
    features: FeaturePair, lefts: NDArray[np.int64], rights: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the sum of the weights that line `lefts[p]` shares with line `rights[p]`."""
    left, right = features.left, features.right
    if len(lefts) != len(rights):
        raise ValueError("a pair needs two lines")
    for lines, side in ((lefts, left), (rights, right)):
        if len(lines) and not (lines.min() >= 0 and lines.max() < len(side)):
            raise IndexError("a line number is out of range")
    shared = np.empty(len(lefts), np.float32)
    _shared_weights(
        left.ids, left.offsets, right.ids, right.offsets, features.weights,
        np.ascontiguousarray(lefts, np.int64), np.ascontiguousarray(rights, np.int64),
        0, len(lefts), shared,
    )  # fmt: skip
    return shared
