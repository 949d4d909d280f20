"""Presets of misword's own: VecMap with de-whitening by a power that fits the dictionary.

The power is chosen by cross-validation on the dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, TrainingRun
from misword.bli.methods.procrustes import mapped_units
from misword.bli.methods.vecmap import LearningState, MultiStepMapping, VecMapS, VecMapU
from misword.bli.retrievers.csls import CSLS
from misword.bli.seeds import headword_folds
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError

# Smaller powers than 1 need many pairs. With fewer source words than these the power is 1: the
# first number is for a power chosen by cross-validation, the second for a power without such a
# choice.
FEWEST_FOR_CHOICE, FEWEST_WITHOUT_CHOICE = 1_000, 2_000
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
        if headwords < (FEWEST_FOR_CHOICE if self.folds else FEWEST_WITHOUT_CHOICE):
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
        fit = partial(method.fit, source, target)
        return held_out_hits(fit, source, target, pairs, self.folds, self.seed, self.workers)


# Learns a mapping from pairs.
Fit = Callable[[RowPairs], MappingMatrices]


def held_out_hits(
    fit: Fit,
    source: Space,
    target: Space,
    pairs: RowPairs,
    folds: int,
    seed: int = 0,
    workers: int | None = None,
) -> NDArray[np.bool_]:
    """Return for each source word whether its held-out translation is found.

    The words of each fold are translated by a mapping that is learnt from the others. Translations
    are those of CSLS among the most frequent target words, with hubness terms that the source words
    of the dictionary decide.
    """
    headwords, positions = np.unique(pairs[:, 0], return_inverse=True)
    fold_of_pair = headword_folds(pairs, folds, seed)
    gold = positions * CANDIDATES + pairs[:, 1]
    correct = np.zeros(len(headwords), np.bool_)
    for fold in range(folds):
        made = fit(pairs[fold_of_pair != fold])
        x = mapped_units(source.rows[headwords], made.source, workers)
        z = mapped_units(target.rows[:CANDIDATES], made.target, workers)
        queries = np.unique(positions[fold_of_pair == fold])
        best = CSLS().retrieve(queries, x, z, 1, workers).ids[:, 0]
        correct[queries] = np.isin(queries * CANDIDATES + best, gold[pairs[:, 1] < CANDIDATES])
    return correct


def not_worse(ones: NDArray[np.bool_], best: NDArray[np.bool_]) -> bool:
    """Return whether `best` has more hits by at most one standard error of the difference.

    >>> not_worse(np.array([True, False, False, True]), np.array([True, True, False, False]))
    True
    """
    lost, won = np.count_nonzero(best & ~ones), np.count_nonzero(ones & ~best)
    return bool(lost - won <= np.sqrt(lost + won))


@dataclass(frozen=True, slots=True)
class MiswordS(VecMapS):
    """VecMap from a lexicon, with a power of de-whitening chosen by cross-validation.

    This preset is misword's own: no paper describes it. All steps are those of `vecmap-s`, but
    de-whitening restores only a power of the variances. The power is 1 (as `vecmap-s`), `dewhiten`,
    or halfway between them: the smallest that translates held-out words of the lexicon as well as
    the best, by cross-validation with `folds` folds. It is 1 if the lexicon has less than 1,000
    source words. The trace has it.

    Known problems: it takes some times as long as `vecmap-s`. For small lexicons `vecmap-semi` is
    better.

    Example: `misword map en.vec fr.vec --method misword-s --lexicon train.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018 (AAAI) for the steps.
    """

    name: ClassVar[str] = "misword-s"
    title: ClassVar[str] = "misword, supervised"

    dewhiten: float = 0.5
    folds: int = 3

    def check(self, context: Context) -> None:
        """Raise an error also if there are too few folds."""
        VecMapS.check(self, context)
        if self.folds < 2:
            raise OptionError(
                f"folds is {self.folds}", fix="use 2 or more; vecmap-s takes the power as given"
            )

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Choose the power, then apply the steps once to the whole lexicon."""
        choice = PowerChoice(self.dewhiten, self.folds, run.seed, run.workers)
        power = choice.choose(self, source, target, seeds)
        matrices = replace(self, dewhiten=power).fit(source, target, seeds)
        record: Record = {"iteration": 1, "pairs": len(seeds), "dewhiten": power}
        run.report(record, matrices.source, matrices.target)
        return matrices


@dataclass(frozen=True, slots=True)
class MiswordU(VecMapU):
    """VecMap without a lexicon, with de-whitening by the power `dewhiten`.

    This preset is misword's own: no paper describes it. It is `vecmap-u` except for the last step,
    which restores only a power of the variances. The power is 1 (as in `vecmap-u`) if the last
    dictionary has less than 2,000 source words.

    Known problems: those of `vecmap-u`.

    Example: `misword map en.vec fr.vec --method misword-u -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018 (ACL) for the self-learning.
    """

    name: ClassVar[str] = "misword-u"
    title: ClassVar[str] = "misword, unsupervised"

    dewhiten: float = 0.5

    def map_by_dictionary(
        self, source: Space, target: Space, state: LearningState, run: TrainingRun
    ) -> MappingMatrices:
        """Apply all steps to the last dictionary, with the power that fits its size."""
        power = PowerChoice(self.dewhiten, folds=0).choose(self, source, target, state.pairs)
        return VecMapU.map_by_dictionary(replace(self, dewhiten=power), source, target, state, run)
