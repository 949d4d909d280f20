"""MUSE's discriminator: is a vector a mapped source vector or a target vector?

It is a network with two hidden layers of leaky ReLU units (Conneau et al. 2018, section 3). Its
gradients are written out by hand: a training step on a batch of 64 rows is then three products with
the large weight matrix, and the third one adds the update in place. Automatic differentiation and
an optimiser would write the gradient to memory and read it again.

It needs PyTorch (extra `neural`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.arrays import Float32Array

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
