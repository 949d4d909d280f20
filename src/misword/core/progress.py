"""How far a long piece of work has come, told to whoever listens; nobody does by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Step = Callable[[int], None]
Reporter = Callable[[str, int | None], AbstractContextManager[Step]]

_REPORTER: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Step]:
    """Name a piece of work; call what this yields with how much more of `total` is done.

    >>> with progress("reading", 2) as step:
    ...     step(1)
    ...     step(1)
    """
    reporter = _REPORTER.get()
    if reporter is None:
        yield _silent
        return
    with reporter(what, total) as step:
        yield step


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Within this context, tell `reporter` of all work."""
    token = _REPORTER.set(reporter)
    try:
        yield
    finally:
        _REPORTER.reset(token)


def _silent(done: int) -> None:
    """Nobody listens."""
