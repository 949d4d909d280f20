"""Tables of transcripts (CSV, TSV, Parquet), and rows of text fields for other readers too."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import ClassVar

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.parts import Requirement
from misword.io.files.parquet import read_flat_columns
from misword.io.files.sources import Source
from misword.io.transcripts.columns import (
    HYPOTHESIS_NAMES,
    ID_NAMES,
    REFERENCE_NAMES,
    Columns,
    SourceTable,
    find_text,
    with_plain_names,
)
from misword.io.transcripts.formats import Format

# Rows of text fields: read with or without quotes, checked, and made into a table.

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
    duplicates = sorted(name for name, count in Counter(names).items() if count > 1)
    if duplicates or not names:
        raise InputError(
            f"two columns are called {duplicates[0]!r}" if duplicates else "the header is empty",
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
) -> SourceTable:
    """Make a table of text from rows that all have as many fields as there are names."""
    columns: list[pl.Series] = [
        pl.Series(name, [row[place] for row in rows], pl.String) for place, name in enumerate(names)
    ]
    frame = with_plain_names(pl.DataFrame(columns), source.shown)
    return SourceTable(frame, pl.Series("line", lines, pl.Int64))


# CSV and TSV: a header, then one row for each transcript.

TEXT_NAMES = {*REFERENCE_NAMES, *HYPOTHESIS_NAMES}
# What separates the fields of files that spreadsheets call CSV; in many countries the second.
COMMA, SEMICOLON = ",", ";"


@dataclass(frozen=True, slots=True)
class Csv(Format):
    """Comma-separated values with a header; a quoted field may hold commas, quotes and line ends.

    All columns are read as text, so that the id `007` keeps its zeros. If the header has usual
    names between semicolons and no comma, semicolons separate the fields.

    Example: `csv:delimiter=|` reads files with another delimiter.

    Reference: RFC 4180
    """

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    delimiter: str = COMMA

    @property
    def separator(self) -> str:
        """The delimiter."""
        return self.delimiter

    def _delimiter_of(self, source: Source) -> str:
        """Return the delimiter of a file, which may be a semicolon where a comma is usual."""
        header = source.lines[0]
        if self.delimiter != COMMA or COMMA in header or SEMICOLON not in header:
            return self.delimiter
        known = {*TEXT_NAMES, *ID_NAMES}.intersection(_names_in(header, SEMICOLON))
        return SEMICOLON if known else self.delimiter

    def __post_init__(self) -> None:
        """Raise if the delimiter is not one character that can separate fields."""
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise OptionError(
                f"the delimiter is {self.delimiter!r}", fix="use one character, such as ; or |"
            )

    def looks_like(self, source: Source) -> bool:
        """Whether the first line names an id and a text column, or two text columns."""
        names = _names_in(source.lines[0], self._delimiter_of(source))
        texts = sum(name in TEXT_NAMES for name in names)
        return texts > 1 or (texts == 1 and any(name in ID_NAMES for name in names))

    def table(self, source: Source) -> SourceTable:
        """Return all columns as text."""
        (header, *rows), (_, *starts) = read_rows(source, self._delimiter_of(source))
        names = column_names(header, source)
        if len(names) == 1:
            rows = [row or [""] for row in rows]  # a lone empty field is written as an empty line
        else:
            while rows and not rows[-1]:
                rows.pop()
                starts.pop()
        check_header_widths(rows, starts, names, source)
        return text_table(names, rows, starts, source)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in its text column."""
        delimiter = self._delimiter_of(source)
        (header, *rows), _ = read_rows(source, delimiter)
        names = column_names(header, source)
        at = names.index(find_text(names, columns, source))
        target = StringIO()
        writer = csv.writer(target, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        with long_fields():
            for row, text in zip(rows, texts, strict=False):  # blank lines may follow the rows
                fields = row or [""]
                fields[at] = text
                writer.writerow(fields)
        return target.getvalue().encode()


def _names_in(header: str, delimiter: str) -> list[str]:
    """Return the names of columns in a header, in lower case and without quotes."""
    return [name.strip('" ').lower() for name in header.split(delimiter)]


@dataclass(frozen=True, slots=True)
class Tsv(Csv):
    """Tab-separated values with a header; otherwise as CSV."""

    name: ClassVar[str] = "tsv"
    sign: ClassVar[bytes] = b"\t"
    title: ClassVar[str] = "TSV"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)
    delimiter: str = "\t"


# Workbooks: the first sheet of a spreadsheet.


@dataclass(frozen=True, slots=True)
class Xlsx(Format):
    """A workbook of Excel; the first row of its first sheet names the columns, as in CSV.

    All cells are read as text, and positions in errors are rows. A formula has the value that was
    saved with it.

    Reference: ECMA-376, Office Open XML
    """

    name: ClassVar[str] = "xlsx"
    sign: ClassVar[bytes] = b"PK"
    title: ClassVar[str] = "Excel"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package that reads workbooks."""
        from misword.io.files.workbooks import READER

        return READER

    def table(self, source: Source) -> SourceTable:
        """Return all columns as text."""
        from misword.io.files.workbooks import read_workbook

        rows, numbers = read_workbook(source)
        if not rows:
            raise InputError(
                "the first sheet is empty",
                where=source.at(),
                fix="name the columns in its first row",
            )
        names = column_names(rows[0], source)
        return text_table(names, rows[1:], numbers[1:], source)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Refuse: a workbook has more than its texts."""
        raise OptionError(
            f"{source.shown} is a workbook, which cannot be written with other texts",
            fix="save the sheet as a .csv file",
        )


# Parquet: typed columns.

MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Parquet(Format):
    """A Parquet file; columns are named as in CSV. Positions in errors are rows, from 1.

    Nested and binary columns (audio in Hugging Face datasets) are left out; a note lists them.

    Reference: https://parquet.apache.org
    """

    name: ClassVar[str] = "parquet"
    sign: ClassVar[bytes] = MAGIC
    title: ClassVar[str] = "Parquet"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def looks_like(self, source: Source) -> bool:
        """Whether it begins with the magic bytes of Parquet."""
        return source.data.startswith(MAGIC)

    def table(self, source: Source) -> SourceTable:
        """Return all columns that are neither nested nor binary."""
        frame, left = read_flat_columns(source.data, source.shown)
        notes = (f"{source.shown}: nested columns left out: {', '.join(left)}",) if left else ()
        lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True)
        return SourceTable(with_plain_names(frame, source.shown), lines, notes)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in its text column."""
        frame, _ = read_flat_columns(source.data, source.shown)
        plain = with_plain_names(frame, source.shown).columns
        name = frame.columns[plain.index(find_text(plain, columns, source))]
        target = BytesIO()
        frame.with_columns(pl.Series(name, texts, pl.String)).write_parquet(target)
        return target.getvalue()
