"""A limit on the time of code that Python can interrupt: a search with a regular expression.

Python's `re` looks for signals while it searches, so an alarm clock can end a search that would
take hours. The package `regex` has a limit of its own, but other words: its `\\w` has combining
accents, and its `\\s` lacks some control characters, so that rules would give other texts.

Known problems: there is no limit outside the main thread, which alone gets signals, nor on Windows,
which has no alarm clock.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, thread_time

TICK = 0.1  # seconds between two looks at the clock


class OverTime(Exception):  # noqa: N818 - it says what happened
    """A step took longer than it may."""


class Clock:
    """The deadline of the step that is being done; `start` begins a step, `stop` ends it."""

    def __init__(self) -> None:
        self.deadline = float("inf")

    def start(self, seconds: float) -> None:
        """Begin a step that may take some seconds of the processor's time."""
        self.deadline = thread_time() + seconds

    def stop(self) -> None:
        """End the step."""
        self.deadline = float("inf")

    def look(self, *_: object) -> None:
        """Raise if the step is over time."""
        if thread_time() > self.deadline:
            self.stop()
            raise OverTime


@contextmanager
def time_limits() -> Iterator[Clock]:
    """Yield a clock whose steps are interrupted by `OverTime` if they take too long.

    The alarm clock and the handler of the caller are put back at the end.
    """
    clock = Clock()
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield clock
        return
    began = monotonic()
    handler = signal.signal(signal.SIGALRM, clock.look)
    left, interval = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield clock
    finally:
        clock.stop()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (monotonic() - began), 1e-6), interval)
