"""Printing on standard output and standard error, for people and for programs.

Every text that a command prints passes through this module. Text for people has control characters
as escapes. JSON, CSV and Markdown are UTF-8 (see `cli.main`) and complete.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from html import escape
from itertools import islice
from typing import Any, TextIO

from misword.core.errors import HIDDEN_IN_LINES, MiswordError, shortened, visible, visible_lines
from misword.core.lazy import pl
from misword.io.formulas import without_formula, without_formulas

ROWS_AT_A_TIME = 1000
_FORMULAS: ContextVar[bool] = ContextVar("formulas", default=False)


class OutputError(MiswordError):
    """Standard output is closed, full, or cannot take all characters."""

    def __init__(self, what: str, *, where: str = "standard output", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)


def print_text(*lines: object, file: TextIO | None = None, end: str = "\n") -> None:
    """Print lines for people, with control characters as escapes."""
    _write(visible_lines("\n".join(map(str, lines))) + end, file)


def print_markdown(text: str, file: TextIO | None = None, end: str = "\n") -> None:
    """Print Markdown; the users' text in it has passed through `markdown_text` or `code_span`."""
    _write(visible_lines(text) + end, file)


def print_data(text: str) -> None:
    """Print a piece of text for programs, exactly, on standard output: JSON, a script."""
    _write(text, None)


def print_error(text: str) -> None:
    """Print the message of an error on standard error."""
    _write(f"{visible_lines(text)}\n", sys.stderr)


def print_error_object(**facts: Any) -> None:
    """Print an error as a JSON object in one line on standard error."""
    _write(f"{json_text(facts)}\n", sys.stderr)


def note(*texts: str) -> None:
    """Print notes on standard error, unless the user wants none (`-q`).

    A command does not fail because nobody can read its notes.
    """
    if shows_notes():
        with suppress(OSError, OutputError):
            for text in texts:
                _write(f"note: {shortened(visible(text))}\n", sys.stderr)


def print_json(value: Any, file: TextIO | None = None) -> None:
    """Print a value as JSON; see `json_text`."""
    _write(f"{json_text(value, indent=1)}\n", file)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, with letters unescaped and control characters escaped.

    JSON has no infinity: these numbers, and NaN, are the strings `Infinity`, `-Infinity` and `NaN`.
    Dates and other values of a table that JSON lacks are strings, too.

    >>> json_text({"é": math.inf})
    '{"é": "Infinity"}'
    """
    try:
        text = _dumps(value, indent)
    except ValueError:
        text = _dumps(_finite(value), indent)
    # JSON itself escapes only some of the characters that a terminal obeys.
    return HIDDEN_IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _dumps(value: Any, indent: int | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


@contextmanager
def formulas_kept(keep: bool) -> Iterator[None]:
    """Return a context within which, if `keep`, cells of CSV that may be formulas stay as they are.

    See `io.formulas`.
    """
    token = _FORMULAS.set(keep)
    try:
        yield
    finally:
        _FORMULAS.reset(token)


def print_csv(table: pl.DataFrame, file: TextIO | None = None) -> None:
    """Print a table as CSV."""
    _write_csv((table if _FORMULAS.get() else without_formulas(table)).write_csv(), file)


def print_csv_rows(rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV, some at a time, so that a long list needs little memory."""
    remaining = iter(rows)
    while block := list(islice(remaining, ROWS_AT_A_TIME)):
        if not _FORMULAS.get():
            block = [
                [without_formula(cell) if isinstance(cell, str) else cell for cell in row]
                for row in block
            ]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(block)
        _write_csv(text.getvalue(), None)


def _write_csv(text: str, file: TextIO | None) -> None:
    """Write CSV: exactly for programs, with control characters as escapes on a terminal."""
    _write(visible_lines(text) if (file or sys.stdout).isatty() else text, file)


def _write(text: str, file: TextIO | None) -> None:
    with output_errors():
        (file or sys.stdout).write(text)


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn an error of standard output, such as a full disk, into a message for the user."""
    try:
        yield
    except BrokenPipeError:  # `main` handles it: the reader of a pipe, such as `head`, has ended
        raise
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror or error}", fix="check where it is redirected to"
        ) from error
    except UnicodeEncodeError as error:
        raise OutputError(
            f"cannot be written as {error.encoding}", fix="set PYTHONIOENCODING=utf-8"
        ) from error


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


# The option `-q`: whether notes and progress are shown on standard error.

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quieted(quiet: bool) -> Iterator[None]:
    """Return a context within which, if `quiet`, no notes and no progress are shown."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


# Whether errors are JSON: the format of the output is.

_JSON_ERRORS: ContextVar[bool] = ContextVar("json_errors", default=False)


@contextmanager
def errors_as_json(wanted: bool) -> Iterator[None]:
    """Return a context within which, if `wanted`, errors of commands are JSON objects."""
    token = _JSON_ERRORS.set(wanted)
    try:
        yield
    finally:
        _JSON_ERRORS.reset(token)


def errors_are_json() -> bool:
    """Return whether errors of commands are JSON objects."""
    return _JSON_ERRORS.get()


def shows_notes() -> bool:
    """Return whether notes are shown."""
    return not _QUIET.get()


def shows_progress() -> bool:
    """Return whether progress is shown: only on a terminal."""
    return shows_notes() and sys.stderr.isatty()


# Text of users in Markdown, where it must not become a link, an image, HTML or emphasis.

# Characters with a meaning inside a line, and the bar between the cells of a table. An underscore
# within a word has none. An escaped colon or full stop keeps an address from becoming a link.
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)


def markdown_text(text: str) -> str:
    r"""Return a text, in one line, that Markdown shows as it is.

    >>> print(markdown_text("[a](b) <i> snake_case *c*"))
    \[a\](b) &lt;i&gt; snake_case \*c\*
    """
    return _MARKS.sub(r"\\\g<0>", escape(visible(text), quote=False))


def code_span(text: str) -> str:
    """Return a text as code, in a fence of backticks that is longer than any in the text.

    >>> code_span("wer|v:1"), code_span("a`b")
    ('`wer|v:1`', '`` a`b ``')
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    if not longest:
        return f"`{visible(text)}`"
    fence = "`" * (longest + 1)
    return f"{fence} {visible(text)} {fence}"
