"""Printing: tables for people (terminal, Markdown) and for programs (JSON, CSV), and notes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from misword.core import formatting
from misword.core.errors import OptionError
from misword.io.results import write_result

if TYPE_CHECKING:
    from misword.core.types import Result
    from misword.stat.scores import Scores

FORMATS = ("table", "json", "csv", "md")
# Options that name files to read, in any command.
FILES = (
    "reference", "hypotheses", "metadata", "equivalents", "rules", "vectors", "triplets",
    "translations", "translation_references", "mapping", "mappings", "gold", "word_list", "source",
    "target", "pairs", "channel_vectors",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text cells; the first `left` columns are aligned left, the others right.

    `title` is printed above the table.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    title: str = ""

    def markdown(self) -> str:
        """Return the table in Markdown; HTML tags and bars within words are escaped."""
        marks = [":--" if i < self.left else "--:" for i in range(len(self.header))]
        header, *rows = (
            [escape(cell, quote=False).replace("|", "\\|") for cell in row]
            for row in (self.header, *self.rows)
        )
        title = [f"**{escape(self.title, quote=False)}**", ""] if self.title else []
        return "\n".join(
            [*title, *("| " + " | ".join(row) + " |" for row in [header, marks, *rows])]
        )

    def show(self, file: TextIO | None = None) -> None:
        """Print the table to the terminal, or as plain text if the output is not a terminal."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for i, name in enumerate(self.header):
            side: Any = "left" if i < self.left else "right"
            table.add_column(Text(name), justify=side, no_wrap=True)
        for row in self.rows:
            table.add_row(*map(Text, row))
        out = console(file)
        unlimited = out.options.update(max_width=9999)
        if out.measure(table, options=unlimited).maximum > out.width:
            table.padding = (0, 1, 0, 0)  # less space between columns
        # On a narrow terminal the lines wrap; rich would cut off digits and names instead.
        out.width = max(out.width, out.measure(table, options=unlimited).maximum)
        if self.title:
            out.print(Text(self.title, "bold"))
        out.print(table)


def print_tables(tables: Iterable[Table], signatures: Iterable[str], *, marked: bool) -> None:
    """Print tables, in Markdown if `marked`, and below them the signatures of their numbers."""
    for table in tables:
        if marked:
            print(table.markdown(), end="\n\n")
        else:
            table.show()
    print("\n".join(f"`{signature}`" if marked else signature for signature in signatures))


def add_format(parser: argparse.ArgumentParser) -> None:
    """Declare the option for the output format."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="table" if sys.stdout.isatty() else "json",
        help="output format (default: table on a terminal, otherwise json)",
    )


def console(file: TextIO | None = None) -> Any:
    """Return a rich console for standard output or a file; 200 columns wide unless a terminal."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Raise, so that `main` handles it as for any other output."""
            raise BrokenPipeError

    wide = None if (file or sys.stdout).isatty() else 200
    return Output(highlight=False, width=wide, file=file)


def print_json(value: Any, file: TextIO | None = None) -> None:
    """Print a value as JSON, with letters unescaped; it must not contain nan."""
    print(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False), file=file)


def print_facts(facts: dict[str, Any], form: str) -> None:
    """Print names and values, a row for each; values that are None or empty are left out."""
    if form == "json":
        print_json(facts)
        return
    cells = {key: cell(value) for key, value in facts.items() if value not in (None, [])}
    print_table(Table(["what", "value"], list(map(list, cells.items())), left=2), form)


def print_table(table: Table, form: str) -> None:
    """Print a table in one of the formats `table`, `md` and `csv`."""
    if form == "table":
        table.show()
    elif form == "md":
        print(table.markdown())
    else:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([table.header, *table.rows])


def cell(value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def percent(rate: float | None, *, signed: bool = False) -> str:
    """Return a rate in percent with two decimals; empty if there is none."""
    show = formatting.signed if signed else formatting.percent
    return show(rate, 2, plain=True)


def span(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Return an interval in percent with two decimals; empty if there is none."""
    show = formatting.signed_span if signed else formatting.span
    return show(low, high, 2, plain=True)


p_value = formatting.probability


def note(text: str) -> None:
    """Print a note on standard error."""
    print(f"note: {text}", file=sys.stderr)


def note_unused(options: argparse.Namespace, scores: Scores, others: Collection[str] = ()) -> None:
    """Note which of `--lang`, `--vectors` and `--cache` no metric reads.

    `others` are the options that the command itself reads.
    """
    metrics = [column.measure for column in scores.columns]
    read = {name for metric in metrics for name in (*metric.needs, *metric.uses)}.union(others)
    for name in ("lang", "vectors", "cache"):
        if getattr(options, name) and name not in read:
            note(f"no metric here uses --{name}")


# Spinners that are shown now; a progress bar pauses them.
SPINNERS: list[Any] = []


@contextmanager
def status(message: str) -> Iterator[None]:
    """Show a spinner with a message on standard error while work goes on, if it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(message) as spinner:
        SPINNERS.append(spinner)
        try:
            yield
        finally:
            SPINNERS.remove(spinner)


def check_output(options: argparse.Namespace) -> None:
    """Raise, before any work, if the report cannot be written or would replace an input."""
    if options.report is None:
        return
    from misword.report import check_path

    check_path(options.report)
    target = Path(options.report).absolute().resolve()
    for name in input_files(options):
        if name != "-" and Path(name).absolute().resolve() == target:
            raise OptionError("this is an input", where=name, fix="name another file: report.html")


def input_files(options: argparse.Namespace) -> Iterator[str]:
    """Yield the files that a command reads."""
    for name in FILES:
        value = getattr(options, name, None)
        yield from [value] if isinstance(value, str) else value or ()


def write_output(result: Result, options: argparse.Namespace) -> None:
    """Write the result folder and the report; nothing is written if the report cannot be made."""
    page = ""
    if options.report is not None:
        from misword.report import render, write_page

        page = render([result])
    if options.out is not None:
        write_result(result, options.out)
    if options.report is not None:
        write_page(page, options.report)
