"""Tables in all output formats, spinners, and the files that commands write."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from misword.cli.commands import options_of
from misword.cli.printing import (
    code_span,
    markdown_text,
    note,
    output_errors,
    print_csv_rows,
    print_json,
    print_markdown,
    print_text,
    shows_progress,
)
from misword.core import formatting
from misword.core.errors import OptionError, visible
from misword.core.progress import Bytes, Step, reporting
from misword.core.tables import Table, facts_table
from misword.io.files.writing import together
from misword.io.results import refuse_older, write_result

if TYPE_CHECKING:
    from misword.core.types import Result
    from misword.stat.measure import MetricColumn


class HasColumns(Protocol):
    """Scores of any kind, with their metrics."""

    @property
    def columns(self) -> Sequence[MetricColumn]:
        """The metrics."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text cells; the first `left` columns are aligned left, the others right.

    `title` is printed above the table. Columns named in `prose` may be folded on a terminal.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    title: str = ""
    prose: Collection[str] = ()

    @classmethod
    def of(cls, table: Table) -> TextTable:
        """Return a described table; each of several texts in a cell has a line of its own."""
        columns, rows = table.shown(), []
        for row in table.rows:
            cells = [column.cell(row).split("\n") if column.is_texts else [column.cell(row)]
                     for column in columns]  # fmt: skip
            rows += [list(line) for line in zip_longest(*cells, fillvalue="")]
        prose = {column.header for column in columns if column.prose}
        return cls(table.header(), rows, table.keys, table.title, prose)

    def markdown(self) -> str:
        """Return the table in Markdown; text of the user in it cannot become markup."""
        marks = [":--" if i < self.left else "--:" for i in range(len(self.header))]
        header, *rows = (list(map(markdown_text, row)) for row in (self.header, *self.rows))
        title = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        return "\n".join(
            [*title, *("| " + " | ".join(row) + " |" for row in [header, marks, *rows])]
        )

    def show(self, file: TextIO | None = None) -> None:
        """Print the table, as wide as the terminal at most; in a pipe each row is one line.

        Control characters are shown as escapes.
        """
        from rich.text import Text

        from misword.cli.table_layout import UNLIMITED, fitted

        out = console(file)
        if not out.is_terminal:
            out.width = UNLIMITED  # programs that read lines want each row on one line
        if self.title:
            out.print(Text(visible(self.title), "bold"))
        header, *rows = (list(map(visible, row)) for row in (self.header, *self.rows))
        tables = list(fitted(out, header, rows, self.left, self.prose))
        for table in tables:
            # A row that is still too wide wraps; rich would cut off digits and names instead.
            needed = out.measure(table, options=out.options.update(max_width=UNLIMITED)).minimum
            wide, out.width = out.width, max(out.width, needed)
            out.print(table)
            out.width = wide


def print_tables(tables: Iterable[TextTable], signatures: Iterable[str], *, marked: bool) -> None:
    """Print tables, in Markdown if `marked`, and below them the signatures of their numbers."""
    for table in tables:
        if marked:
            print_markdown(table.markdown(), end="\n\n")
        else:
            table.show()
    print_signatures(signatures, marked=marked)


def print_paragraph(
    *lines: str, marked: bool, form: str = "{}", file: TextIO | None = None
) -> None:
    """Print lines of text; in Markdown, each in `form` (such as `**{}**`), then an empty line."""
    if marked:
        shown = "\n".join(form.format(markdown_text(line)) for line in lines)
        print_markdown(shown, file, end="\n\n")
    else:
        print_text(*map(visible, lines), file=file)


def print_signatures(
    signatures: Iterable[str], *, marked: bool, file: TextIO | None = None
) -> None:
    """Print signatures, a line for each, in Markdown as code."""
    if marked:
        print_markdown("\n".join(map(code_span, signatures)), file)
    else:
        print_text(*map(visible, signatures), file=file)


def console(file: TextIO | None = None) -> Any:
    """Return a rich console for standard output or a file; 200 columns wide unless a terminal."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Raise, so that `main` handles it as for any other output."""
            raise BrokenPipeError

        def print(self, *objects: Any, **options: Any) -> None:
            """Print; an error of the stream is reported as for any other output."""
            with output_errors():
                super().print(*objects, **options)

    wide = None if (file or sys.stdout).isatty() else 200
    return Output(highlight=False, width=wide, file=file)


def print_facts(facts: dict[str, Any], form: str) -> None:
    """Print names and values, a row for each; values that are None or empty are left out."""
    if form == "json":
        print_json(facts)
        return
    table = facts_table(facts)
    if form == "csv":  # whole numbers are for programs here, without commas
        plain = {name: str(value) for name, value in facts.items() if type(value) is int}
        rows = [{**row, "value": plain.get(row["what"], row["value"])} for row in table.rows]
        table = replace(table, rows=rows)
    print_table(TextTable.of(table), form)


def print_table(table: TextTable, form: str) -> None:
    """Print a table in one of the formats `table`, `md` and `csv`."""
    if form == "table":
        table.show()
    elif form == "md":
        print_markdown(table.markdown())
    else:
        print_csv_rows([table.header, *table.rows])


def percent(rate: float | None, *, signed: bool = False) -> str:
    """Return a rate in percent with two decimals; empty if there is none."""
    show = formatting.signed if signed else formatting.percent
    return show(rate, 2, plain=True)


def span(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Return an interval in percent with two decimals; empty if there is none."""
    show = formatting.signed_span if signed else formatting.span
    return show(low, high, 2, plain=True)


p_value = formatting.probability


def note_unused(
    options: argparse.Namespace, scores: HasColumns, others: Collection[str] = ()
) -> None:
    """Note which options, such as `--vectors`, no metric reads.

    `others` are the options that the command itself reads.
    """
    metrics = [column.measure for column in scores.columns]
    read = {name for metric in metrics for name in (*metric.needs, *metric.uses)}.union(others)
    for name, option in options_of(options.command).items():
        if option.used_by_parts and getattr(options, name) and name not in read:
            note(f"no metric here uses {option.flags_of(name)[0]}")


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
        refuse_older(options.out)
    elif options.force and options.out is None:
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
