"""Human judgements: sentence pairs with a similarity score (STS), triplets with votes, and ratings.

The columns have usual names, or the user names them. Three layouts of sentence pairs are
recognised: a header with usual names (SICK, GLUE); no header and three columns of which one is
numbers (`sentence,sentence,score`); and the original STS-benchmark files, which have no header,
seven or more columns between tabs, and the score before the sentences, whatever the suffix of the
file's name. A triplet is a reference, two hypotheses, and the votes for each hypothesis. Ratings
have a row for each item, system and rater.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.transcripts.columns import SourceTable, find_roles, refuse_rows, string_column
from misword.io.transcripts.detection import by_name, find_format, format_table
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.formats.tables import (
    Row,
    check_header_widths,
    check_widths,
    column_names,
    read_rows,
    split_lines,
    text_table,
)

# Sentence pairs.

# The columns of the frame, and the names that each may have in a file, in any case.
PAIR_COLUMNS = {
    "a": ("sentence1", "sentence_1", "sentence_A", "s1", "text1", "sent1", "a", "reference", "ref"),
    "b": (
        "sentence2",
        "sentence_2",
        "sentence_B",
        "s2",
        "text2",
        "sent2",
        "b",
        "hypothesis",
        "hyp",
    ),
    "score": (
        *("score", "relatedness_score", "similarity_score", "similarity", "gold", "label"),
        *("relatedness", "rating", "adequacy"),
    ),
}
# Columns of the original STS-benchmark: genre, file, year, number, score, sentence, sentence, more.
STS_BENCHMARK, STS_BENCHMARK_WIDTH = {"a": 5, "b": 6, "score": 4}, 7
WIDTH_FIX = (
    "put fields that hold the delimiter in double quotes; between tabs quotes are plain "
    "characters, unless you say --input-format tsv"
)


def read_sts(
    path: PathLike, *, columns: Sequence[str] | None = None, input_format: str | None = None
) -> pl.DataFrame:
    """Read sentence pairs: a frame with the sentences `a` and `b` and their `score`.

    Between tabs, quotes are plain characters, as in STS-benchmark and SICK; `input_format` names
    another format (`tsv`: with quoted fields, csv, jsonl, parquet). `columns` names the three
    columns, or, in a file without a header, gives their positions, counted from 1.
    """
    return pairs_of(open_source(path), columns, input_format)


def pairs_of(
    source: Source, columns: Sequence[str] | None = None, input_format: str | None = None
) -> pl.DataFrame:
    """Read sentence pairs, as `read_sts` does, from an input that is open."""
    by_position = columns is not None and all(name.strip().isdecimal() for name in columns)
    return shape_pairs(_pair_table(source, input_format, by_position), source, columns)


def shape_pairs(table: SourceTable, source: Source, columns: Sequence[str] | None) -> pl.DataFrame:
    """Select the three columns of a table and check every row."""
    if not len(table.frame):
        raise _no_pairs(source)
    a, b, score = find_roles(PAIR_COLUMNS, columns, table.frame.columns, source)
    return pl.DataFrame(
        [
            string_column(table, a, source).alias("a"),
            string_column(table, b, source).alias("b"),
            _scores(table, score, source).alias("score"),
        ]
    )


def _scores(table: SourceTable, name: str, source: Source) -> pl.Series:
    """Return a column of scores, or raise if a value is no number."""
    text = table.frame[name].cast(pl.String).fill_null("")
    numbers = text.str.strip_chars().cast(pl.Float64, strict=False)
    bad = numbers.is_null() | ~numbers.is_finite().fill_null(False)
    if bad.any():
        what = f"{text.filter(bad)[0]!r} in column {name!r} is no score"
        refuse_rows(bad, table, source, what, "every pair needs a number")
    return numbers


def _pair_table(source: Source, format: str | None, by_position: bool) -> SourceTable:
    """Return all columns of a file; without a header they are called `1`, `2`, ..."""
    part = by_name(source.name) if format is None else find_format(source, format)
    if part is None and source.unit == "row":
        return format_table(None, source)
    if part is not None and not part.separator:
        return format_table(part, source)
    tabs = source.lines[0].count("\t")
    if format is None and (tabs > 1 or (tabs and part is None)):
        rows, lines = split_lines(source)
    else:
        rows, lines = read_rows(source, part.separator if part else ",")
    while rows and not any(rows[-1]):
        rows.pop()
        lines.pop()
    if not rows:
        raise _no_pairs(source)
    if by_position:
        return _table_without_header(rows, lines, source, {})
    roles = _roles_without_header(rows[0])
    if roles:
        return _table_without_header(rows, lines, source, roles)
    return _table_with_header(rows, lines, source)


def _roles_without_header(row: Row) -> dict[str, int]:
    """Return the positions of the three columns if a file's first row is data; else nothing."""
    if len(row) == len(PAIR_COLUMNS):
        numbers = [place for place, field in enumerate(row) if _is_finite_number(field)]
        if len(numbers) != 1:
            return {}
        first, second = (place for place in range(len(row)) if place not in numbers)
        return {"a": first, "b": second, "score": numbers[0]}
    is_data = len(row) >= STS_BENCHMARK_WIDTH and _is_finite_number(row[STS_BENCHMARK["score"]])
    return STS_BENCHMARK if is_data else {}


