"""Mappings: ways to bring the vectors of two languages into one space.

A preset is a part of its own, named after the system and the mode that papers compare: `muse-s`,
`vecmap-u`, ... Its fields are all the parameters of the method, with the preset's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.bli.spaces import Space
from misword.core.registry import Entry, Registry

__all__ = ["METHODS", "Method", "Pairs", "Run", "Trained"]

HERE = "misword.bli.methods"

Matrix = NDArray[np.float32]
Pairs = NDArray[np.int64]  # a row for each pair: a row of the source, a row of the target
State = dict[str, Any]  # arrays and plain numbers


class Run(Protocol):
    """What goes on around a training: randomness, threads, progress, saved states."""

    seed: int
    workers: int | None

    def resume(self) -> State | None:
        """The state that an interrupted training of the same kind left."""
        ...

    def step(self, record: dict[str, float | int], source: Matrix, target: Matrix) -> float | None:
        """Tell what an iteration came to; gives hit@1 on the validation lexicon if there is one.

        `source` and `target` are the matrices as they are now.
        """
        ...

    def save(self, state: State) -> None:
        """Offer a state to resume from; it is written now and then, and on interruption.

        It is kept until the next one: its arrays must not be changed afterwards.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A matrix for each side: rows of a `Space` times its matrix lie in the common space."""

    source: Matrix
    target: Matrix


class Method(Protocol):
    """Learns a mapping. The same seed gives the same matrices, however many threads there are."""

    name: ClassVar[str]
    seeding: ClassVar[Literal["lexicon", "identical", "none"]]

    @property
    def normalize(self) -> str:
        """Steps in order, such as unit+center+unit; or none."""
        ...

    def check(self) -> None:
        """Raise before any work if a package is missing or an option does not fit."""
        ...

    def settings(self) -> tuple[tuple[str, str], ...]:
        """Every parameter, for a signature."""
        ...

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Learn from two normalised spaces and, unless `seeding` is none, pairs of rows."""
        ...


METHODS: Registry[Method] = Registry(
    "mappings",
    {
        "muse-i": Entry(f"{HERE}.muse.presets:MuseI"),
        "muse-s": Entry(f"{HERE}.muse.presets:MuseS"),
        "muse-u": Entry(f"{HERE}.muse.unsupervised:MuseU", extra="neural"),
        "procrustes": Entry(f"{HERE}.procrustes:Procrustes"),
        "rcsls": Entry(f"{HERE}.rcsls.rcsls:RCSLS"),
        "vecmap-i": Entry(f"{HERE}.vecmap.presets:VecMapI"),
        "vecmap-s": Entry(f"{HERE}.vecmap.presets:VecMapS"),
        "vecmap-semi": Entry(f"{HERE}.vecmap.presets:VecMapSemi"),
        "vecmap-u": Entry(f"{HERE}.vecmap.presets:VecMapU"),
    },
)
