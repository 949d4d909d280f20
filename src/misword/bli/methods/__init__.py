"""Mapping methods: ways to bring the word vectors of two languages into one common space.

Each preset of a system is a part of its own, named after the system and the mode as papers compare
them: `muse-s` (supervised), `vecmap-u` (unsupervised), ... Its fields are all parameters of the
method, and their defaults are the values of the preset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.spaces import Space, parse_steps
from misword.core.context import Context
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry

__all__ = ["METHODS", "MappingMatrices", "Method", "Seeding", "State", "TrainingRun"]

HERE = "misword.bli.methods"

Seeding = Literal["lexicon", "identical", "none"]
State = dict[str, Any]  # arrays, numbers and strings, by name


class TrainingRun(Protocol):
    """The services that a training offers to its method: seed, threads, trace, saved states."""

    seed: int
    workers: int | None

    @property
    def has_validation(self) -> bool:
        """Whether there is a validation lexicon, so that `report` returns hit@1."""
        ...

    def saved_state(self) -> State | None:
        """Return the last state that an interrupted training of the same method saved."""
        ...

    def report(self, record: Record, source: Float32Array, target: Float32Array) -> float | None:
        """Report an iteration; returns hit@1 on the validation lexicon if there is one.

        `source` and `target` are the matrices after this iteration.
        """
        ...

    def save(self, state: State) -> None:
        """Save a state to resume from; not every state is written to disk.

        The state is kept until the next call: its arrays must not be changed afterwards.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MappingMatrices:
    """A matrix for each side: the rows of a `Space` times its matrix are in the common space."""

    source: Float32Array
    target: Float32Array


class Method(Part):
    """Base class of mapping methods.

    The same seed gives the same matrices, whatever the number of threads.

    `seeding` names the pairs that a method starts from: those of a `lexicon`, the words that are
    `identical` in both vocabularies, or `none`.
    """

    __slots__ = ()

    family: ClassVar[str] = "mapping"
    seeding: ClassVar[Seeding] = "none"

    @property
    def normalize(self) -> str:
        """Normalisation steps in their order, such as `unit+center+unit`, or `none`."""
        return "none"

    def check(self, context: Context) -> None:
        """Raise an error before any work if an option is wrong or a package is missing."""
        parse_steps(self.normalize)
        Part.check(self, context)

    def notes_before(self, source: Space, target: Space) -> tuple[str, ...]:
        """Return what a user must know before the training, such as an unsuitable option."""
        return ()

    def notes(self, trace: Sequence[Record]) -> tuple[str, ...]:
        """Return what a user must know about the result of a training, from its trace."""
        return ()

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Learn from two normalised spaces and, unless `seeding` is `none`, pairs of rows."""
        raise NotImplementedError


METHODS: Registry[Method] = Registry(
    "mappings",
    {
        "misword-r": Entry(f"{HERE}.regularized:MiswordR"),
        "misword-s": Entry(f"{HERE}.misword_presets:MiswordS"),
        "misword-u": Entry(f"{HERE}.misword_presets:MiswordU"),
        "muse-i": Entry(f"{HERE}.muse:MuseI"),
        "muse-s": Entry(f"{HERE}.muse:MuseS"),
        "muse-u": Entry(f"{HERE}.muse_unsupervised:MuseU", extra="neural"),
        "procrustes": Entry(f"{HERE}.procrustes:Procrustes"),
        "rcsls": Entry(f"{HERE}.rcsls:RCSLS"),
        "vecmap-i": Entry(f"{HERE}.vecmap:VecMapI"),
        "vecmap-s": Entry(f"{HERE}.vecmap:VecMapS"),
        "vecmap-semi": Entry(f"{HERE}.vecmap:VecMapSemi"),
        "vecmap-u": Entry(f"{HERE}.vecmap:VecMapU"),
    },
)
