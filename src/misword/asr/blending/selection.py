"""The smallest set of metrics whose blend is not worse than the best one.

Metrics are removed one after the other, always the one without which the loss on held-out folds is
lowest. Of the sets on this way, the smallest is chosen that is shown not to be worse than the best:
its loss exceeds that of the best set by less than a margin, with 95 % confidence. This is a test of
non-inferiority: too few judgements keep metrics, they do not remove them. The margin is a hundredth
of the loss without any metric.

Reference: S. Wellek, Testing Statistical Hypotheses of Equivalence and Noninferiority, 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from misword.asr.blending.cross_validation import splits
from misword.asr.blending.judgements import Judgements, Rows, Vector

FOLDS = 5
MARGIN = 0.01
ONE_SIDED = 1.645  # the 95 % quantile of the normal distribution


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One set of metrics, by number, with the held-out loss of each judgement."""

    metrics: tuple[int, ...]
    losses: Vector

    def excess(self, best: Step, references: Rows) -> tuple[float, float]:
        """Return the mean loss above that of another set, and its standard error by reference."""
        sums = np.bincount(references, weights=self.losses - best.losses)
        counts = np.bincount(references)
        mean = float(sums.sum() / counts.sum())
        spread = sums - mean * counts
        used = counts > 0
        scale = used.sum() / max(used.sum() - 1, 1)
        return mean, sqrt(scale * float(spread @ spread)) / float(counts.sum())


def smallest_set(
    judgements: Judgements, rows: Rows, proportions: Vector | None, seed: int
) -> tuple[tuple[int, ...], list[Step]]:
    """Return the chosen metrics, by number, and all sets that were tried on the way down.

    Only the given rows are read.
    """
    part = _Part(judgements, rows, proportions, seed)
    current = tuple(range(len(judgements.metrics)))
    steps = [part.step(current)]
    while len(current) > 1:
        smaller = [tuple(m for m in current if m != left) for left in current]
        steps.append(min(map(part.step, smaller), key=lambda step: step.losses.sum()))
        current = steps[-1].metrics
    best = min(steps, key=lambda step: step.losses.sum())
    references = judgements.references[rows]
    for step in reversed(steps):
        mean, error = step.excess(best, references)
        if mean + ONE_SIDED * error <= MARGIN * part.loss_of_nothing():
            return step.metrics, steps
    return best.metrics, steps


def selection_rows(judgements: Judgements, steps: list[Step]) -> list[dict[str, Any]]:
    """Return a row for each set of metrics: its held-out loss, and that above the best set's."""
    best = min(steps, key=lambda step: step.losses.sum())
    rows = []
    for step in steps:
        mean, error = step.excess(best, judgements.references)
        names = ",".join(judgements.metrics[at] for at in step.metrics)
        loss = {"loss": float(step.losses.mean()), "excess": mean, "standard_error": error}
        rows.append({"metrics": names, "size": len(step.metrics), **loss})
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some rows of judgements, divided into the same folds for every set of metrics."""

    judgements: Judgements
    rows: Rows
    proportions: Vector | None
    seed: int

    def loss_of_nothing(self) -> float:
        """Return the mean loss if all weights are 0."""
        nothing = np.zeros(len(self.judgements.metrics))
        return float(self.judgements.losses(nothing, self.rows, self.rows).mean())

    def step(self, metrics: tuple[int, ...]) -> Step:
        """Return the held-out losses of a set of metrics."""
        chosen = self.judgements.subset(list(metrics))
        prior = None if self.proportions is None else self.proportions[list(metrics)]
        losses = np.zeros(len(self.rows))
        _, references = np.unique(self.judgements.references[self.rows], return_inverse=True)
        rng = np.random.default_rng(self.seed)
        for learn, test in splits(references, FOLDS, rng):
            from_rows, to_rows = self.rows[learn], self.rows[test]
            weights = chosen.fit(from_rows, prior)
            losses[test] = chosen.losses(weights, from_rows, to_rows)
        return Step(metrics, losses)