def _table_with_header(rows: list[Row], lines: list[int], source: Source) -> SourceTable:
    """Return a table whose first row has the names of the columns."""
    names = column_names(rows[0], source)
    expected = f"where the header has {len(names)}"
    check_widths(rows, lines, len(names), expected, source, WIDTH_FIX)
    return text_table(names, rows[1:], lines[1:], source)


def _table_without_header(
    rows: list[Row], lines: list[int], source: Source, roles: dict[str, int]
) -> SourceTable:
    """Return a table whose columns have the names of their roles, or of their positions."""
    width = len(rows[0])
    if roles is STS_BENCHMARK:  # some of its rows have further fields at their end
        width = STS_BENCHMARK_WIDTH
        rows = [row[:width] for row in rows]
    check_widths(rows, lines, width, f"where others have {width}", source, WIDTH_FIX)
    role_at = {place: role for role, place in roles.items()}
    names = [role_at.get(place, str(place + 1)) for place in range(width)]
    return text_table(names, rows, lines, source)


def _no_pairs(source: Source) -> InputError:
    return InputError("no pairs in it", where=source.at(), fix="check that it is the file")


def _is_finite_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


# Triplets: a reference, two hypotheses, and the votes for each hypothesis.

# The columns of the frame, and the names that each may have in a file, in any case.
TRIPLET_COLUMNS = {
    "reference": ("reference", "ref"),
    "a": ("hypA", "hyp_a", "hypothesis_a", "a"),
    "votes_a": ("nbrA", "votesA", "votes_a", "nbr_a"),
    "b": ("hypB", "hyp_b", "hypothesis_b", "b"),
    "votes_b": ("nbrB", "votesB", "votes_b", "nbr_b"),
}
WHOLE_NUMBER = r"^\s*[0-9]{1,15}(\.0*)?\s*$"  # pandas writes 3 as 3.0 in a column with empty fields


def read_triplets(
    path: PathLike, *, columns: Sequence[str] | None = None, input_format: str | None = None
) -> pl.DataFrame:
    """Read triplets: a frame with `reference`, `a`, `votes_a`, `b`, `votes_b`.

    By default tabs separate the columns and quotes are plain characters, as in the HATS corpus. A
    file whose name ends with .csv, .jsonl or .parquet is read in that format; `input_format`
    names the format explicitly (`tsv`: with quoted fields). `columns` names the five columns, in
    that order.
    """
    return triplets_of(open_source(path), columns, input_format)


def triplets_of(
    source: Source, columns: Sequence[str] | None = None, input_format: str | None = None
) -> pl.DataFrame:
    """Read triplets, as `read_triplets` does, from an input that is open."""
    return shape_triplets(triplet_table(source, input_format), source, columns)


