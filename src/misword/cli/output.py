"""Progress on standard error, and the files that commands write."""

from __future__ import annotations

import argparse
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from misword.cli.commands import options_of
from misword.cli.printing import note, shows_progress
from misword.core.errors import OptionError, visible
from misword.core.progress import Bytes, Step, reporting

if TYPE_CHECKING:
    from misword.core.parts import Part
    from misword.core.types import Result
    from misword.stat.measure import MetricColumn


class HasColumns(Protocol):
    """Scores of any kind, with their metrics."""

    @property
    def columns(self) -> Sequence[MetricColumn]:
        """The metrics."""


def note_unused(
    options: argparse.Namespace, scores: HasColumns, others: Collection[str] = ()
) -> None:
    """Note which options, such as `--vectors`, no metric reads.

    `others` are the options that the command itself reads.
    """
    note_unread(options, "metric", [column.measure for column in scores.columns], others)


def note_unread(
    options: argparse.Namespace, kind: str, parts: Iterable[Part], others: Collection[str] = ()
) -> None:
    """Note which options that are for parts of a kind none of the parts reads."""
    read = {name for part in parts for name in (*part.needs, *part.uses)}.union(others)
    for name, option in options_of(options.command).items():
        if option.used_by_parts and getattr(options, name) and name not in read:
            note(f"no {kind} here uses {option.flags_of(name)[0]}")


def refuse_options(options: argparse.Namespace, names: Iterable[str], beside: str) -> None:
    """Raise if an option is set that has no meaning beside another one."""
    known = options_of(options.command)
    for name in names:
        if getattr(options, name) != known[name].default:
            flag = known[name].flags_of(name)[0]
            raise OptionError(f"{flag} beside {beside}", fix="leave one of them out")


# Spinners that are shown now; a progress bar pauses them.
SPINNERS: list[Any] = []


@contextmanager
def status(message: str) -> Iterator[None]:
    """Show a spinner with a message on standard error while work goes on, if it is a terminal."""
    if not shows_progress():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(visible(message))) as spinner:
        SPINNERS.append(spinner)
        try:
            yield
        finally:
            SPINNERS.remove(spinner)


def check_out(options: argparse.Namespace) -> None:
    """Raise, before any work, if the result folder has a result that is not to be replaced."""
    if options.out is not None and not _is_unicode(options.out):
        raise OptionError(
            "this name is not valid Unicode", where=options.out, fix="use another name"
        )
    if options.out == "":  # `Path` takes it for the current folder
        raise OptionError("the name of the result folder is empty", fix="name a folder: --out DIR")
    if options.out is not None and not options.force:
        from misword.io.results import refuse_older

        refuse_older(options.out)
    elif options.force and options.out is None and not getattr(options, "all", False):
        raise OptionError("--force without --out", fix="name the folder: --out DIR --force")


def _is_unicode(name: str) -> bool:
    """Return whether a name has no bytes that Python could not decode."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def check_output(options: argparse.Namespace) -> None:
    """Raise, before any work, if the result folder or the report is not to be written."""
    check_out(options)
    if options.title is not None and options.out is None and options.report is None:
        raise OptionError(
            "--title without --report or --out", fix="name the page: --report report.html"
        )
    audio = getattr(options, "audio", None)
    if options.report is None:
        if audio is not None:
            raise OptionError("--audio without --report", fix="add --report FILE")
        return
    from misword.report import check_path

    check_audio(audio)

    refuse_standard_output(options.report, "--report report.html")
    check_path(options.report, input_files(options))


def check_audio(folder: str | None) -> None:
    """Raise, before any work, if there is no such folder of audio."""
    if folder is not None:
        from misword.report.explorer.audio import check_audio_folder

        check_audio_folder(folder)


def refuse_standard_output(path: str, instead: str) -> None:
    """Raise if a second output is to go to standard output, which gets the results."""
    if path == "-":
        raise OptionError("standard output gets the results", fix=f"name a file: {instead}")


def input_files(options: argparse.Namespace) -> Iterator[str]:
    """Yield the files that a command reads."""
    for name, option in options_of(options.command).items():
        value = getattr(options, name) if option.is_file else None
        yield from [value] if isinstance(value, str) else value or ()


def write_output(result: Result, options: argparse.Namespace) -> None:
    """Write the result folder and the report: both, or none if one cannot be made."""
    if options.report is None and options.out is None:
        return
    from misword.io.files.writing import together
    from misword.io.results import write_result

    page = ""
    if options.report is not None:
        from misword.report import render, write_page

        audio = getattr(options, "audio", None)
        page = render([result], path=options.report, audio=audio, note=note)
    with together():
        if options.out is not None:
            write_result(result, options.out)
        if options.report is not None:
            write_page(page, options.report)


# Progress bars on standard error, if it is a terminal.

PATIENCE = 1.0  # seconds before a bar appears
ACTIVE_BARS: list[Any] = []  # the bar that is on the terminal now; there is at most one


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
        if shown is None and not ACTIVE_BARS and time.monotonic() - start > PATIENCE:
            shown = _show(what, total)
            ACTIVE_BARS.append(shown)
        if shown is not None:
            speed = _speed(done, done / (time.monotonic() - start), isinstance(total, Bytes))
            shown.update(shown.task_ids[0], completed=done, speed=speed)

    try:
        yield step
    finally:
        if shown is not None:
            shown.stop()
            ACTIVE_BARS.remove(shown)
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
