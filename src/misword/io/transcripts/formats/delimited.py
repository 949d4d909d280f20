"""CSV and TSV files: a header, then one row for each transcript."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import ClassVar

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import (
    HYPOTHESIS_NAMES,
    ID_NAMES,
    REFERENCE_NAMES,
    Columns,
    Table,
    find_text,
)
from misword.io.transcripts.formats import Format

NO_LIMIT = 2**31 - 1
TEXT_NAMES = {*REFERENCE_NAMES, *HYPOTHESIS_NAMES}


@dataclass(frozen=True, slots=True)
class Csv(Format):
    """Comma-separated values with a header; a quoted field may hold commas, quotes and line ends.

    All columns are read as text, so that the id `007` keeps its zeros.

    Example: `csv:delimiter=;` reads files that spreadsheets write in many countries.

    Reference: RFC 4180
    """

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    delimiter: str = ","

    @property
    def separator(self) -> str:
        """The delimiter."""
        return self.delimiter

    def __post_init__(self) -> None:
        """Raise if the delimiter is not one character that can separate fields."""
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise OptionError(
                f"the delimiter is {self.delimiter!r}", fix="use one character, such as ; or |"
            )

    def looks_like(self, source: Source) -> bool:
        """Whether the first line names an id and a text column, or two text columns."""
        names = [name.strip('" ').lower() for name in source.lines[0].split(self.delimiter)]
        texts = sum(name in TEXT_NAMES for name in names)
        return texts > 1 or (texts == 1 and any(name in ID_NAMES for name in names))

    def table(self, source: Source) -> Table:
        """Return all columns as text."""
        import polars as pl

        (header, *rows), (_, *starts) = read_rows(source, self.delimiter)
        names = column_names(header, source)
        if len(names) == 1:
            rows = [row or [""] for row in rows]  # a lone empty field is written as an empty line
        else:
            while rows and not rows[-1]:
                rows.pop()
                starts.pop()
        check_widths(rows, starts, names, source)
        values = zip(*rows, strict=True) if rows else ([] for _ in names)
        series = [pl.Series(n, v, pl.String) for n, v in zip(names, values, strict=True)]
        return Table(pl.DataFrame(series), pl.Series("line", starts, pl.Int64))

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in its text column."""
        (header, *rows), _ = read_rows(source, self.delimiter)
        names = column_names(header, source)
        at = names.index(find_text(names, columns, source))
        target = StringIO()
        writer = csv.writer(target, delimiter=self.delimiter, lineterminator="\n")
        writer.writerow(header)
        with long_fields():
            for row, text in zip(rows, texts, strict=False):  # blank lines may follow the rows
                fields = row or [""]
                fields[at] = text
                writer.writerow(fields)
        return target.getvalue().encode()


@dataclass(frozen=True, slots=True)
class Tsv(Csv):
    """Tab-separated values with a header; otherwise as CSV."""

    name: ClassVar[str] = "tsv"
    title: ClassVar[str] = "TSV"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)
    delimiter: str = "\t"


def read_rows(source: Source, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return all rows, and the number of the first line of each."""
    lines = source.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows: list[list[str]] = []
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


def column_names(header: list[str], source: Source) -> list[str]:
    """Return the column names; a column without a name (an index of pandas) gets `column_1`."""
    names = [name.strip() or f"column_{place}" for place, name in enumerate(header, start=1)]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled or not names:
        raise InputError(
            f"two columns are called {doubled[0]!r}" if doubled else "the header is empty",
            where=source.at(1),
            fix="the first line must name each column once",
        )
    return names


def check_widths(rows: list[list[str]], starts: list[int], names: list[str], src: Source) -> None:
    """Raise if a row has more or fewer fields than the header."""
    width = len(names)
    bad = next((place for place, row in enumerate(rows) if len(row) != width), None)
    if bad is not None:
        raise InputError(
            f"{counted(len(rows[bad]), 'field')}, "
            f"where the header has {width} ({', '.join(names)})",
            where=src.at(starts[bad]),
            fix="put fields that hold the delimiter or a line end in double quotes",
        )
