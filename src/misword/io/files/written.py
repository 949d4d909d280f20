"""The paths of outputs that are in place: what an interrupted command has already written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_WRITTEN: ContextVar[list[str] | None] = ContextVar("written", default=None)


@contextmanager
def recording(written: list[str] | None) -> Iterator[None]:
    """Within this context, `written` gets the paths of outputs; None means that nothing does."""
    token = _WRITTEN.set(written)
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def record(paths: Iterable[str]) -> None:
    """Add the paths of outputs that are in place."""
    written = _WRITTEN.get()
    if written is not None:
        written += paths
