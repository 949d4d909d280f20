"""One training of a mapping: its trace, its validation, and the states it can be resumed from.

A mapping method calls `report` after each iteration and `save` with its state. The state is written
to a file from time to time and when the training is interrupted; `open` reads it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from misword.bli.arrays import Float32Array
from misword.bli.mapping import Record
from misword.bli.methods import State
from misword.bli.validation import Validation
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.signature import Signature
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.schema import any_of, boolean, list_of, mapping_of, number, record, text
from misword.io.files.sources import PathLike

KIND = "misword-training"
VERSION = 1
SCHEMA = record(
    {
        "signature": text(),
        "trace": list_of(mapping_of(number())),
        "state": mapping_of(any_of(number(), text(), boolean)),
    }
)
SECONDS_BETWEEN_WRITES = 15.0  # of states to disk, at least


@dataclass(eq=False)
class Training:
    """The training of one mapping; methods see it as a `TrainingRun`.

    `signature` names the method, its options and its data: a saved state is resumed only if its
    signature is the same. `state_file` is where states are written, None if they are not.
    `on_iteration` is called with the record of every iteration. Records have no times, so that the
    same seed gives the same trace.
    """

    signature: Signature
    seed: int = 0
    workers: int | None = None
    validation: Validation | None = None
    state_file: Path | None = None
    on_iteration: Callable[[Record], None] | None = None
    trace: list[Record] = field(default_factory=list)
    _resumed: State | None = None
    _latest: State | None = None
    _latest_trace: int = 0  # length of the trace when the latest state was saved
    _written: float = field(default_factory=time.monotonic)

    def open(self, *, resume: bool) -> bool:
        """Read the state of an interrupted training; returns whether there is one to resume."""
        if self.state_file is None or not self.state_file.exists():
            return False
        check_interrupted(self.state_file, resume=resume)
        header, arrays = read_archive(
            self.state_file, KIND, "interrupted training", VERSION, SCHEMA
        )
        try:
            signature = Signature.parse(header["signature"])
        except OptionError:
            raise InputError("damaged", where=str(self.state_file), fix="remove it") from None
        state, trace = {**header["state"], **arrays}, header["trace"]
        differences = self.signature.differences(signature)
        if differences:
            raise MismatchError(
                "the interrupted training was another one: " + "; ".join(differences),
                where=str(self.state_file),
                fix="give the options it was started with, or remove the file (here / there)",
            )
        self._resumed = self._latest = state
        self.trace, self._latest_trace = trace, len(trace)
        return True

    @property
    def has_validation(self) -> bool:
        """Whether there is a validation lexicon."""
        return self.validation is not None

    def saved_state(self) -> State | None:
        """Return the state to resume from, None at the start of a training."""
        return self._resumed

    def report(self, record: Record, source: Float32Array, target: Float32Array) -> float | None:
        """Add an iteration to the trace; returns hit@1 on the validation lexicon, if any."""
        hit = None
        if self.validation is not None:
            hit = self.validation.hit(source, target, self.workers)
            record = {**record, "hit@1": hit}
        self.trace.append(record)
        if self.on_iteration is not None:
            self.on_iteration(record)
        return hit

    def save(self, state: State) -> None:
        """Keep a state to resume from, and write it if the last one was written some time ago."""
        self._latest, self._latest_trace = state, len(self.trace)
        if (
            self.state_file is not None
            and time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES
        ):
            self.write()

    def write(self) -> None:
        """Write the latest state, if there is one."""
        if self.state_file is None or self._latest is None:
            return
        arrays = {k: v for k, v in self._latest.items() if isinstance(v, np.ndarray)}
        numbers = {k: v for k, v in self._latest.items() if k not in arrays}
        header = {
            "version": VERSION,
            "signature": str(self.signature),
            "trace": self.trace[: self._latest_trace],
            "state": numbers,
        }
        # A signal interrupts the main thread only: another thread writes the file to its end.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(write_archive, self.state_file, KIND, header, arrays).result()
        self._written = time.monotonic()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within this context, an interruption (Ctrl-C) first writes the latest state."""
        try:
            yield
        except KeyboardInterrupt:
            self.write()
            if self.state_file is None or self._latest is None:
                raise
            raise KeyboardInterrupt(
                f"{self.state_file} has the training up to here: the same command with --resume "
                "goes on"
            ) from None


def check_interrupted(state_file: Path, *, resume: bool) -> None:
    """Raise an error if a new training would overwrite the state of an interrupted one."""
    if state_file.exists() and not resume:
        raise OptionError(
            "an interrupted training is there",
            where=str(state_file),
            fix="go on with it by --resume, or remove the file",
        )


def state_file_of(path: PathLike) -> Path:
    """Return the file that holds the states of a training whose mapping is written to `path`."""
    return Path(f"{Path(path)}.part")
