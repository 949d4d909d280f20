"""VecMap's robust self-learning (Artetxe et al. 2018b, section 3.3).

Each iteration computes the mapping that is best for the current dictionary, and induces the next
dictionary from that mapping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, TrainingRun
from misword.bli.methods.linear import rotation, times_matrix
from misword.bli.methods.vecmap.steps import MultiStepMapping
from misword.bli.search.induction import Induced, induce, induced_pairs
from misword.bli.search.product_scan import Estimates
from misword.bli.spaces import Space, unit_rows
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings
from misword.core.parts.option_checks import check_at_least


@dataclass(frozen=True, slots=True)
class Length:
    """The two options that decide how long self-learning takes."""

    cutoff: int
    patience: int


SCHEDULES = {"short": Length(4_000, 5), "released": Length(20_000, 50)}
LARGE_SHARE = 0.5  # a cutoff above this share of the smaller vocabulary has rare words


@dataclass(frozen=True, slots=True)
class LearningState:
    """The state between two iterations: everything that decides how the training goes on.

    `pairs` is the current dictionary, `turn` the number of the next iteration, `improved` the last
    iteration that improved the objective or raised the keep probability, `best` the greatest
    objective, `keep` the keep probability of the last iteration. A saved state has these names.
    """

    pairs: RowPairs
    turn: int = 1
    improved: int = 0
    best: float = -100.0
    keep: float = 1.0


@dataclass(frozen=True, slots=True)
class SelfLearning(MultiStepMapping):
    """Base class of the presets with self-learning.

    `cutoff`: the number of most frequent words of each side that dictionaries are induced from.
    `schedule` decides `cutoff` and `patience` where they are not given: `short` is 4,000 words and
    5 iterations, `released` is 20,000 words and 50 iterations, as in the released code.
    `csls`: the number of neighbours in the hubness term, 0 for plain cosines. `keep`: the
    probability that a pair of words is kept in dictionary induction at first. After `patience`
    iterations in which the objective grew by less than `threshold`, the probability is multiplied
    by `growth`; at 1 the training ends instead. `direction`: dictionaries of the best target of
    each source word (`forward`), of the best source of each target word (`backward`), or of both
    (`union`).
    """

    schedule: Literal["short", "released"] = "short"
    cutoff: int | None = None
    csls: int = 10
    keep: float = 0.1
    growth: float = 2.0
    patience: int | None = None
    threshold: float = 1e-6
    direction: Literal["forward", "backward", "union"] = "union"

    def check(self, context: Context) -> None:
        """Raise an error if the training could not start or would not end with these options."""
        MultiStepMapping.check(self, context)
        check_at_least(self, csls=0)
        check_at_least(self.length, cutoff=2, patience=1)
        if not 0 < self.keep <= 1:
            raise OptionError(f"keep is {self.keep}", fix="use a probability such as 0.1")
        if self.growth <= 1 or not self.threshold > 0:
            raise OptionError(
                f"growth is {self.growth}, threshold {self.threshold}: it would not end",
                fix="use a growth above 1 and a threshold above 0",
            )

    def settings(self, context: Context) -> Settings:
        """Return the options, with the cutoff and the patience that the schedule decides."""
        values = dict(MultiStepMapping.settings(self, context))
        values |= {"cutoff": str(self.length.cutoff), "patience": str(self.length.patience)}
        del values["schedule"]
        return tuple(values.items())

    @property
    def length(self) -> Length:
        """The cutoff and the patience: as given, else of the schedule."""
        usual = SCHEDULES[self.schedule]
        return Length(
            usual.cutoff if self.cutoff is None else self.cutoff,
            usual.patience if self.patience is None else self.patience,
        )

    def notes_before(self, source: Space, target: Space) -> tuple[str, ...]:
        """Return a note if rare words take part in the dictionaries."""
        size, cutoff = min(len(source), len(target)), self.length.cutoff
        if cutoff <= LARGE_SHARE * size:
            return ()
        return (
            f"dictionaries are induced from {min(cutoff, size):,} of {size:,} words: if rare words "
            "have poor vectors, the mapping is better with fewer (cutoff=4000)",
        )

    def self_learn(
        self, source: Space, target: Space, dictionary: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Return the mapping for the dictionary that self-learning ends with."""
        state = self.learn_dictionary(source, target, dictionary, run)
        return self.map_by_dictionary(source, target, state, run)

    def learn_dictionary(
        self, source: Space, target: Space, dictionary: RowPairs, run: TrainingRun
    ) -> LearningState:
        """Iterate from an initial dictionary until the objective no longer improves."""
        words = self.length.cutoff
        x, z = (unit_rows(space.rows[:words], space.steps) for space in (source, target))
        identity = np.eye(target.dimension, dtype=np.float32)
        saved = run.saved_state()
        estimates: Estimates | None = None
        state = LearningState(**saved) if saved else LearningState(dictionary, keep=self.keep)
        while (keep := self._keep_probability(state)) is not None:
            # Step 1: the orthogonal mapping that is optimal for the dictionary.
            matrix = rotation(source, target, state.pairs)

            # Step 2: the dictionary that is induced from the mapping, with dropout of pairs.
            induced = induce(
                times_matrix(x, matrix, run.workers), z, csls=self.csls, keep=keep, seed=run.seed,
                iteration=state.turn, workers=run.workers, earlier=estimates,
            )  # fmt: skip
            estimates = induced.estimates

            # Step 3: convergence criterion.
            record = {"iteration": state.turn, "objective": induced.objective, "keep": keep}
            run.report(record, matrix, identity)
            state = self._advance(state, induced, keep)
            run.save({name: getattr(state, name) for name in LearningState.__slots__})
        return state

    def map_by_dictionary(
        self, source: Space, target: Space, state: LearningState, run: TrainingRun
    ) -> MappingMatrices:
        """Apply all steps to the last dictionary (re-weighting is section 3.4 of the paper)."""
        matrices = self.fit(source, target, state.pairs)
        record: Record = {"iteration": state.turn, "pairs": len(state.pairs)}
        run.report(record, matrices.source, matrices.target)
        return matrices

    def _keep_probability(self, state: LearningState) -> float | None:
        """Return the keep probability of the next iteration, None if the training has converged."""
        if state.turn - state.improved <= self.length.patience:
            return state.keep
        return None if state.keep >= 1 else min(1.0, self.growth * state.keep)

    def _advance(self, state: LearningState, induced: Induced, keep: float) -> LearningState:
        """Return the state after an iteration."""
        better = induced.objective - state.best >= self.threshold
        return LearningState(
            induced_pairs(induced, self.direction),
            state.turn + 1,
            # The waiting time starts again with each new keep probability.
            state.turn if better or keep != state.keep else state.improved,
            induced.objective if better else state.best,
            keep,
        )
