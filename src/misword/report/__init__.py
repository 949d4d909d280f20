"""One self-contained HTML file from one or more results.

    write_report([misword.io.results.read_result("out")], "report.html")

The file opens from disk without a network. It shows the tables that the results have, and contains
the transcripts that they were made from.

`kinds` has a part for each kind of result: its headline, first screen, sections and citations.
`sections` and `explorer` have the sections that several kinds share. `html` has the elements and
charts of a page, `page` makes the whole page. Titles, families and citations of metrics and
encoders come from the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from misword.core.errors import InputError
from misword.core.types import Result
from misword.io.files import writing
from misword.io.files.sources import PathLike


def render(results: Sequence[Result], *, title: str = "") -> str:
    """Return the page as text."""
    from polars.exceptions import ColumnNotFoundError

    from misword.report.page import page

    try:
        return page(results, title)
    except (KeyError, ColumnNotFoundError) as error:
        raise InputError(
            f"a result lacks {error}", fix="make it again with this version"
        ) from error


def write_report(results: Sequence[Result], path: PathLike, *, title: str = "") -> None:
    """Write the page to a file, completely or not at all; an older file is replaced."""
    check_path(path)
    write_page(render(results, title=title), path)


def check_path(path: PathLike, inputs: Iterable[str] = ()) -> None:
    """Raise an error, before any work, if the file cannot be written or is one of the inputs."""
    writing.check_path(path, "report.html", inputs)


def write_page(page: str, path: PathLike) -> None:
    """Write a rendered page."""
    # File names may contain characters that are not valid Unicode: they are shown as escapes.
    writing.write_whole(page.encode("utf-8", "backslashreplace"), path)
