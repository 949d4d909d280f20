"""RCSLS: gradient descent on a relaxation of the CSLS retrieval criterion."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, State, TrainingRun
from misword.bli.methods.linear import rotation
from misword.bli.methods.rcsls.loss import LossAndGradient, RelaxedCSLS, clip_singular_values
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.option_checks import check_at_least


@dataclass(frozen=True, slots=True)
class RCSLS(Method):
    """Procrustes, then gradient descent on the relaxed CSLS loss of the lexicon's pairs.

    The loss of a pair is the mean product of its mapped source with the `neighbors` nearest
    targets, plus that of its target with the nearest mapped sources, minus twice the product of
    the two. Neighbours are searched among the first `negatives` words of each language. Each of
    the `updates` takes a step of size `rate`, the learning rate, along the gradient over all pairs.
    If a step makes the loss greater, it is undone and the learning rate is halved.

    `spectral` clips the singular values of the matrix to [0, 1] after each step: a projection onto
    a convex set. Without it the matrix has no constraint, and similarities within the source
    language change.

    Known problems: a great `rate` overshoots on small vocabularies (the released example uses 25);
    with few pairs it overfits: there `muse-s` or `vecmap-s` is better.

    Example: `misword map en.vec fr.vec --method rcsls --lexicon train.txt -o en-fr.map`

    Reference: Joulin et al. 2018, Loss in Translation: Learning Bilingual Word Mapping with a
    Retrieval Criterion, EMNLP.
    """

    name: ClassVar[str] = "rcsls"
    title: ClassVar[str] = "RCSLS"
    cites: ClassVar[tuple[str, ...]] = ("joulin2018",)
    seeding: ClassVar[Seeding] = "lexicon"

    updates: int = 10
    rate: float = 1.0
    neighbors: int = 10
    negatives: int = 200_000
    spectral: bool = False
    normalize: str = "unit"

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range."""
        Method.check(self, context)
        check_at_least(self, updates=0, neighbors=1, negatives=1)
        if not (isfinite(self.rate) and self.rate > 0):
            raise OptionError(f"rate is {self.rate}", fix="use a number above 0, such as 1")

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Move the source; the matrix of the target is the identity."""
        loss = RelaxedCSLS(
            source.rows, target.rows, seeds, self.neighbors, self.negatives, run.workers
        )
        identity = np.eye(target.dimension, dtype=np.float32)
        first = rotation(source, target, seeds).astype(np.float64)
        state = run.saved_state() or {"update": -1, "rate": self.rate, "matrix": first}
        current = loss.at(state["matrix"])
        while state["update"] < self.updates:
            state, current, tried = self._update(state, current, loss)
            run.report(
                {
                    "iteration": state["update"],
                    "pairs": len(seeds),
                    "objective": current.value,
                    "tried": tried,
                    "rate": state["rate"],
                },
                state["matrix"].astype(np.float32),
                identity,
            )
            run.save(state)
        return MappingMatrices(state["matrix"].astype(np.float32), identity)

    def _update(
        self, state: State, current: LossAndGradient, loss: RelaxedCSLS
    ) -> tuple[State, LossAndGradient, float]:
        """Try one gradient step; returns the next state, its loss, and the loss of the tried step.

        Update 0 only reports the start. A step that makes the loss greater is not taken.
        """
        update, learning_rate = state["update"] + 1, state["rate"]
        if update == 0:
            return {**state, "update": 0}, current, current.value
        matrix = state["matrix"] - learning_rate * current.gradient
        if self.spectral:
            matrix = clip_singular_values(matrix)
        tried = loss.at(matrix)
        if tried.value > current.value:
            return {**state, "update": update, "rate": learning_rate / 2}, current, tried.value
        return {**state, "update": update, "matrix": matrix}, tried, tried.value
