"""Cross-validation: what weights choose from lists that they were not tuned on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.feature_lists import FeatureLists
from misword.asr.tuning.search import SearchSettings, tune_lists
from misword.core.progress import progress


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The choice from each list by weights that were tuned on the lists of the other folds.

    `rows` are the chosen rows of the data, `fold` the number of each list's fold. `weights` has a
    row for each fold, `tuned` the rate that they have on the lists they were tuned on.
    """

    rows: Rows
    fold: NDArray[np.int64]
    weights: Numbers
    tuned: Numbers


def fold_numbers(blocks: Rows, folds: int, seed: int) -> Rows:
    """Return the number of each list's fold, from 0; lists of one block are in the same fold.

    >>> fold_numbers(np.array([0, 0, 1, 2]), 2, 0).tolist()
    [0, 0, 0, 1]
    """
    count = int(blocks.max()) + 1
    return np.asarray((np.random.default_rng(seed).permutation(count) % folds)[blocks], np.int64)


def held_out(
    lists: FeatureLists,
    blocks: Rows,
    folds: int,
    settings: SearchSettings,
    start: Numbers | None,
) -> HeldOut:
    """Tune on all folds but one, and choose from the lists of that one; for each fold."""
    fold = fold_numbers(blocks, folds, settings.seed)
    rows = np.empty(len(lists), np.int64)
    weights, tuned = [], []
    with progress("tuning on folds", folds) as step:
        for number in range(folds):
            test = np.flatnonzero(fold == number)
            found = tune_lists(lists.take(np.flatnonzero(fold != number)), settings, start)
            part = lists.take(test)
            rows[test] = lists.offsets[test] + part.choice(found.weights) - part.offsets[:-1]
            weights.append(found.weights)
            tuned.append(found.rate)
            step(1)
    return HeldOut(rows, fold, np.array(weights), np.array(tuned))
