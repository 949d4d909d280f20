"""MUSE's domain-adversarial training (Conneau et al. 2018, section 2.1).

A discriminator learns to distinguish mapped source vectors from target vectors; the mapping learns
to make them indistinguishable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.bli.arrays import Float32Array
from misword.bli.methods import State, TrainingRun
from misword.bli.methods.linear import mapped_units
from misword.bli.methods.muse.discriminator import Discriminator, one_torch_thread
from misword.bli.methods.muse.refinement import best_targets
from misword.bli.spaces import Space

if TYPE_CHECKING:
    from torch import Generator, Tensor

LEAST_LEARNING_RATE = 1e-6  # below it the training ends, as in the released code


@dataclass(frozen=True, slots=True)
class AdversarialOptions:
    """Options of the adversarial training; the docstring of `MuseU` explains them.

    `learning_rate` is the option `rate` of `MuseU`, all others have the same name there.
    """

    epochs: int
    steps: int
    batch: int
    discriminator_steps: int
    hidden: int
    slope: float
    dropout: float
    smoothing: float
    frequent: int
    learning_rate: float
    decay: float
    shrink: float
    beta: float
    patience: int
    csls: int
    selection: int


class AdversarialTraining:
    """One adversarial training from one random start.

    Each epoch has a random generator with a seed of its own, so that a saved state needs no state
    of a generator. The state has: `epoch`, `rate` (the learning rate), `fell` (1 after the first
    epoch without improvement), `stale` (epochs since the last improvement), `value` (the best
    criterion), `matrix`, `best` (the best matrix), and the weights of the discriminator.
    """

    def __init__(
        self,
        source: Space,
        target: Space,
        options: AdversarialOptions,
        start: int,
        run: TrainingRun,
    ) -> None:
        self.source, self.target, self.options = source, target, options
        self.start, self.run = start, run
        self.target_units = mapped_units(target.rows, None, run.workers)

    def train(self, saved: State | None = None) -> Float32Array:
        """Return the mapping with the best criterion among those after each epoch."""
        with one_torch_thread():
            return self._train(self._initial_state() if saved is None else saved)

    def _train(self, state: State) -> Float32Array:
        import torch

        words = [_frequent(space, self.options.frequent) for space in (self.source, self.target)]
        discriminator = Discriminator.load(state, self.options.slope, self.options.dropout)
        matrix = torch.from_numpy(np.array(state["matrix"]))
        while not self._finished(state):
            accuracy = self._epoch(matrix, discriminator, words, state)
            state = self._evaluated(state, matrix.numpy().copy(), accuracy)
            state |= discriminator.arrays()
            self.run.save(state)
        return np.asarray(state["best"])

    def _initial_state(self) -> State:
        """Return the state before the first epoch: the mapping is the identity."""
        options, size = self.options, self.source.dimension
        discriminator = Discriminator.new(
            size, options.hidden, options.slope, options.dropout, self._generator(-1)
        )
        identity = np.eye(size, dtype=np.float32)
        return {
            "epoch": 0, "rate": options.learning_rate, "fell": 0, "stale": 0, "value": -1.0,
            "matrix": identity, "best": identity, **discriminator.arrays(),
        }  # fmt: skip

    def _finished(self, state: State) -> bool:
        return bool(
            state["epoch"] >= self.options.epochs
            or state["stale"] >= self.options.patience
            or state["rate"] < LEAST_LEARNING_RATE
        )

    def _epoch(
        self, matrix: Tensor, discriminator: Discriminator, words: list[Tensor], state: State
    ) -> float:
        """Train for one epoch; changes `matrix` and `discriminator`, returns the latter's accuracy.

        Labels are smoothed. The discriminator's learning rate does not decay.
        """
        import torch

        options, generator = self.options, self._generator(state["epoch"])
        labels = torch.full((2 * options.batch,), options.smoothing)
        labels[: options.batch] = 1 - options.smoothing
        accuracies = 0.0
        for _ in range(options.steps):
            # Discriminator objective: mapped source (1) or target (0)?
            for _ in range(options.discriminator_steps):
                source, target = self._batch(words, generator)
                rows = torch.cat([source @ matrix, target])
                accuracies += discriminator.learn(rows, labels, options.learning_rate, generator)
            # Mapping objective: the same loss with exchanged labels.
            source, target = self._batch(words, generator)
            gradient = discriminator.input_gradient(
                torch.cat([source @ matrix, target]), 1 - labels
            )
            matrix.addmm_(source.t(), gradient[: options.batch], alpha=-state["rate"])
            # Orthogonality (Cisse et al. 2017): W <- (1 + beta) W - beta (W W^T) W.
            cubed = matrix @ (matrix.t() @ matrix)
            matrix.mul_(1 + options.beta).sub_(cubed, alpha=options.beta)
        return accuracies / (options.steps * options.discriminator_steps)

    def _evaluated(self, state: State, matrix: Float32Array, accuracy: float) -> State:
        """Report an epoch; returns the next state, with the next learning rate.

        The criterion is hit@1 on the validation lexicon or, without one, the mean cosine. The
        learning rate decays in every epoch. From the second epoch on that does not improve the
        criterion, it is also multiplied by `shrink`.
        """
        options, epoch, workers = self.options, state["epoch"] + 1, self.run.workers
        source_units = mapped_units(self.source.rows, matrix, workers)
        cosine = best_targets(
            source_units, self.target_units, options.selection, options.csls, workers
        ).mean_cosine(options.selection)
        record = {"epoch": epoch, "mean cosine": cosine, "discriminator": accuracy}
        hit = self.run.report(record, matrix, np.eye(len(matrix), dtype=np.float32))
        value = cosine if hit is None else hit
        better = value > state["value"]
        learning_rate = state["rate"] * options.decay
        if not better and state["fell"]:
            learning_rate *= options.shrink
        state = {**state, "epoch": epoch, "rate": learning_rate, "matrix": matrix}
        if better:
            return {**state, "value": value, "best": matrix, "stale": 0}
        return {**state, "fell": 1, "stale": state["stale"] + 1}

    def _batch(self, words: list[Tensor], generator: Generator) -> list[Tensor]:
        """Return a batch of random words of each language."""
        import torch

        count = (self.options.batch,)
        return [rows[torch.randint(len(rows), count, generator=generator)] for rows in words]

    def _generator(self, epoch: int) -> Generator:
        import torch

        seeds = np.random.SeedSequence([self.run.seed, self.start, epoch + 1])
        return torch.Generator().manual_seed(int(seeds.generate_state(1, np.uint64)[0] >> 1))


def _frequent(space: Space, frequent: int) -> Tensor:
    """Return the vectors of the most frequent words, without words that have no vector."""
    import torch

    rows = space.rows[:frequent]
    return torch.from_numpy(np.array(rows[rows.any(axis=1)]))
