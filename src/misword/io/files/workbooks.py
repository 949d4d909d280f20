"""Workbooks of Excel (`.xlsx`): the cells of the first sheet as text."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

from misword.core.errors import InputError
from misword.core.parts import Requirement
from misword.io.files.limits import expansion_limit
from misword.io.files.sources import Source

READER = Requirement(
    ("openpyxl",), "pip install 'misword[excel]', or save the sheet as a .csv file", "MIT"
)
SUFFIX = ".xlsx"
# A sheet has no more rows; further columns are not read.
ROWS, COLUMNS = 1_048_576, 64


def is_workbook(source: Source) -> bool:
    """Return whether a file is a workbook by its name."""
    return source.name.lower().endswith(SUFFIX)


def read_workbook(source: Source) -> tuple[list[list[str]], list[int]]:
    """Return the rows of the first sheet that are not empty, and the number of each row.

    Formulas are not calculated: the value that was saved with them is read.
    """
    READER.check(SUFFIX)
    _check_size(source)
    rows, numbers = [], []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of openpyxl, about parts that are not read here
            for number, row in enumerate(_cells(source), 1):
                if any(row):
                    rows.append(row)
                    numbers.append(number)
    except InputError:
        raise
    except Exception as error:  # the reader raises nearly any exception for a damaged file
        raise _unreadable(source) from error
    width = max((len(row) for row in rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows], numbers


def _cells(source: Source) -> Iterator[list[str]]:
    """Yield the cells of each row, without empty cells at its end."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True, keep_links=False)
    sheet = book.worksheets[0]
    sheet.reset_dimensions()  # the size that a file claims may be wrong
    for row in sheet.iter_rows(max_row=ROWS, max_col=COLUMNS, values_only=True):
        cells = list(map(_text, row))
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _text(value: Any) -> str:
    """Return the text of a cell; a whole number that was saved with decimals has none."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).upper() if isinstance(value, bool) else str(value)


def _check_size(source: Source) -> None:
    """Raise if the file is no archive, is too large without compression, or declares entities."""
    limit = expansion_limit(len(source.data))
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > limit:
                raise InputError(
                    f"more than {limit:,} bytes without compression",
                    where=source.at(),
                    fix="raise the limit with --max-bytes if you trust this file",
                )
            if any(b"<!DOCTYPE" in archive.read(member) for member in archive.infolist()):
                raise _unreadable(source)
    except InputError:
        raise
    except Exception as error:  # as above: zipfile raises many kinds of exceptions
        raise _unreadable(source) from error


def _unreadable(source: Source) -> InputError:
    return InputError(
        "this is no workbook that can be read",
        where=source.at(),
        fix="save it again as .xlsx, or as a .csv file",
    )
