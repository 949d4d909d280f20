"""RCSLS: a matrix trained for the measure that it is used with."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, Literal

import numpy as np

from misword.bli.methods import Pairs, Run, State, Trained
from misword.bli.methods.muse.refinement import rotation
from misword.bli.methods.rcsls.loss import Look, RelaxedCSLS, clipped
from misword.bli.spaces import Space, steps_of
from misword.core.errors import OptionError
from misword.core.part import options_of


@dataclass(frozen=True, slots=True)
class RCSLS:
    """Procrustes, then steps down the CSLS loss of the lexicon's pairs.

    The loss of a pair is the mean product of its mapped source with the `neighbors` nearest
    targets, and of its target with the nearest mapped sources, less twice the product of the two.
    Neighbours are sought among the first `negatives` words of each language. Each of the `updates`
    takes a step along the gradient over all pairs; where the loss gets worse, the step is taken
    back and the rate halved.

    `spectral` keeps singular values within [0, 1] after each step (a convex set); without it the
    matrix is free, and the language's own similarities change.

    Known problems: a great `rate` overshoots on small vocabularies (the released example takes 25);
    with few pairs it learns them by heart: there `muse-s` or `vecmap-s` is better.

    Example: `misword map en.vec fr.vec --method rcsls --lexicon train.txt -o en-fr.map`

    Reference: Joulin et al. 2018, Loss in Translation: Learning Bilingual Word Mapping with a
    Retrieval Criterion, EMNLP.
    """

    name: ClassVar[str] = "rcsls"
    seeding: ClassVar[Literal["lexicon", "identical", "none"]] = "lexicon"

    updates: int = 10
    rate: float = 1.0
    neighbors: int = 10
    negatives: int = 200_000
    spectral: bool = False
    normalize: str = "unit"

    def check(self) -> None:
        """Refuse options that do not fit."""
        steps_of(self.normalize)
        for name, least in (("updates", 0), ("neighbors", 1), ("negatives", 1)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}", fix=f"use {least} or more")
        if not (isfinite(self.rate) and self.rate > 0):
            raise OptionError(f"rate is {self.rate}", fix="use a number above 0, such as 1")

    def settings(self) -> tuple[tuple[str, str], ...]:
        """All options."""
        return options_of(self)

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Move the source; the target stays where it is."""
        loss = RelaxedCSLS(
            source.rows, target.rows, seeds, self.neighbors, self.negatives, run.workers
        )
        stays = np.eye(target.dimension, dtype=np.float32)
        first = rotation(source, target, seeds).astype(np.float64)
        now = run.resume() or {"update": -1, "rate": self.rate, "matrix": first}
        here = loss.look(now["matrix"])
        while now["update"] < self.updates:
            now, here, tried = self._updated(now, here, loss)
            record = {"iteration": now["update"], "pairs": len(seeds), "objective": here.value}
            record |= {"tried": tried, "rate": now["rate"]}
            run.step(record, now["matrix"].astype(np.float32), stays)
            run.save(now)
        return Trained(now["matrix"].astype(np.float32), stays)

    def _updated(self, now: State, here: Look, loss: RelaxedCSLS) -> tuple[State, Look, float]:
        """A step, or where it makes the loss worse, none and half the rate; the value it had."""
        update = now["update"] + 1
        if update == 0:  # the start, to be told of as it is
            return {**now, "update": 0}, here, here.value
        matrix = now["matrix"] - now["rate"] * here.gradient
        if self.spectral:
            matrix = clipped(matrix)
        there = loss.look(matrix)
        if there.value > here.value:
            return {**now, "update": update, "rate": now["rate"] / 2}, here, there.value
        return {**now, "update": update, "matrix": matrix}, there, there.value