def shape_triplets(
    table: SourceTable, source: Source, columns: Sequence[str] | None
) -> pl.DataFrame:
    """Select the five columns of a table and check every row."""
    if not len(table.frame):
        raise InputError("no triplets in it", where=source.at(), fix="check that it is the file")
    file_names = find_roles(TRIPLET_COLUMNS, columns, table.frame.columns, source)
    series = []
    for name, file_name in zip(TRIPLET_COLUMNS, file_names, strict=True):
        read_column = _votes if name.startswith("votes") else string_column
        series.append(read_column(table, file_name, source).alias(name))
    return pl.DataFrame(series)


def _votes(table: SourceTable, name: str, source: Source) -> pl.Series:
    """Return a column of numbers of votes, or raise if a value is no whole number."""
    text = table.frame[name].cast(pl.String).fill_null("")
    bad = ~text.str.contains(WHOLE_NUMBER)
    if bad.any():
        what = f"{text.filter(bad)[0]!r} in column {name!r} is no number of votes"
        refuse_rows(bad, table, source, what, "write a whole number, 0 or more")
    return text.str.strip_chars().cast(pl.Float64).cast(pl.Int64)


def triplet_table(source: Source, format: str | None) -> SourceTable:
    """Return all columns of a file of triplets or of ratings by several raters."""
    if format is not None:
        return format_table(find_format(source, format), source)
    part = by_name(source.name)
    if part is None and "\t" not in source.lines[0]:
        part = FORMATS.create("csv")
    if part is None or part.separator == "\t":
        return _tab_table(source)
    return format_table(part, source)


def _tab_table(source: Source) -> SourceTable:
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


# Ratings: what each rater thinks of the hypothesis of each system for an item.

# The columns of the frame, and the names that each may have in a file, in any case.
RATING_COLUMNS = {
    "item": ("item", "item_id", "utt", "utterance", "segment", "id"),
    "system": ("system", "model", "recogniser", "recognizer"),
    "rater": ("rater", "rater_id", "annotator", "judge", "worker", "participant"),
    "rating": ("rating", "score", "grade", "adequacy"),
    "reference": ("reference", "ref"),
    "hypothesis": ("hypothesis", "hyp", "transcript"),
}
# A file is of this kind if it has one of these columns.
RATER_NAMES = RATING_COLUMNS["rater"]


def has_raters(names: Sequence[str]) -> bool:
    """Return whether columns of these names are ratings of single raters."""
    return not {name.lower() for name in names}.isdisjoint(RATER_NAMES)


def shape_ratings(
    table: SourceTable, source: Source, columns: Sequence[str] | None
) -> pl.DataFrame:
    """Select the six columns of a table and check every row."""
    if not len(table.frame):
        raise InputError("no ratings in it", where=source.at(), fix="check that it is the file")
    names = find_roles(RATING_COLUMNS, columns, table.frame.columns, source)
    series = []
    for role, name in zip(RATING_COLUMNS, names, strict=True):
        if role == "rating":
            series.append(_scores(table, name, source).alias(role))
        elif role in ("reference", "hypothesis"):
            series.append(string_column(table, name, source).alias(role))
        else:
            series.append(table.frame[name].cast(pl.String).fill_null("").alias(role))
    frame = pl.DataFrame(series)
    _refuse_contradictions(frame, table, source)
    return frame


def _refuse_contradictions(frame: pl.DataFrame, table: SourceTable, source: Source) -> None:
    """Raise if an item has two references, a system two hypotheses, or a rater two ratings."""
    for keys, value in (
        (["item"], "reference"),
        (["item", "system"], "hypothesis"),
        (["item", "system", "rater"], None),
    ):
        if value is None:
            is_bad, what = ~pl.struct(keys).is_first_distinct(), "a second rating"
        else:
            is_bad, what = pl.col(value) != pl.col(value).first().over(keys), f"a second {value}"
        bad = frame.select(bad=is_bad)["bad"]
        if bad.any():
            shown = ", ".join(f"{key} {frame.filter(bad)[key][0]!r}" for key in keys)
            refuse_rows(bad, table, source, f"{what} of {shown}", "correct or remove the row")
