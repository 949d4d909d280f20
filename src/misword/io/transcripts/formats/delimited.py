"""CSV and TSV files: a header, then one row for each transcript."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import ClassVar

from misword.core.errors import OptionError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import (
    HYPOTHESIS_NAMES,
    ID_NAMES,
    REFERENCE_NAMES,
    Columns,
    Table,
    find_text,
)
from misword.io.transcripts.field_rows import (
    check_header_widths,
    column_names,
    long_fields,
    read_rows,
    text_table,
)
from misword.io.transcripts.formats import Format

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
        (header, *rows), (_, *starts) = read_rows(source, self.delimiter)
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
