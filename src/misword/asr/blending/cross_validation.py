"""What a blend predicts for judgements from which it did not learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from misword.asr.blending.judgements import Judgements, Rows, Vector

# Returns the weights that are learnt from the given rows.
Learn = Callable[[Rows], Vector]


def splits(references: Rows, folds: int, rng: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows to learn from and the rows to test, for each of several folds.

    All judgements of one reference are in the same fold.

    >>> learn, test = next(splits(np.array([0, 0, 1, 2]), 3, np.random.default_rng(0)))
    >>> sorted([*learn.tolist(), *test.tolist()])
    [0, 1, 2, 3]
    """
    count = int(references.max()) + 1
    fold = rng.permutation(count)[references] % folds
    for number in range(min(folds, count)):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def held_out(
    judgements: Judgements, learn: Learn, *, folds: int, repeats: int, seed: int
) -> NDArray[np.float64]:
    """Return predictions for every judgement by weights that were learnt from other references.

    There is one row for each repeat, a new division into folds. `learn` reads only the rows that
    it is given: scaling, selection and weights know nothing of the test fold. Weights add up to 1,
    so that predictions of several folds have one scale.
    """
    rng = np.random.default_rng(seed)
    predictions = np.empty((repeats, len(judgements)))
    for repeat in range(repeats):
        for rows, test in splits(judgements.references, folds, rng):
            weights = proportions(learn(rows))
            predictions[repeat, test] = judgements.features[test] @ weights
    return predictions


def proportions(weights: Vector) -> Vector:
    """Return weights that add up to 1; all 0 if no weight is above 0.

    >>> proportions(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else weights)
