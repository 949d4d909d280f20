"""One self-contained HTML file from one or more results.

    write_report([misword.io.results.read_result("out")], "report.html")

The file opens from disk without a network, shows what the results have tables for, and contains the
transcripts they were made from.
"""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.errors import InputError
from misword.core.types import Result
from misword.io.files import writing
from misword.io.files.sources import PathLike


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


def check_path(path: PathLike) -> None:
    """Refuse, before any work, a place where no file can be."""
    writing.check_path(path, "report.html")


def write_page(page: str, path: PathLike) -> None:
    """Write a rendered page."""
    # Names of files need not be valid Unicode; what is not shows as an escape.
    writing.write_whole(page.encode("utf-8", "backslashreplace"), path)
