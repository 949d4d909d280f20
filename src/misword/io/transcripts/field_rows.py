"""Rows of text fields: read with or without quotes, checked, and made into a table."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Table
from misword.io.transcripts.plain_names import with_plain_names

if TYPE_CHECKING:
    import polars as pl

Row = list[str]
NO_LIMIT = 2**31 - 1
QUOTES_FIX = "put fields that hold the delimiter or a line end in double quotes"


def split_lines(source: Source, delimiter: str = "\t") -> tuple[list[Row], list[int]]:
    """Return the fields of each line, and the numbers of the lines; quotes are plain characters."""
    rows = [line.split(delimiter) for line in source.lines]
    return rows, list(range(1, len(rows) + 1))


def read_rows(source: Source, delimiter: str) -> tuple[list[Row], list[int]]:
    """Return all rows, and the number of the first line of each; fields may be quoted."""
    lines = source.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows: list[Row] = []
    starts: list[int] = []
    start = 1
    with long_fields():
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
        try:
            for row in reader:
                rows.append(row)
                starts.append(start)
                start = reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                f"the row that begins here cannot be read ({error})",
                where=source.at(start),
                fix='a quote inside a quoted field is written twice: ""',
            ) from None
    return rows, starts


@contextmanager
def long_fields() -> Iterator[None]:
    """Allow fields of any length inside; the limit of the csv module is 131,072 characters."""
    before = csv.field_size_limit(NO_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def column_names(header: Row, source: Source) -> list[str]:
    """Return the column names; a column without a name (an index of pandas) gets `column_1`."""
    names = [name.strip() or f"column_{place}" for place, name in enumerate(header, start=1)]
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled or not names:
        raise InputError(
            f"two columns are called {doubled[0]!r}" if doubled else "the header is empty",
            where=source.at(1),
            fix="the first line must name each column once",
        )
    return names


def check_widths(
    rows: Sequence[Row], lines: Sequence[int], width: int, expected: str, source: Source, fix: str
) -> None:
    """Raise if a row has another number of fields; `expected` says why there should be `width`."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            what = f"{counted(len(row), 'field')}, {expected}"
            raise InputError(what, where=source.at(line), fix=fix)


def check_header_widths(
    rows: Sequence[Row],
    lines: Sequence[int],
    names: Sequence[str],
    source: Source,
    fix: str = QUOTES_FIX,
) -> None:
    """Raise if a row has more or fewer fields than the header, whose columns are `names`."""
    expected = f"where the header has {len(names)} ({', '.join(names)})"
    check_widths(rows, lines, len(names), expected, source, fix)


def text_table(
    names: Sequence[str], rows: Sequence[Row], lines: Sequence[int], source: Source
) -> Table:
    """Make a table of text from rows that all have as many fields as there are names."""
    import polars as pl

    columns: list[pl.Series] = [
        pl.Series(name, [row[place] for row in rows], pl.String) for place, name in enumerate(names)
    ]
    frame = with_plain_names(pl.DataFrame(columns), source.shown)
    return Table(frame, pl.Series("line", lines, pl.Int64))
