"""One self-contained HTML file from one or more results.

    write_report([misword.io.results.read_result("out")], "report.html")

The file opens from disk without a network, shows what the results have tables for, and contains the
transcripts they were made from.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io.folders import sibling
from misword.io.sources import PathLike


def render(results: Sequence[Result], *, title: str = "") -> str:
    """The page as text."""
    from polars.exceptions import ColumnNotFoundError

    from misword.report.page import page

    try:
        return page(results, title)
    except (KeyError, ColumnNotFoundError) as error:
        raise InputError(
            f"a result lacks {error}", fix="make it again with this version"
        ) from error


def write_report(results: Sequence[Result], path: PathLike, *, title: str = "") -> None:
    """Write the page; the file is there as a whole or not at all, an older one is replaced."""
    check_path(path)
    write_page(render(results, title=title), path)


def check_path(path: PathLike, example: str = "report.html") -> None:
    """Refuse, before any work, a place where no file can be."""
    target = Path(path)
    if str(path).endswith(("/", os.sep)) or target.is_dir():
        raise OptionError("this is a folder", where=str(path), fix=f"name a file: {example}")
    parent = next(folder for folder in target.absolute().parents if folder.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK)):
        raise OptionError(
            "cannot be written there", where=str(path), fix="check the path and the rights on it"
        )


def write_page(page: str, path: PathLike) -> None:
    """Write a rendered page."""
    # Names of files need not be valid Unicode; what is not shows as an escape.
    data = page.encode("utf-8", "backslashreplace")
    target = Path(path).absolute().resolve()  # what a link points to, not the link
    fresh = sibling(target, "new")
    try:
        if target.exists() and not target.is_file():  # a pipe, /dev/stdout
            target.write_bytes(data)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        os.replace(fresh, target)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise OptionError(
            f"cannot be written: {error.strerror or error}",
            where=str(target),
            fix="check the path and the rights on it",
        ) from error
