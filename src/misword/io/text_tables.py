"""Tables that are read field by field: files without a header, or in which quotes are text.

The table formats of `io.transcripts.formats` expect a header and quoted fields. Lexicons, sentence
pairs and triplets are often written otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Table
from misword.io.transcripts.formats import Format, TableFormat

if TYPE_CHECKING:
    import polars as pl

Row = list[str]


@runtime_checkable
class DelimitedFormat(Protocol):
    """A format whose fields are separated by one character, such as csv and tsv."""

    @property
    def delimiter(self) -> str:
        """The character between two fields."""
        ...


def split_lines(source: Source, delimiter: str = "\t") -> tuple[list[Row], list[int]]:
    """Return the fields of each line, and the numbers of the lines; quotes are plain characters."""
    rows = [line.split(delimiter) for line in source.lines]
    return rows, list(range(1, len(rows) + 1))


def check_widths(
    rows: Sequence[Row], lines: Sequence[int], width: int, expected: str, source: Source, fix: str
) -> None:
    """Raise if a row has another number of fields; `expected` says why there should be `width`."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            what = f"{counted(len(row), 'field')}, {expected}"
            raise InputError(what, where=source.at(line), fix=fix)


def text_table(names: Sequence[str], rows: Sequence[Row], lines: Sequence[int]) -> Table:
    """Make a table of text from rows that all have as many fields as there are names."""
    import polars as pl

    columns: list[pl.Series] = [
        pl.Series(name, [row[place] for row in rows], pl.String) for place, name in enumerate(names)
    ]
    return Table(pl.DataFrame(columns), pl.Series("line", lines, pl.Int64))


def format_table(part: Format | None, source: Source) -> Table:
    """Read a table by its format; None is a binary file whose name does not tell the format."""
    if isinstance(part, TableFormat):
        return part.table(source)
    raise OptionError(
        f"{source.shown} is read as {part.name if part else 'binary data'}, which has no columns",
        fix="use a table: tsv, csv, jsonl or parquet (--input-format)",
    )
