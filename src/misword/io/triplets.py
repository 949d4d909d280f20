"""Files of people's choices: a reference, two hypotheses, and how many chose each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike, Source, counted, open_source
from misword.io.transcripts.columns import Table, find_roles, refuse_rows, string_column
from misword.io.transcripts.detection import by_name, find_format
from misword.io.transcripts.formats.delimited import Csv, Tsv, column_names

if TYPE_CHECKING:
    import polars as pl

# The columns of the frame, and what each may be called in a file, in any case.
NAMES = {
    "reference": ("reference", "ref"),
    "a": ("hypA", "hyp_a", "hypothesis_a", "a"),
    "votes_a": ("nbrA", "votesA", "votes_a", "nbr_a"),
    "b": ("hypB", "hyp_b", "hypothesis_b", "b"),
    "votes_b": ("nbrB", "votesB", "votes_b", "nbr_b"),
}
WHOLE = r"^\s*\d{1,15}(\.0*)?\s*$"  # 3.0 is what tables make of 3 beside an empty field


def read_triplets(
    path: PathLike, *, columns: Sequence[str] | None = None, format: str | None = None
) -> pl.DataFrame:
    """Read triplets: a frame with `reference`, `a`, `votes_a`, `b`, `votes_b`.

    Tabs part the columns, and quotes are plain characters, as HATS has them; what is called .csv,
    .jsonl or .parquet is read as such, and `format` names one outright (`tsv`: with quoted fields).
    `columns` names the five columns, in that order.
    """
    source = open_source(path)
    return shape_triplets(_table(source, format), source, columns)


def shape_triplets(table: Table, source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
    """Pick the five columns of a table and check every row."""
    import polars as pl

    if not len(table.frame):
        raise InputError("no triplets in it", where=source.at(), fix="check that it is the file")
    picked = find_roles(NAMES, columns, table.frame.columns, source)
    series = []
    for name, found in zip(NAMES, picked, strict=True):
        pick = _votes if name.startswith("votes") else string_column
        series.append(pick(table, found, source).alias(name))
    return pl.DataFrame(series)


def _votes(table: Table, name: str, source: Source) -> pl.Series:
    """A column of whole numbers."""
    import polars as pl

    text = table.frame[name].cast(pl.String).fill_null("")
    bad = ~text.str.contains(WHOLE)
    if bad.any():
        what = f"{text.filter(bad)[0]!r} in column {name!r} is no number of votes"
        refuse_rows(bad, table, source, what, "write a whole number, 0 or more")
    return text.str.strip_chars().cast(pl.Float64).cast(pl.Int64)


def _table(source: Source, format: str | None) -> Table:
    """All columns of a file."""
    if format is None:
        named = by_name(source.name)
        if isinstance(named, Tsv) or (named is None and "\t" in source.lines[0]):
            return _plain(source)
        part = named or Csv()
    else:
        part = find_format(source, format)
    if not part.is_table:
        raise OptionError(
            f"{source.shown} is read as {part.name}, which has no columns",
            fix="use a table: tsv, csv, jsonl or parquet (--input-format)",
        )
    return part.table(source)


def _plain(source: Source) -> Table:
    """Tab-separated columns in which a quote is a quote."""
    import polars as pl

    header, *rows = (line.split("\t") for line in source.lines)
    names = column_names(header, source)
    for line, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise InputError(
                f"{counted(len(row), 'field')}, where the header has {len(names)} "
                f"({', '.join(names)})",
                where=source.at(line),
                fix="tabs part the fields; quotes do not hold them together, unless you say "
                "--input-format tsv",
            )
    series = [
        pl.Series(name, [row[place] for row in rows], pl.String) for place, name in enumerate(names)
    ]
    return Table(pl.DataFrame(series), pl.Series("line", range(2, len(rows) + 2), pl.Int64))
