"""Self-learning: a mapping gives a dictionary, the dictionary a better mapping, and so on.

Artetxe et al. 2018b, section 3.2 and 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from misword.bli.methods import Matrix, Pairs, Run, Trained
from misword.bli.methods.linear import cross, orthogonal
from misword.bli.methods.vecmap.induction import Induced, induce
from misword.bli.methods.vecmap.steps import Treated
from misword.bli.search.threads import by_rows
from misword.bli.search.tiles import Store
from misword.bli.spaces import Space, to_unit
from misword.core.errors import OptionError

BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a training stands: all that decides how it goes on."""

    pairs: Pairs
    turn: int = 1
    improved: int = 0  # the last turn that brought something
    best: float = -100.0
    keep: float = 1.0


@dataclass(frozen=True, slots=True)
class SelfLearning(Treated):
    """What all presets that learn from their own dictionaries share.

    `cutoff`: how many of the most frequent words of each side the dictionaries are made of. `csls`:
    neighbours whose mean cosine is taken off, 0 for plain cosines. `keep`: with what probability a
    pair of words may enter a dictionary at first; after `patience` turns without an improvement of
    `threshold` it is multiplied by `growth`, and at 1 the training ends. `direction`: dictionaries
    of the best target of each source word (forward), of the best source of each target word
    (backward), or both (union).
    """

    cutoff: int = 20_000
    csls: int = 10
    keep: float = 0.1
    growth: float = 2.0
    patience: int = 50
    threshold: float = 1e-6
    direction: Literal["forward", "backward", "union"] = "union"

    def check(self) -> None:
        """Refuse numbers with which the training would not end, or not begin."""
        Treated.check(self)
        for name, least in (("cutoff", 2), ("csls", 0), ("patience", 1)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}", fix=f"use {least} or more")
        if not 0 < self.keep <= 1:
            raise OptionError(f"keep is {self.keep}", fix="use a probability such as 0.1")
        if self.growth <= 1 or not self.threshold > 0:
            raise OptionError(
                f"growth is {self.growth}, threshold {self.threshold}: it would not end",
                fix="use a growth above 1 and a threshold above 0",
            )

    def learn(self, source: Space, target: Space, start: Pairs, run: Run) -> Trained:
        """Go on from a first dictionary until nothing improves."""
        x, z = (units(space.rows[: self.cutoff], space.steps) for space in (source, target))
        stays = np.eye(target.dimension, dtype=np.float32)
        saved, store = run.resume(), Store()
        now = Progress(**saved) if saved else Progress(start, keep=self.keep)
        while (keep := self._keep(now)) is not None:
            # Step 1: the orthogonal map that the dictionary asks for.
            turning = orthogonal(cross(source.rows, target.rows, now.pairs)).astype(np.float32)

            # Step 2: the dictionary that follows from the map, with pairs left out at random.
            found = induce(
                turned(x, turning, run.workers), z, csls=self.csls, keep=keep, seed=run.seed,
                turn=now.turn, workers=run.workers, store=store,
            )  # fmt: skip

            # Step 3: has it improved?
            record = {"iteration": now.turn, "objective": found.objective, "keep": keep}
            run.step(record, turning, stays)
            now = self._next(now, found, keep)
            run.save({name: getattr(now, name) for name in Progress.__slots__})

        # Step 4: in the end, all steps of the mapping.
        made = self.treat(source, target, now.pairs)
        run.step({"iteration": now.turn, "pairs": len(now.pairs)}, made.source, made.target)
        return made

    def _keep(self, now: Progress) -> float | None:
        """The probability for this turn; none where all was kept and it brought nothing more."""
        if now.turn - now.improved <= self.patience:
            return now.keep
        return None if now.keep >= 1 else min(1.0, self.growth * now.keep)

    def _next(self, now: Progress, found: Induced, keep: float) -> Progress:
        better = found.objective - now.best >= self.threshold
        return Progress(
            dictionary(found, self.direction),
            now.turn + 1,
            # A new probability gets its own time.
            now.turn if better or keep != now.keep else now.improved,
            found.objective if better else now.best,
            keep,
        )


def dictionary(found: Induced, direction: str) -> Pairs:
    """Pairs of rows; in a union those that both directions agree on stand there twice."""
    forward = np.column_stack([np.arange(len(found.forward)), found.forward])
    backward = np.column_stack([found.backward, np.arange(len(found.backward))])
    pairs = {"forward": [forward], "backward": [backward], "union": [forward, backward]}[direction]
    joined = np.concatenate(pairs)
    return joined[(joined >= 0).all(axis=1)]


def units(rows: Matrix, steps: Sequence[str]) -> Matrix:
    """Rows of length one, which they may be by the steps that were taken."""
    if steps[-1:] == ("unit",):
        return rows
    made = rows.copy()
    to_unit(made)
    return made


def turned(rows: Matrix, matrix: Matrix, workers: int | None) -> Matrix:
    """Rows times a matrix."""
    made = np.empty_like(rows)

    def work(lo: int, hi: int) -> None:
        np.matmul(rows[lo:hi], matrix, out=made[lo:hi])

    by_rows(work, len(rows), BLOCK, workers)
    return made
