"""The choice of the power of de-whitening, by cross-validation on a dictionary."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowPairs
from misword.bli.methods.linear import mapped_units
from misword.bli.methods.vecmap.steps import MultiStepMapping
from misword.bli.retrievers.csls import CSLS
from misword.bli.spaces import Space
from misword.bli.validation import headword_folds

# With fewer source words the power is 1, since smaller powers need many pairs: the least number
# where cross-validation chooses the power, and where nothing does.
LEAST_CHOSEN, LEAST_GIVEN = 1_000, 2_000
CANDIDATES = 20_000  # target words among which held-out words are translated


@dataclass(frozen=True, slots=True)
class PowerChoice:
    """Chooses the power of de-whitening among 1, `least`, and the power halfway between them.

    The source words of the dictionary are divided into `folds`. The words of each fold are
    translated by a mapping that is learnt from the others, and the correct translations are
    counted. The choice is the smallest power that is not worse than the best one by more than one
    standard error of the difference: a power that is as good on the words of a lexicon is better on
    rarer words, which lexicons seldom have. With `folds=0` the choice is `least`.
    """

    least: float
    folds: int
    seed: int = 0
    workers: int | None = None

    def choose(
        self, method: MultiStepMapping, source: Space, target: Space, pairs: RowPairs
    ) -> float:
        """Return the power for a mapping of these pairs."""
        headwords = len(np.unique(pairs[:, 0]))
        if headwords < (LEAST_CHOSEN if self.folds else LEAST_GIVEN):
            return 1.0
        if self.least >= 1 or not self.folds:
            return self.least
        powers = [self.least, (1 + self.least) / 2, 1.0]
        correct = [
            self._correct(replace(method, dewhiten=power), source, target, pairs)
            for power in powers
        ]
        best = max(correct, key=np.count_nonzero)
        return next(
            power for power, ones in zip(powers, correct, strict=True) if not_worse(ones, best)
        )

    def _correct(
        self, method: MultiStepMapping, source: Space, target: Space, pairs: RowPairs
    ) -> NDArray[np.bool_]:
        """Return for each source word whether its held-out translation is found.

        Translations are those of CSLS among the most frequent target words, with hubness terms that
        the source words of the dictionary decide.
        """
        headwords, positions = np.unique(pairs[:, 0], return_inverse=True)
        fold_of_pair = headword_folds(pairs, self.folds, self.seed)
        gold = positions * CANDIDATES + pairs[:, 1]
        correct = np.zeros(len(headwords), np.bool_)
        for fold in range(self.folds):
            made = method.fit(source, target, pairs[fold_of_pair != fold])
            x = mapped_units(source.rows[headwords], made.source, self.workers)
            z = mapped_units(target.rows[:CANDIDATES], made.target, self.workers)
            queries = np.unique(positions[fold_of_pair == fold])
            best = CSLS().retrieve(queries, x, z, 1, self.workers).ids[:, 0]
            correct[queries] = np.isin(queries * CANDIDATES + best, gold[pairs[:, 1] < CANDIDATES])
        return correct


def not_worse(ones: NDArray[np.bool_], best: NDArray[np.bool_]) -> bool:
    """Return whether `best` has more hits by at most one standard error of the difference.

    >>> not_worse(np.array([True, False, False, True]), np.array([True, True, False, False]))
    True
    """
    lost, won = np.count_nonzero(best & ~ones), np.count_nonzero(ones & ~best)
    return bool(lost - won <= np.sqrt(lost + won))
