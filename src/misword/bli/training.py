"""A training that is under way: what it tells, and what it keeps to go on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.mapping import Record
from misword.bli.spaces import Matrix, Space, to_unit
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.signature import Signature
from misword.embed.vectors.neighbors import ROWS, blocks, nearest
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.sources import PathLike

KIND = "misword-training"
VERSION = 1
EVERY = 15.0  # seconds between two states on disk
State = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """Words whose translations are known, to see how a training comes along.

    `queries` are rows of the source, each once; `gold` are all right pairs of rows, as one number.
    """

    source: Space
    target: Space
    queries: NDArray[np.int64]
    gold: NDArray[np.int64]

    @classmethod
    def of(cls, source: Space, target: Space, pairs: NDArray[np.int64]) -> Validation:
        """From pairs of rows."""
        gold = pairs[:, 0] * len(target) + pairs[:, 1]
        return cls(source, target, np.unique(pairs[:, 0]), gold)

    def hit(self, source: Matrix, target: Matrix, workers: int | None = None) -> float:
        """The share of words whose nearest target, by plain cosine, is a right one."""
        unmoved = np.array_equal(target, np.eye(len(target), dtype=np.float32))
        queries = self.source.rows[self.queries] @ source
        ids, _ = nearest(queries, self._targets(None if unmoved else target), 1, workers)
        right = np.isin(self.queries * len(self.target) + ids[:, 0], self.gold)
        return float(right.mean())

    def _targets(self, matrix: Matrix | None) -> Iterator[Matrix]:
        unit = matrix is None and self.target.steps[-1:] == ("unit",)
        for block in blocks(self.target.rows, ROWS):
            if not unit:
                block = block.copy() if matrix is None else block @ matrix
                to_unit(block)
            yield block


@dataclass(eq=False)
class Training:
    """The run of one training; `part` is the file for its states, if they are to be kept.

    `signature` says what is trained on what: a state is only resumed where all of it is the same.
    `tell` hears of every iteration. No times are kept: the same seed gives the same trace.
    """

    signature: Signature
    seed: int = 0
    workers: int | None = None
    validation: Validation | None = None
    part: Path | None = None
    tell: Callable[[Record], None] | None = None
    trace: list[Record] = field(default_factory=list)
    _resumed: State | None = None
    _state: State | None = None
    _told: int = 0
    _written: float = field(default_factory=time.monotonic)

    def open(self, *, resume: bool) -> bool:
        """Look for the state of an earlier run; gives whether there is one to go on from."""
        if self.part is None or not self.part.exists():
            return False
        refuse_interrupted(self.part, resume=resume)
        header, arrays = read_archive(self.part, KIND, "interrupted training", VERSION)
        try:
            theirs = Signature.parse(header["signature"])
            state, trace = {**header["state"], **arrays}, list(header["trace"])
        except (KeyError, TypeError):
            raise InputError("damaged", where=str(self.part), fix="remove it") from None
        differences = self.signature.differences(theirs)
        if differences:
            raise MismatchError(
                "the interrupted training was another one: " + "; ".join(differences),
                where=str(self.part),
                fix="give the options it was started with, or remove the file (here / there)",
            )
        self._resumed = self._state = state
        self.trace, self._told = trace, len(trace)
        return True

    def resume(self) -> State | None:
        """The state that an interrupted training of the same kind left."""
        return self._resumed

    def step(self, record: Record, source: Matrix, target: Matrix) -> float | None:
        """Tell what an iteration came to; gives hit@1 on the validation lexicon if there is one."""
        hit = None
        if self.validation is not None:
            hit = self.validation.hit(source, target, self.workers)
            record = {**record, "hit@1": hit}
        self.trace.append(record)
        if self.tell is not None:
            self.tell(record)
        return hit

    def save(self, state: State) -> None:
        """Offer a state to resume from; its arrays must not be changed afterwards."""
        self._state, self._told = state, len(self.trace)
        if self.part is not None and time.monotonic() - self._written >= EVERY:
            self.write()

    def write(self) -> None:
        """Write the latest state, if there is one."""
        if self.part is None or self._state is None:
            return
        arrays = {k: v for k, v in self._state.items() if isinstance(v, np.ndarray)}
        plain = {k: v for k, v in self._state.items() if k not in arrays}
        header = {
            "version": VERSION,
            "signature": str(self.signature),
            "trace": self.trace[: self._told],
            "state": plain,
        }
        write_archive(self.part, KIND, header, arrays)
        self._written = time.monotonic()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within this context, an interruption (Ctrl-C) writes the latest state first."""
        try:
            yield
        except KeyboardInterrupt:
            self.write()
            if self.part is None or self._state is None:
                raise
            raise KeyboardInterrupt(
                f"{self.part} has the training up to here: the same command with --resume goes on"
            ) from None


def refuse_interrupted(part: Path, *, resume: bool) -> None:
    """Refuse to lose what an interrupted training came to."""
    if part.exists() and not resume:
        raise OptionError(
            "an interrupted training is there",
            where=str(part),
            fix="go on with it by --resume, or remove the file",
        )


def part_of(path: PathLike) -> Path:
    """Where the states of a training are kept whose mapping will be here."""
    return Path(f"{Path(path)}.part")
