"""Outputs of a command: all are prepared first, then all are moved to their paths, or none.

An output is written under a temporary name beside its target (`leftovers.py`) and synced to the
disk. Moving is the last step and takes one rename for each output. If a rename fails, those before
it are undone. If the process is killed, each output is either the old or the new one; only a kill
between two renames leaves some outputs old and others new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Protocol

from misword.core.errors import MiswordError
from misword.io.files.path_errors import naming
from misword.io.files.sources import PathLike


class Output(Protocol):
    """Something to be written. `shown` is its path as the user wrote it.

    `copied` is true of pipes and standard output, which get a copy that cannot be taken back.
    """

    shown: PathLike
    copied: bool

    def start(self) -> None:
        """Make the temporary file or folder."""

    def complete(self) -> None:
        """Write everything to the disk, after the last change."""

    def move(self) -> None:
        """Put the output in its place."""

    def undo(self) -> None:
        """Restore what was there before `move`; do nothing if nothing was moved."""

    def finish(self) -> None:
        """End the work after all outputs were moved."""

    def discard(self) -> None:
        """Remove everything that is left under temporary names."""


class Outputs:
    """The outputs that are moved together."""

    def __init__(self) -> None:
        self.outputs: list[Output] = []

    @contextmanager
    def adding(self, outputs: Sequence[Output]) -> Iterator[None]:
        """Start outputs; they are complete at the end of this context, or dropped on an error."""
        try:
            for output in outputs:
                with naming(output.shown):
                    output.start()
            yield
            for output in outputs:
                with naming(output.shown):
                    output.complete()
            self.outputs += outputs
        except BaseException:
            discard(outputs)
            raise

    def commit(self) -> None:
        """Move all outputs to their paths; if one cannot be moved, none is."""
        moved: list[Output] = []
        try:
            # A pipe fails more often than a rename, and what it got cannot be taken back.
            for output in sorted(self.outputs, key=lambda output: not output.copied):
                moved.append(output)
                with naming(output.shown):
                    output.move()
        except BaseException:
            for output in reversed(moved):
                with suppress(OSError):
                    output.undo()
            raise
        for output in moved:
            with naming(output.shown):
                output.finish()


def discard(outputs: Iterable[Output]) -> None:
    """Remove everything that outputs have left under temporary names, as far as possible."""
    for output in outputs:
        with suppress(OSError, MiswordError):
            output.discard()


_PENDING: ContextVar[Outputs | None] = ContextVar("pending", default=None)


@contextmanager
def together() -> Iterator[Outputs]:
    """Move all outputs that are written within this context at its end, or none after an error.

    Contexts may be nested: the outermost one moves the outputs.
    """
    pending = _PENDING.get()
    if pending is not None:
        yield pending
        return
    outputs = Outputs()
    token = _PENDING.set(outputs)
    try:
        yield outputs
        outputs.commit()
    finally:
        _PENDING.reset(token)
        discard(outputs.outputs)


@contextmanager
def apart() -> Iterator[None]:
    """Within this context, outputs do not belong to those of `together`: for files of caches."""
    token = _PENDING.set(None)
    try:
        yield
    finally:
        _PENDING.reset(token)
