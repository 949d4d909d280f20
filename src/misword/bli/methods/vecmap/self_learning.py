"""VecMap's robust self-learning (Artetxe et al. 2018b, section 3.3).

Each iteration computes the mapping that is best for the current dictionary, and induces the next
dictionary from that mapping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.methods import MappingMatrices, TrainingRun
from misword.bli.methods.linear import rotation, times_matrix
from misword.bli.methods.vecmap.steps import MultiStepMapping
from misword.bli.search.induction import Induced, induce
from misword.bli.search.product_scan import Estimates
from misword.bli.spaces import Space, unit_rows
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.option_checks import check_at_least


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
    `csls`: the number of neighbours in the hubness term, 0 for plain cosines. `keep`: the
    probability that a pair of words is kept in dictionary induction at first. After `patience`
    iterations in which the objective grew by less than `threshold`, the probability is multiplied
    by `growth`; at 1 the training ends instead. `direction`: dictionaries of the best target of
    each source word (`forward`), of the best source of each target word (`backward`), or of both
    (`union`).
    """

    cutoff: int = 20_000
    csls: int = 10
    keep: float = 0.1
    growth: float = 2.0
    patience: int = 50
    threshold: float = 1e-6
    direction: Literal["forward", "backward", "union"] = "union"

    def check(self, context: Context) -> None:
        """Raise an error if the training could not start or would not end with these options."""
        MultiStepMapping.check(self, context)
        check_at_least(self, cutoff=2, csls=0, patience=1)
        if not 0 < self.keep <= 1:
            raise OptionError(f"keep is {self.keep}", fix="use a probability such as 0.1")
        if self.growth <= 1 or not self.threshold > 0:
            raise OptionError(
                f"growth is {self.growth}, threshold {self.threshold}: it would not end",
                fix="use a growth above 1 and a threshold above 0",
            )

    def self_learn(
        self, source: Space, target: Space, dictionary: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Iterate from an initial dictionary until the objective no longer improves."""
        x, z = (unit_rows(space.rows[: self.cutoff], space.steps) for space in (source, target))
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

        # In the end, all steps of the mapping (re-weighting is section 3.4 of the paper).
        matrices = self.fit(source, target, state.pairs)
        record = {"iteration": state.turn, "pairs": len(state.pairs)}
        run.report(record, matrices.source, matrices.target)
        return matrices

    def _keep_probability(self, state: LearningState) -> float | None:
        """Return the keep probability of the next iteration, None if the training has converged."""
        if state.turn - state.improved <= self.patience:
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


def induced_pairs(induced: Induced, direction: str) -> RowPairs:
    """Return an induced dictionary as pairs of rows.

    In a union, pairs that are best in both directions stand there twice, and so have more weight.
    """
    forward = np.column_stack([np.arange(len(induced.forward)), induced.forward])
    backward = np.column_stack([induced.backward, np.arange(len(induced.backward))])
    parts = {"forward": [forward], "backward": [backward], "union": [forward, backward]}[direction]
    pairs = np.concatenate(parts)
    return pairs[(pairs >= 0).all(axis=1)]
