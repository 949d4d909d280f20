"""The game of MUSE: a discriminator learns to tell two languages apart, a mapping to deceive it.

Steps of the paper (Conneau et al. 2018, section 2.1) are marked in `Game._epoch`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.bli.methods import Matrix, Run, State
from misword.bli.methods.muse.discriminator import Discriminator, one_torch_thread
from misword.bli.methods.muse.refinement import mapped, translations
from misword.bli.spaces import Space
from misword.core.errors import OptionError

if TYPE_CHECKING:
    from torch import Generator, Tensor

LEAST_RATE = 1e-6  # where the released code ends


@dataclass(frozen=True, slots=True)
class Rules:
    """The parameters of a game; `MuseU` says what they are."""

    epochs: int
    steps: int
    batch: int
    discriminator_steps: int
    hidden: int
    slope: float
    dropout: float
    smoothing: float
    frequent: int
    rate: float
    decay: float
    shrink: float
    beta: float
    patience: int
    csls: int
    selection: int

    def check(self) -> None:
        """Refuse numbers that make no game."""
        whole = ("steps", "batch", "discriminator_steps", "hidden", "frequent", "patience")
        for name, least in (("epochs", 0), *((name, 1) for name in whole)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}", fix=f"use {least} or more")
        bounds: dict[str, tuple[float, float]] = {
            "dropout": (0, 0.99),
            "smoothing": (0, 0.49),
            "slope": (0, 1),
            "beta": (0, 0.5),
        }
        bounds |= {"rate": (1e-6, 1e6), "decay": (1e-6, 1), "shrink": (1e-6, 1)}
        for name, (low, high) in bounds.items():
            if not low <= getattr(self, name) <= high:
                raise OptionError(
                    f"{name} is {getattr(self, name)}", fix=f"use a number from {low} to {high}"
                )


class Game:
    """One game from one start. Each epoch draws from a seed of its own: no other need be kept."""

    def __init__(self, source: Space, target: Space, rules: Rules, start: int, run: Run) -> None:
        self.source, self.target, self.rules, self.start, self.run = (
            source, target, rules, start, run,
        )  # fmt: skip
        self.fixed = mapped(target.rows, None, run.workers)

    def play(self, state: State | None = None) -> Matrix:
        """The mapping with the greatest mean cosine among those after each epoch."""
        with one_torch_thread():
            return self._play(state)

    def _play(self, state: State | None) -> Matrix:
        import torch

        rules = self.rules
        words = [_vectors(space, rules.frequent) for space in (self.source, self.target)]
        now = self._first() if state is None else state
        judge = Discriminator.load(now, rules.slope, rules.dropout)
        matrix = torch.from_numpy(np.array(now["matrix"]))
        while not self._over(now):
            right = self._epoch(matrix, judge, words, now)
            now = self._judged(now, matrix.numpy().copy(), right)
            now |= judge.arrays()
            self.run.save(now)
        return np.asarray(now["best"])

    def _first(self) -> State:
        """The state before the first epoch: the mapping is the identity."""
        size = self.source.dimension
        fresh = Discriminator.new(
            size, self.rules.hidden, self.rules.slope, self.rules.dropout, self._generator(-1)
        )
        same = np.eye(size, dtype=np.float32)
        return {
            "epoch": 0, "rate": self.rules.rate, "fell": 0, "stale": 0, "value": -1.0,
            "matrix": same, "best": same, **fresh.arrays(),
        }  # fmt: skip

    def _over(self, now: State) -> bool:
        return bool(
            now["epoch"] >= self.rules.epochs
            or now["stale"] >= self.rules.patience
            or now["rate"] < LEAST_RATE
        )

    def _epoch(
        self, matrix: Tensor, judge: Discriminator, words: list[Tensor], now: State
    ) -> float:
        """Play; `matrix` and `judge` are changed. Gives the share the discriminator had right."""
        import torch

        rules, generator = self.rules, self._generator(now["epoch"])
        labels = torch.full((2 * rules.batch,), rules.smoothing)
        labels[: rules.batch] = 1 - rules.smoothing
        right = 0.0
        for _ in range(rules.steps):
            # 1. The discriminator learns: mapped source (1) or target (0)?
            for _ in range(rules.discriminator_steps):
                source, target = self._batch(words, generator)
                shown = torch.cat([source @ matrix, target])
                right += judge.learn(shown, labels, rules.rate, generator)
            # 2. The mapping learns to deceive it: the same loss, labels turned.
            source, target = self._batch(words, generator)
            pull = judge.pull(torch.cat([source @ matrix, target]), 1 - labels)
            matrix.addmm_(source.t(), pull[: rules.batch], alpha=-now["rate"])
            # 3. It is kept near the orthogonal ones (Cisse et al. 2017).
            around = matrix @ (matrix.t() @ matrix)
            matrix.mul_(1 + rules.beta).sub_(around, alpha=rules.beta)
        return right / (rules.steps * rules.discriminator_steps)

    def _judged(self, now: State, matrix: Matrix, right: float) -> State:
        """The state after an epoch: what it came to, the next rate."""
        rules = self.rules
        moved = mapped(self.source.rows, matrix, self.run.workers)
        found = translations(moved, self.fixed, rules.selection, rules.csls, self.run.workers)
        close = found.mean_cosine(rules.selection)
        record = {"epoch": now["epoch"] + 1, "mean cosine": close, "discriminator": right}
        hit = self.run.step(record, matrix, np.eye(len(matrix), dtype=np.float32))
        value = close if hit is None else hit
        better = value > now["value"]
        rate = now["rate"] * rules.decay
        if not better and now["fell"]:
            rate *= rules.shrink
        now = {**now, "epoch": now["epoch"] + 1, "rate": rate, "matrix": matrix}
        if better:
            return {**now, "value": value, "best": matrix, "stale": 0}
        return {**now, "fell": 1, "stale": now["stale"] + 1}

    def _batch(self, words: list[Tensor], generator: Generator) -> list[Tensor]:
        """So many words of each language at random."""
        import torch

        count = (self.rules.batch,)
        return [rows[torch.randint(len(rows), count, generator=generator)] for rows in words]

    def _generator(self, epoch: int) -> Generator:
        import torch

        seeds = np.random.SeedSequence([self.run.seed, self.start, epoch + 1])
        return torch.Generator().manual_seed(int(seeds.generate_state(1, np.uint64)[0] >> 1))


def _vectors(space: Space, frequent: int) -> Tensor:
    """The vectors of the most frequent words that have one."""
    import torch

    rows = space.rows[:frequent]
    return torch.from_numpy(np.array(rows[rows.any(axis=1)]))
