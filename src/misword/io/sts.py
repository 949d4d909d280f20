"""Pairs of sentences with a score of how alike people find them: STS-benchmark, SICK, any table.

What is known by itself: a header with usual names (SICK, GLUE); no header and three columns, one of
them numbers (`sentence,sentence,score`); the original STS-benchmark files, which have no header,
seven columns or more between tabs, and the score before the sentences, whatever they are called.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike, Source, counted, open_source
from misword.io.transcripts.columns import Table, find_roles, refuse_rows, string_column
from misword.io.transcripts.detection import by_name, find_format
from misword.io.transcripts.formats.delimited import Csv, column_names, read_rows

if TYPE_CHECKING:
    import polars as pl

# The columns of the frame, and what each may be called in a file, in any case.
NAMES = {
    "a": ("sentence1", "sentence_1", "sentence_A", "s1", "text1", "sent1", "a"),
    "b": ("sentence2", "sentence_2", "sentence_B", "s2", "text2", "sent2", "b"),
    "score": (
        *("score", "relatedness_score", "similarity_score", "similarity", "gold", "label"),
        "relatedness",
    ),
}
# Of the original STS-benchmark: genre, file, year, number, score, sentence, sentence, and more.
ORIGINAL, ORIGINAL_WIDTH = {"a": 5, "b": 6, "score": 4}, 7


def read_sts(
    path: PathLike, *, columns: Sequence[str] | None = None, format: str | None = None
) -> pl.DataFrame:
    """Read pairs: a frame with the sentences `a` and `b` and their `score`.

    Between tabs quotes are plain characters, as in STS-benchmark and SICK; `format` names another
    way (`tsv`: with quoted fields, csv, jsonl, parquet). `columns` names the three columns, or
    their places, counted from 1, in a file without a header.
    """
    source = open_source(path)
    return shape_pairs(_table(source, format, _places(columns)), source, columns)


def shape_pairs(table: Table, source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
    """Pick the three columns of a table and check every row."""
    import polars as pl

    if not len(table.frame):
        raise InputError("no pairs in it", where=source.at(), fix="check that it is the file")
    a, b, score = find_roles(NAMES, columns, table.frame.columns, source)
    return pl.DataFrame(
        [
            string_column(table, a, source).alias("a"),
            string_column(table, b, source).alias("b"),
            _scores(table, score, source).alias("score"),
        ]
    )


def _scores(table: Table, name: str, source: Source) -> pl.Series:
    """A column of numbers."""
    import polars as pl

    values = table.frame[name]
    text = values.cast(pl.String).fill_null("")
    numbers = text.str.strip_chars().cast(pl.Float64, strict=False)
    bad = numbers.is_null() | ~numbers.is_finite().fill_null(False)
    if bad.any():
        what = f"{text.filter(bad)[0]!r} in column {name!r} is no score"
        refuse_rows(bad, table, source, what, "every pair needs a number")
    return numbers


def _places(columns: Sequence[str] | None) -> bool:
    """Whether columns are counted, not named."""
    return columns is not None and all(name.strip().isdecimal() for name in columns)


def _table(source: Source, format: str | None, places: bool) -> Table:
    """All columns of a file; those of a file without a header are called `1`, `2`, ..."""
    part = by_name(source.name) if format is None else find_format(source, format)
    if not isinstance(part, Csv | None) or (part is None and source.unit == "row"):
        if part is None or not part.is_table:
            raise OptionError(
                f"{source.shown} is read as {part.name if part else 'binary data'}, "
                "which has no columns",
                fix="use a table: tsv, csv, jsonl or parquet (--input-format)",
            )
        return part.table(source)
    tabs = source.lines[0].count("\t")
    if format is None and (tabs > 1 or (tabs and not isinstance(part, Csv))):
        rows = [line.split("\t") for line in source.lines]
        lines = list(range(1, len(rows) + 1))
    else:
        rows, lines = read_rows(source, part.delimiter if part else ",")
    while rows and not any(rows[-1]):
        rows.pop()
        lines.pop()
    if not rows:
        raise InputError("no pairs in it", where=source.at(), fix="check that it is the file")
    if places or _bare(rows[0]):
        return _headless(rows, lines, source, places)
    return _headed(rows, lines, source)


def _bare(row: Sequence[str]) -> bool:
    """Whether a first row is data already, in a layout that is known."""
    if len(row) == len(NAMES):
        return sum(map(_is_number, row)) == 1
    return len(row) >= ORIGINAL_WIDTH and _is_number(row[ORIGINAL["score"]])


def _headed(rows: list[list[str]], lines: list[int], source: Source) -> Table:
    """A table whose first row names the columns."""
    import polars as pl

    names = column_names(rows[0], source)
    _check(rows, lines, len(names), f"where the header has {len(names)}", source)
    fields = list(zip(*rows[1:], strict=True)) or [() for _ in names]
    series = [pl.Series(n, list(v), pl.String) for n, v in zip(names, fields, strict=True)]
    return Table(pl.DataFrame(series), pl.Series("line", lines[1:], pl.Int64))


def _headless(rows: list[list[str]], lines: list[int], source: Source, places: bool) -> Table:
    """A table without a header: its columns by their places, and by their roles if known."""
    import polars as pl

    width = len(rows[0])
    original = not places and width >= ORIGINAL_WIDTH
    if original:  # some rows say more at their ends
        width = ORIGINAL_WIDTH
        rows = [row[:width] for row in rows]
    _check(rows, lines, width, f"where others have {width}", source)
    names = [str(place + 1) for place in range(width)]
    if not places:
        roles = ORIGINAL
        if not original:
            score = next(place for place, field in enumerate(rows[0]) if _is_number(field))
            left = [place for place in range(width) if place != score]
            roles = {"a": left[0], "b": left[1], "score": score}
        for role, place in roles.items():
            names[place] = role
    series = [
        pl.Series(name, [row[place] for row in rows], pl.String) for place, name in enumerate(names)
    ]
    return Table(pl.DataFrame(series), pl.Series("line", lines, pl.Int64))


def _check(rows: list[list[str]], lines: list[int], width: int, told: str, source: Source) -> None:
    """Refuse rows of another width."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(
                f"{counted(len(row), 'field')}, {told}",
                where=source.at(line),
                fix="put fields that hold the delimiter in double quotes; between tabs quotes are "
                "plain characters, unless you say --input-format tsv",
            )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
