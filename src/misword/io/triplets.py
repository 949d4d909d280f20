"""Files of human judgements: a reference, two hypotheses, and the votes for each hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.errors import InputError
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.transcripts.columns import Table, find_roles, refuse_rows, string_column
from misword.io.transcripts.detection import by_name, find_format, format_table
from misword.io.transcripts.field_rows import (
    check_header_widths,
    column_names,
    split_lines,
    text_table,
)
from misword.io.transcripts.formats import FORMATS

if TYPE_CHECKING:
    import polars as pl

# The columns of the frame, and the names that each may have in a file, in any case.
NAMES = {
    "reference": ("reference", "ref"),
    "a": ("hypA", "hyp_a", "hypothesis_a", "a"),
    "votes_a": ("nbrA", "votesA", "votes_a", "nbr_a"),
    "b": ("hypB", "hyp_b", "hypothesis_b", "b"),
    "votes_b": ("nbrB", "votesB", "votes_b", "nbr_b"),
}
WHOLE_NUMBER = r"^\s*[0-9]{1,15}(\.0*)?\s*$"  # pandas writes 3 as 3.0 in a column with empty fields


def read_triplets(
    path: PathLike, *, columns: Sequence[str] | None = None, format: str | None = None
) -> pl.DataFrame:
    """Read triplets: a frame with `reference`, `a`, `votes_a`, `b`, `votes_b`.

    By default tabs separate the columns and quotes are plain characters, as in the HATS corpus. A
    file whose name ends with .csv, .jsonl or .parquet is read in that format; `format` names the
    format explicitly (`tsv`: with quoted fields). `columns` names the five columns, in that order.
    """
    return triplets_of(open_source(path), columns, format)


def triplets_of(
    source: Source, columns: Sequence[str] | None = None, format: str | None = None
) -> pl.DataFrame:
    """Read triplets, as `read_triplets` does, from an input that is open."""
    return shape_triplets(_read_table(source, format), source, columns)


def shape_triplets(table: Table, source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
    """Select the five columns of a table and check every row."""
    import polars as pl

    if not len(table.frame):
        raise InputError("no triplets in it", where=source.at(), fix="check that it is the file")
    file_names = find_roles(NAMES, columns, table.frame.columns, source)
    series = []
    for name, file_name in zip(NAMES, file_names, strict=True):
        read_column = _votes if name.startswith("votes") else string_column
        series.append(read_column(table, file_name, source).alias(name))
    return pl.DataFrame(series)


def _votes(table: Table, name: str, source: Source) -> pl.Series:
    """Return a column of numbers of votes, or raise if a value is no whole number."""
    import polars as pl

    text = table.frame[name].cast(pl.String).fill_null("")
    bad = ~text.str.contains(WHOLE_NUMBER)
    if bad.any():
        what = f"{text.filter(bad)[0]!r} in column {name!r} is no number of votes"
        refuse_rows(bad, table, source, what, "write a whole number, 0 or more")
    return text.str.strip_chars().cast(pl.Float64).cast(pl.Int64)


def _read_table(source: Source, format: str | None) -> Table:
    """Return all columns of a file."""
    if format is not None:
        return format_table(find_format(source, format), source)
    part = by_name(source.name)
    if part is None and "\t" not in source.lines[0]:
        part = FORMATS.create("csv")
    if part is None or part.separator == "\t":
        return _tab_table(source)
    return format_table(part, source)


def _tab_table(source: Source) -> Table:
    """Read columns between tabs, with a header; quotes are plain characters."""
    (header, *rows), (_, *lines) = split_lines(source)
    names = column_names(header, source)
    check_header_widths(
        rows,
        lines,
        names,
        source,
        "tabs separate the fields; quotes do not hold them together, unless you say "
        "--input-format tsv",
    )
    return text_table(names, rows, lines, source)
