"""Progress bars on standard error, if it is a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from misword.cli.output import SPINNERS
from misword.cli.quiet import shows_progress
from misword.core.progress import Bytes, Step, reporting
from misword.core.visible import visible

PATIENCE = 1.0  # seconds before a bar appears
SHOWN: list[Any] = []  # the bar that is on the terminal now; there is at most one


def bars() -> AbstractContextManager[None]:
    """Return a context within which long work shows progress bars."""
    return reporting(bar) if shows_progress() else nullcontext()


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Step]:
    """Show a bar for one piece of work; it appears after a second and is removed at the end.

    Work within other work shows no bar while the bar of the outer work is shown.
    """
    start, done = time.monotonic(), 0
    shown: Any = None

    def step(more: int) -> None:
        nonlocal done, shown
        done += more
        if shown is None and not SHOWN and time.monotonic() - start > PATIENCE:
            shown = _show(what, total)
            SHOWN.append(shown)
        if shown is not None:
            speed = _speed(done, done / (time.monotonic() - start), isinstance(total, Bytes))
            shown.update(shown.task_ids[0], completed=done, speed=speed)

    try:
        yield step
    finally:
        if shown is not None:
            shown.stop()
            SHOWN.remove(shown)
            for spinner in SPINNERS:
                spinner.start()


def _speed(done: float, speed: float, of_bytes: bool) -> str:
    """Return how much is done in a second; of bytes also how much is done.

    >>> _speed(2_500_000, 1_200_000, True), _speed(7, 1234, False)
    ('2.5 MB, 1.2 MB/s', '1,234/s')
    """
    return f"{done / 1e6:,.1f} MB, {speed / 1e6:,.1f} MB/s" if of_bytes else f"{speed:,.0f}/s"


def _show(what: str, total: int | None) -> Any:
    """Pause the spinners, show a bar and return it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[speed]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    shown.add_task(visible(what), total=total, speed="")
    for spinner in SPINNERS:
        spinner.stop()
    shown.start()
    return shown
