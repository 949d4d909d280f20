"""Bars on a terminal's standard error for work that takes a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from misword.cli.output import SPINNERS
from misword.core.progress import Step, reporting

PATIENCE = 1.0  # seconds before a bar appears
SHOWN: list[Any] = []  # bars on the terminal: work within work shows none of its own


def bars() -> AbstractContextManager[None]:
    """Within this context, show how far long work has come, if somebody is there to see it."""
    return reporting(bar) if sys.stderr.isatty() else nullcontext()


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Step]:
    """A bar for one piece of work; it appears after a second and leaves nothing behind."""
    start, done = time.monotonic(), 0
    drawn: Any = None

    def step(more: int) -> None:
        nonlocal done, drawn
        done += more
        if drawn is None and not SHOWN and time.monotonic() - start > PATIENCE:
            drawn = _draw(what, total)
            SHOWN.append(drawn)
        if drawn is not None:
            rate = done / (time.monotonic() - start)
            drawn.update(drawn.task_ids[0], completed=done, rate=f"{rate:,.0f}/s")

    try:
        yield step
    finally:
        if drawn is not None:
            drawn.stop()
            SHOWN.remove(drawn)
            for spinner in SPINNERS:
                spinner.start()


def _draw(what: str, total: int | None) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    drawn = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    drawn.add_task(what, total=total, rate="")
    for spinner in SPINNERS:
        spinner.stop()
    drawn.start()
    return drawn
