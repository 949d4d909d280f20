"""One self-contained HTML file from one or more results.

    write_report([misword.io.results.read_result("out")], "report.html")

The file opens from disk without a network. It shows the tables that the results have, and contains
the transcripts that they were made from.

`kinds` has a part for each kind of result: its headline, first screen, sections and citations.
`sections` and `explorer` have the sections that several kinds share. `markup`, `charts` and
`tables` have the elements of a page, `page` makes the whole page. Titles, families and citations of
metrics and encoders come from the results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from misword.core.errors import InputError
from misword.core.types import Result
from misword.io.files import writing
from misword.io.files.sources import PathLike


def render(
    results: Sequence[Result],
    *,
    title: str = "",
    path: PathLike | None = None,
    audio: PathLike | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> str:
    """Return the page as text; `note` is called with what the user should know about it.

    `path` is where the page will be: addresses of audio files are relative to it. `audio` is a
    folder with the audio of the utterances, in files that are named as the utterances.
    """
    from polars.exceptions import ColumnNotFoundError

    from misword.report.explorer.audio import AudioFolder, AudioPlaces
    from misword.report.page import page

    folder = None if audio is None else AudioFolder.of(audio)
    places = AudioPlaces(folder, None if path is None else Path(os.fspath(path)).parent)
    try:
        return page(results, title, places, note)
    except (KeyError, ColumnNotFoundError) as error:
        raise InputError(
            f"a table or value is missing in a result: {error}",
            fix="make it again with this version",
        ) from error


def write_report(
    results: Sequence[Result],
    path: PathLike,
    *,
    title: str = "",
    audio: PathLike | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> None:
    """Write the page to a file, completely or not at all; an older file is replaced.

    `audio` and `note` are as for `render`.
    """
    check_path(path)
    write_page(render(results, title=title, path=path, audio=audio, note=note), path)


def check_path(path: PathLike, inputs: Iterable[str] = ()) -> None:
    """Raise an error, before any work, if the file cannot be written or is one of the inputs."""
    writing.check_path(path, "report.html", inputs)


def write_page(page: str, path: PathLike) -> None:
    """Write a rendered page."""
    # File names may contain characters that are not valid Unicode: they are shown as escapes.
    writing.write_whole(page.encode("utf-8", "backslashreplace"), path)
