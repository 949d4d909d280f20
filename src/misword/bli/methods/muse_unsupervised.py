"""MUSE without a lexicon: adversarial training, then refinement (Conneau et al. 2018).

A discriminator learns to distinguish mapped source vectors from target vectors; the mapping learns
to make them indistinguishable (section 2.1). The discriminator is a network with two hidden layers
of leaky ReLU units (section 3). Its gradients are written out by hand: a training step on a batch
of 64 rows is then three products with the large weight matrix, and the third one adds the update
in place. Automatic differentiation and an optimiser would write the gradient to memory and read it
again.

It needs PyTorch (extra `neural`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Method, Seeding, State, TrainingRun
from misword.bli.methods.muse import Direction, RefinementOptions, best_targets, refine
from misword.bli.methods.procrustes import mapped_units, nearest_orthogonal, rotation
from misword.bli.methods.starts import Starts, failure_note, judged_starts
from misword.bli.methods.vecmap import VecMapU
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.parts import Requirement, check_at_least, check_between

if TYPE_CHECKING:
    from torch import Generator, Tensor

PARAMETERS = ("first", "first_bias", "second", "second_bias", "last", "last_bias")


@dataclass(frozen=True, slots=True, eq=False)
class Discriminator:
    """Weights of the three layers, which `learn` changes in place; a row is the input of a unit."""

    first: Tensor
    first_bias: Tensor
    second: Tensor
    second_bias: Tensor
    last: Tensor
    last_bias: Tensor
    slope: float  # of a leaky ReLU unit below zero
    dropout: float  # share of the input components that are set to zero in training

    @classmethod
    def new(
        cls, dimension: int, hidden: int, slope: float, dropout: float, generator: Generator
    ) -> Discriminator:
        """Return random weights, uniform within 1 / sqrt(inputs) as in PyTorch's linear layer."""
        import torch

        def uniform(inputs: int, *shape: int) -> Tensor:
            weights: Tensor = (torch.rand(shape, generator=generator) * 2 - 1) / inputs**0.5
            return weights

        return cls(
            uniform(dimension, hidden, dimension),
            uniform(dimension, hidden),
            uniform(hidden, hidden, hidden),
            uniform(hidden, hidden),
            uniform(hidden, hidden),
            uniform(hidden, 1),
            slope,
            dropout,
        )

    @classmethod
    def load(cls, arrays: dict[str, Any], slope: float, dropout: float) -> Discriminator:
        """Return the network whose weights `arrays` returned."""
        import torch

        parts = {name: torch.from_numpy(np.array(arrays[name], np.float32)) for name in PARAMETERS}
        return cls(**parts, slope=slope, dropout=dropout)

    def arrays(self) -> dict[str, Float32Array]:
        """Return a copy of all weights, by name."""
        return {name: getattr(self, name).numpy().copy() for name in PARAMETERS}

    def logits(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the log odds that each row is a mapped one, and the values of both hidden layers.

        No dropout is applied.
        """
        import torch
        from torch.nn.functional import leaky_relu

        low = leaky_relu(torch.addmm(self.first_bias, rows, self.first.t()), self.slope)
        high = leaky_relu(torch.addmm(self.second_bias, low, self.second.t()), self.slope)
        return torch.addmv(self.last_bias, high, self.last), low, high

    def learn(
        self, rows: Tensor, labels: Tensor, learning_rate: float, generator: Generator
    ) -> float:
        """Take one gradient step on the mean cross-entropy; returns the accuracy before it."""
        import torch

        kept = torch.rand(rows.shape, generator=generator) >= self.dropout
        rows = rows * kept / (1 - self.dropout)
        logits, low, high = self.logits(rows)
        by_logits, by_high, by_low = self._backward(logits, low, high, labels)
        self.last.addmv_(high.t(), by_logits, alpha=-learning_rate)
        self.last_bias.sub_(by_logits.sum(), alpha=learning_rate)
        self.second.addmm_(by_high.t(), low, alpha=-learning_rate)
        self.second_bias.sub_(by_high.sum(0), alpha=learning_rate)
        self.first.addmm_(by_low.t(), rows, alpha=-learning_rate)
        self.first_bias.sub_(by_low.sum(0), alpha=learning_rate)
        return float(((logits > 0) == (labels > 0.5)).float().mean())

    def input_gradient(self, rows: Tensor, labels: Tensor) -> Tensor:
        """Return the gradient of the mean cross-entropy by the rows, without dropout."""
        logits, low, high = self.logits(rows)
        return self._backward(logits, low, high, labels)[2] @ self.first

    def _backward(
        self, logits: Tensor, low: Tensor, high: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gradients by the logits and by the inputs of the second and first ReLUs."""
        import torch

        relu_backward = torch.ops.aten.leaky_relu_backward
        by_logits = (torch.sigmoid(logits) - labels) / len(labels)
        by_high = relu_backward(torch.outer(by_logits, self.last), high, self.slope, True)
        by_low = relu_backward(by_high @ self.second, low, self.slope, True)
        return by_logits, by_high, by_low


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Within this context PyTorch uses one thread, so that sums round the same on any machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(before)


# MUSE's domain-adversarial training (Conneau et al. 2018, section 2.1).

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


# The mapping method.

INSTALL = "pip install 'misword[neural]'"
# Starts are judged on the most frequent words, normalised.
JUDGED_WORDS, NORMALIZE = 4_000, "unit+center+unit"


@dataclass(frozen=True, slots=True)
class MuseU(Method):
    """Adversarial training instead of a lexicon, then refinement as in `muse-s`.

    A discriminator learns to distinguish mapped source vectors from target vectors; the mapping
    learns to make them indistinguishable.

    An epoch has `steps` steps of the mapping. After each epoch the criterion is computed: the mean
    cosine over the CSLS translations of the `selection` most frequent words, or hit@1 if there is a
    validation lexicon. The best mapping is refined. The training ends after `patience` epochs
    without improvement.

    Then the mean cosine of a word with its nearest translation (`objective` in the trace) is
    compared with that of a random rotation after a short self-learning (`chance`). If it is not
    above chance by the share `margin` of what is missing to 1, the training is repeated from
    another random start, with at most `starts` starts. If all fail, `fallback=self-learning`
    refines a rotation that the self-learning of `vecmap-u` finds, and a note says so;
    `fallback=none` is MUSE alone. The result is the start with the greatest objective.

    Other options: `discriminator_steps` for each step of the mapping, on `batch` words of each
    language among the `frequent` most frequent; `hidden` units in each layer of the discriminator,
    with `slope` below zero and `dropout` of its input; `smoothing` of its labels; `rate`, the
    learning rate, multiplied by `decay` after each epoch and by `shrink` after epochs without
    improvement; `beta`, the strength of the update that keeps the mapping nearly orthogonal.

    Known problems: adversarial training is unstable. Between languages, or vectors, that are not
    much alike, all starts may fail: `vecmap-u` finds a mapping more often, in less time. The
    released defaults, `hidden=2048,epochs=5,steps=31250`, are for a graphics card; the defaults
    here are for a processor, where a step with 2,048 units costs seven times as much as with 512.

    Example: `misword map en.vec fr.vec --method muse-u -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-u"
    revision: ClassVar[int] = 2
    title: ClassVar[str] = "MUSE, unsupervised"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)
    seeding: ClassVar[Seeding] = "none"

    epochs: int = 12
    steps: int = 1000
    batch: int = 32
    discriminator_steps: int = 5
    hidden: int = 512
    slope: float = 0.2
    dropout: float = 0.1
    smoothing: float = 0.1
    frequent: int = 75_000
    rate: float = 0.1
    decay: float = 0.98
    shrink: float = 0.5
    beta: float = 0.001
    patience: int = 3
    starts: int = 2
    margin: float = 0.1
    fallback: Literal["self-learning", "none"] = "self-learning"
    refinements: int = 5
    rank: int = 15_000
    csls: int = 10
    dictionary: Direction = "S2T"
    selection: int = 10_000
    normalize: str = "none"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """PyTorch, for any language."""
        return Requirement(("torch",), INSTALL)

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range or PyTorch is not installed."""
        check_at_least(
            self, epochs=0, steps=1, batch=1, discriminator_steps=1, hidden=1, frequent=1,
            patience=1, starts=1,
        )  # fmt: skip
        check_between(
            self, dropout=(0, 0.99), smoothing=(0, 0.49), slope=(0, 1), beta=(0, 0.5),
            rate=(1e-6, 1e6), decay=(1e-6, 1), shrink=(1e-6, 1),
        )  # fmt: skip
        self._refinement.check()
        self._starts.check()
        Method.check(self, context)

    def notes(self, trace: Sequence[Record]) -> tuple[str, ...]:
        """Return a warning if adversarial training is no better than a random rotation."""
        starts = judged_starts(trace)
        if not self._starts.is_good(starts[-1]):
            return (failure_note(starts, "use vecmap-i, muse-i or a lexicon"),)
        if starts[-1]["start"] < self.starts:
            return ()
        return (
            f"adversarial training failed in all its starts ({self.starts}): the mapping is "
            "refined from a rotation by the self-learning of vecmap-u",
        )

    @property
    def _adversarial(self) -> AdversarialOptions:
        return AdversarialOptions(
            epochs=self.epochs, steps=self.steps, batch=self.batch,
            discriminator_steps=self.discriminator_steps, hidden=self.hidden, slope=self.slope,
            dropout=self.dropout, smoothing=self.smoothing, frequent=self.frequent,
            learning_rate=self.rate, decay=self.decay, shrink=self.shrink, beta=self.beta,
            patience=self.patience, csls=self.csls, selection=self.selection,
        )  # fmt: skip

    @property
    def _refinement(self) -> RefinementOptions:
        return RefinementOptions(
            self.refinements, self.rank, self.csls, self.dictionary, self.selection
        )

    @property
    def _starts(self) -> Starts:
        count = self.starts + (self.fallback != "none")
        return Starts(count, self.margin, JUDGED_WORDS, self.csls)

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity."""
        left, right = source.normalized(NORMALIZE), target.normalized(NORMALIZE)
        identity = np.eye(target.dimension, dtype=np.float32)

        def one_start(number: int, start_run: TrainingRun) -> tuple[MappingMatrices, float]:
            saved = start_run.saved_state()
            refined = saved if saved and "refinement" in saved else None
            if refined:
                first = refined["matrix"]
            elif number < self.starts:
                first = self._adversarial_rotation(source, target, number, start_run)
            else:
                first = rotation(left, right, VecMapU().learn_once(left, right, start_run).pairs)
            matrix = refine(source, target, first, 0, self._refinement, start_run, refined)
            objective = self._starts.objective(left, right, matrix, start_run.workers)
            return MappingMatrices(matrix, identity), objective

        return self._starts.best(left, right, run, one_start)

    def _adversarial_rotation(
        self, source: Space, target: Space, number: int, run: TrainingRun
    ) -> Float32Array:
        training = AdversarialTraining(source, target, self._adversarial, number, run)
        # The result is only nearly orthogonal: its cosines could not be compared.
        trained = training.train(run.saved_state()).astype(np.float64)
        return nearest_orthogonal(trained).astype(np.float32)
