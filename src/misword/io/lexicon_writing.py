"""Writing of lexicons; the suffix of the file decides the format.

`.csv` has commas, `.xlsx` is a workbook of Excel, `.html` is a page to read and print, and other
files have tabs, unless the suffix is that of another format. The file is complete or absent.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import PurePath
from typing import Any, BinaryIO

from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement
from misword.io.files.path_errors import (
    naming_temporary_folder,
    temporary_folder,
    temporary_folder_error,
)
from misword.io.files.sources import PathLike
from misword.io.files.writing import whole_files
from misword.io.formulas import without_formula

Row = Sequence[str | int | float]
# The values that a cell of a column may have, by the name of the column.
Choices = Mapping[str, Sequence[str]]
EXCEL = Requirement(("xlsxwriter",), "pip install 'misword[excel]', or write a .csv file", "BSD")
EXCEL_ROWS = 1_048_576  # a sheet has no more
NO_CHOICES: Choices = {}
# Suffixes of formats that are not written here: a table with tabs would have the wrong name.
COMPRESSED = (".bz2", ".gz", ".xz", ".zip", ".zst")
DICTIONARIES = (
    ".dict", ".dix", ".dsl", ".idx", ".ifo", ".lift", ".lmf", ".tbx", ".tei", ".tmx", ".ttl",
)  # fmt: skip
DOCUMENTS = (
    ".docx",
    ".json",
    ".jsonl",
    ".md",
    ".ndjson",
    ".ods",
    ".parquet",
    ".pdf",
    ".xls",
    ".xml",
)
OTHER_FORMATS = (*COMPRESSED, *DICTIONARIES, *DOCUMENTS, ".map", ".vec")
STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .75rem; text-align: start }
td.number { text-align: end; font-variant-numeric: tabular-nums }
"""


def check_format(path: PathLike) -> None:
    """Raise, before any work, if a lexicon cannot be written in the format of its suffix."""
    if (suffix := _suffix(path)) in OTHER_FORMATS:
        raise OptionError(
            f"lexicons are not written as {suffix}",
            where=os.fspath(path),
            fix="name a .tsv, .csv, .xlsx or .html file"
            + ("; translate --dictionary writes dictionaries" if suffix in DICTIONARIES else ""),
        )
    if _suffix(path) == ".xlsx":
        EXCEL.check(".xlsx")


def write_lexicon(
    rows: Iterable[Row],
    path: PathLike,
    *,
    formulas: bool = False,
    choices: Choices = NO_CHOICES,
) -> None:
    """Write rows to a file in the format of its suffix, the header first.

    Words that a spreadsheet program could calculate get an apostrophe in CSV (`io.formulas`);
    with `formulas` they stay as they are. A workbook offers the `choices` of a column as a list.
    """
    check_format(path)
    if _suffix(path) == ".csv" and not formulas:
        rows = (
            [without_formula(cell) if isinstance(cell, str) else cell for cell in row]
            for row in rows
        )
    with whole_files([path]) as (file,):
        if _suffix(path) == ".xlsx":
            _write_excel(rows, file, path, choices)
        else:
            FORMATS.get(_suffix(path), write_tabs)(rows, file, path)


def _suffix(path: PathLike) -> str:
    return PurePath(path).suffix.lower()


def _text(value: str | int | float) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def write_tabs(rows: Iterable[Row], file: BinaryIO, path: PathLike) -> None:
    """Write rows with tabs to an open file; `path` is the name of the file in errors."""
    for row in rows:
        line = "\t".join(map(_text, row))
        if "\n" in line or line.count("\t") != len(row) - 1:
            raise InputError(
                f"a tab or a line end inside a word: {list(row)}",
                where=str(path),
                fix="a lexicon with tabs cannot hold it; write a .csv file",
            )
        file.write(f"{line}\n".encode())


def _write_csv(rows: Iterable[Row], file: BinaryIO, path: PathLike) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(_text, row) for row in rows)
    text.flush()
    text.detach()  # the file is closed by its owner


def _write_excel(
    rows: Iterable[Row], file: BinaryIO, path: PathLike, choices: Choices = NO_CHOICES
) -> None:
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    listed = list(rows)
    if len(listed) > EXCEL_ROWS:
        raise InputError(
            f"{len(listed):,} rows; a sheet holds {EXCEL_ROWS:,}",
            where=str(path),
            fix="write a .csv or .tsv file, or fewer candidates (--k)",
        )
    # Words such as `=SUM(A1)` or `www.org` stay text.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "constant_memory": True}
    data = io.BytesIO()
    try:
        with (
            temporary_folder() as folder,
            naming_temporary_folder(),
            Workbook(data, {**options, "tmpdir": str(folder)}) as book,
        ):
            sheet = book.add_worksheet("lexicon")
            sheet.freeze_panes(1, 0)
            _add_controls(sheet, listed, choices)
            for number, row in enumerate(listed):
                sheet.write_row(number, 0, row)
    except FileCreateError as error:  # its argument is the OSError of a temporary file
        raise temporary_folder_error(*error.args) from error
    file.write(data.getbuffer())


def _add_controls(sheet: Any, rows: Sequence[Row], choices: Choices) -> None:
    """Add a filter to each column, and a list of values to the columns with choices."""
    if len(rows) < 2:
        return
    last = len(rows) - 1
    sheet.autofilter(0, 0, last, len(rows[0]) - 1)
    for place, name in enumerate(rows[0]):
        if str(name) in choices:
            values = list(choices[str(name)])
            rule = {"validate": "list", "source": values, "error_message": " / ".join(values)}
            sheet.data_validation(1, place, last, place, rule)


def _write_html(rows: Iterable[Row], file: BinaryIO, path: PathLike) -> None:
    title = escape(PurePath(path).stem)
    file.write(
        f'<!doctype html>\n<html>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>\n{STYLE}</style>\n<h1>{title}</h1>\n<table>\n".encode()
    )
    for number, row in enumerate(rows):
        cells = "".join(_cell(value, "td" if number else "th") for value in row)
        file.write(f"<tr>{cells}</tr>\n".encode())
    file.write(b"</table>\n</html>\n")


def _cell(value: str | int | float, tag: str) -> str:
    """Return a cell; `dir=auto` lets words of right-to-left scripts run from the right."""
    kind = ' dir="auto"' if isinstance(value, str) else ' class="number"'
    return f"<{tag}{kind}>{escape(_text(value))}</{tag}>"


FORMATS: dict[str, Callable[[Iterable[Row], BinaryIO, PathLike], None]] = {
    ".csv": _write_csv,
    ".html": _write_html,
    ".htm": _write_html,
}
