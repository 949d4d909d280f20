"""The option `-q`: whether notes and progress are shown on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quieted(quiet: bool) -> Iterator[None]:
    """Return a context within which, if `quiet`, no notes and no progress are shown."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def shows_notes() -> bool:
    """Return whether notes are shown."""
    return not _QUIET.get()


def shows_progress() -> bool:
    """Return whether progress is shown: only on a terminal."""
    return shows_notes() and sys.stderr.isatty()
