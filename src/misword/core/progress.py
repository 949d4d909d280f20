"""Progress of long work, reported to a function that a caller sets; by default to none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Step = Callable[[int], None]
Reporter = Callable[[str, int | None], AbstractContextManager[Step]]


class Bytes(int):
    """An amount of work in bytes, so that a progress bar can say so."""


_REPORTER: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Step]:
    """Announce a piece of work; yields the function to call with each amount of it that is done.

    `what` names the work and `total` is its amount, None if that is not known.

    >>> with progress("reading", 2) as step:
    ...     step(1)
    ...     step(1)
    """
    reporter = _REPORTER.get()
    if reporter is None:
        yield _ignore
        return
    with reporter(what, total) as step:
        yield step


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Within this context, report all work to `reporter`."""
    token = _REPORTER.set(reporter)
    try:
        yield
    finally:
        _REPORTER.reset(token)


def _ignore(done: int) -> None:
    """Do nothing: no reporter is set."""
