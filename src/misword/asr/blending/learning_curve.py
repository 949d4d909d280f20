"""How good a blend becomes with more judgements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.blending.cross_validation import proportions
from misword.asr.blending.judgements import Judgements, Rows, Vector

SIZES = (20, 50, 100, 200, 400, 800, 1600, 3200)
DRAWS = 50
# At least this share of the judgements is kept for the test.
TESTED = 0.2


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The qualities of blends that were learnt from `size` judgements, one row for each draw."""

    size: int
    qualities: NDArray[np.float64]


def learning_curve(
    judgements: Judgements,
    prior: Vector | None,
    quality: Callable[[Vector, Rows], Vector],
    seed: int,
) -> list[CurvePoint]:
    """Learn from random subsets, and test on all judgements of other references.

    The curve ends before the size at which a subset has judgements of all references.

    `quality` returns one or more numbers for the predictions of the given rows.
    """
    rng = np.random.default_rng(seed)
    points = []
    for size in SIZES:
        if size > (1 - TESTED) * len(judgements):
            break
        subsets = [rng.permutation(len(judgements))[:size] for _ in range(DRAWS)]
        tests = [_unseen(judgements, rows) for rows in subsets]
        if not all(map(len, tests)):
            break
        qualities = []
        for rows, test in zip(subsets, tests, strict=True):
            weights = proportions(judgements.fit(rows, prior))
            qualities.append(quality(judgements.features[test] @ weights, test))
        points.append(CurvePoint(size, np.array(qualities)))
    return points


def _unseen(judgements: Judgements, rows: Rows) -> Rows:
    """Return all judgements whose references are not among those of some rows."""
    return np.flatnonzero(~np.isin(judgements.references, judgements.references[rows]))
