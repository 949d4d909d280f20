"""Presets of misword's own: VecMap with de-whitening by a power that fits the dictionary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from misword.bli.arrays import RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, TrainingRun
from misword.bli.methods.vecmap.dewhitening import PowerChoice
from misword.bli.methods.vecmap.presets import VecMapS, VecMapU
from misword.bli.methods.vecmap.self_learning import LearningState
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError


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
