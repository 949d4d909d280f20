"""The network that MUSE plays against: is this a mapped source vector or a target vector?

Two hidden layers; the gradients are written out. A step of so small a network on a batch of 64 rows
is three products with the large matrix, and the update is added to it within the third: with a
general differentiation and an optimiser, the gradient would be written down and read again.
Needs PyTorch (extra `neural`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Generator, Tensor

PARAMETERS = ("first", "first_bias", "second", "second_bias", "last", "last_bias")


@dataclass(frozen=True, slots=True, eq=False)
class Discriminator:
    """Weights of the layers, changed in place by `learn`; rows of a layer are its units."""

    first: Tensor
    first_bias: Tensor
    second: Tensor
    second_bias: Tensor
    last: Tensor
    last_bias: Tensor
    slope: float  # of a hidden unit below zero
    dropout: float  # share of the input that is hidden in training

    @classmethod
    def new(
        cls, dimension: int, hidden: int, slope: float, dropout: float, generator: Generator
    ) -> Discriminator:
        """Weights uniform within 1 / sqrt(inputs), as PyTorch begins a linear layer."""
        import torch

        def uniform(inputs: int, *shape: int) -> Tensor:
            drawn: Tensor = (torch.rand(shape, generator=generator) * 2 - 1) / inputs**0.5
            return drawn

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
        """From what `arrays` gave."""
        import torch

        parts = {name: torch.from_numpy(np.array(arrays[name], np.float32)) for name in PARAMETERS}
        return cls(**parts, slope=slope, dropout=dropout)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """A copy of all weights."""
        return {name: getattr(self, name).numpy().copy() for name in PARAMETERS}

    def logits(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The log odds that each row is a mapped one, and the states of both hidden layers."""
        import torch
        from torch.nn.functional import leaky_relu

        low = leaky_relu(torch.addmm(self.first_bias, rows, self.first.t()), self.slope)
        high = leaky_relu(torch.addmm(self.second_bias, low, self.second.t()), self.slope)
        return torch.addmv(self.last_bias, high, self.last), low, high

    def learn(self, rows: Tensor, labels: Tensor, rate: float, generator: Generator) -> float:
        """One step down the mean cross-entropy; gives the share of rows it had right."""
        import torch

        kept = torch.rand(rows.shape, generator=generator) >= self.dropout
        rows = rows * kept / (1 - self.dropout)
        logits, low, high = self.logits(rows)
        off, back_high, back_low = self._back(logits, low, high, labels)
        self.last.addmv_(high.t(), off, alpha=-rate)
        self.last_bias.sub_(off.sum(), alpha=rate)
        self.second.addmm_(back_high.t(), low, alpha=-rate)
        self.second_bias.sub_(back_high.sum(0), alpha=rate)
        self.first.addmm_(back_low.t(), rows, alpha=-rate)
        self.first_bias.sub_(back_low.sum(0), alpha=rate)
        return float(((logits > 0) == (labels > 0.5)).float().mean())

    def pull(self, rows: Tensor, labels: Tensor) -> Tensor:
        """The gradient of the mean cross-entropy by the rows, nothing hidden."""
        logits, low, high = self.logits(rows)
        return self._back(logits, low, high, labels)[2] @ self.first

    def _back(
        self, logits: Tensor, low: Tensor, high: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients by the sums that come into the last, the second and the first layer."""
        import torch

        steepness = torch.ops.aten.leaky_relu_backward
        off = (torch.sigmoid(logits) - labels) / len(labels)
        back_high = steepness(torch.outer(off, self.last), high, self.slope, True)
        back_low = steepness(back_high @ self.second, low, self.slope, True)
        return off, back_high, back_low


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Within this context PyTorch sums in one order, whatever the machine has."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(before)
