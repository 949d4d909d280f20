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

from misword.core.errors import OptionError
from misword.core.types import Result
from misword.io.folders import sibling
from misword.io.sources import PathLike


def render(results: Sequence[Result], *, title: str = "") -> str:
    """The page as text."""
    from misword.report.page import page

    return page(results, title)


def write_report(results: Sequence[Result], path: PathLike, *, title: str = "") -> None:
    """Write the page; the file is there as a whole or not at all, an older one is replaced."""
    # Names of files need not be valid Unicode; what is not shows as an escape.
    data = render(results, title=title).encode("utf-8", "backslashreplace")
    target = Path(path).absolute()
    fresh = sibling(target, "new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        os.replace(fresh, target)
    except OSError as error:
        raise OptionError(
            f"cannot be written: {error.strerror or error}",
            where=str(target),
            fix="check the path and the rights on it",
        ) from error
    finally:
        with suppress(OSError):
            fresh.unlink()
