"""The standard streams of the process: what is done if one is closed, and their encoding."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TextIO, cast

from misword.cli.printing import OutputError
from misword.core.errors import InputError

# Output formats for programs; they are UTF-8, whatever the locale says.
UTF8_FORMATS = frozenset({"json", "csv", "md", "github"})


class ClosedInput:
    """Takes the place of a closed standard input, and says so when it is read."""

    @property
    def buffer(self) -> BinaryIO:
        """Raise an error."""
        raise InputError("standard input is closed", fix="redirect a file or a pipe to it")


def check_open() -> None:
    """Raise if standard output is closed; a closed standard error becomes the null device.

    The descriptor of a closed stream is taken by the null device. Otherwise the next file that is
    opened would get it, and a library that prints would write into that file.
    """
    for descriptor, mode in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # it gets the lowest free descriptor, which is this one
    if sys.stdin is None:
        sys.stdin = cast(TextIO, ClosedInput())
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        raise OutputError("closed", fix="redirect it: > results.json, or > /dev/null")


def discard_output() -> None:
    """Send what is still to be written on standard output to the null device.

    The interpreter writes it at its end, and would report once more that it cannot.
    """
    with suppress(OSError, AttributeError):  # it is closed, or an object of another program
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def encoded(form: str) -> Iterator[None]:
    """Return a context within which output of a format for programs is UTF-8.

    Formats for people have the encoding of the terminal; characters that it lacks are shown as
    escapes.
    """
    before = [
        (stream, stream.encoding, stream.errors)
        for stream in (sys.stdout, sys.stderr)
        if isinstance(stream, io.TextIOWrapper)
    ]
    for stream, encoding, _ in before:
        # Some commands print their table on standard error, after data on standard output.
        programs = form in UTF8_FORMATS and (stream is sys.stdout or not stream.isatty())
        stream.reconfigure(encoding="utf-8" if programs else encoding, errors="backslashreplace")
    if form in UTF8_FORMATS:
        _check_encoding(sys.stdout)
    try:
        yield
    finally:
        for stream, encoding, errors in before:
            with suppress(OSError):  # what is still to be written cannot be; it was reported
                stream.reconfigure(encoding=encoding, errors=errors)


def _check_encoding(stream: Any) -> None:
    """Raise if a stream, such as an object of another program, cannot take all characters."""
    encoding = getattr(stream, "encoding", None)
    if encoding is not None and codecs.lookup(encoding).name != "utf-8":
        raise OutputError(f"it is {encoding}, not UTF-8", fix="use --format table")
