"""Columns of a table: which has the ids, which the texts, and which are metadata.

The columns of ids and texts are those that the user names, or those with usual names. All other
columns are metadata; their values are read as numbers, categories or text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import np, pl
from misword.core.types import OWN_COLUMNS
from misword.io.files.sources import Source


def plain_name(name: str) -> str:
    """Return the name of a column, with an underscore if polars would read it as a pattern.

    polars reads the name `*` as all columns, and a name from `^` to `$` as a regular expression, in
    almost every function, also in those of a single column. A column gets a plain name when it is
    read; options may still name it as the file does.

    >>> plain_name("speaker"), plain_name("*"), plain_name("^t.*$")
    ('speaker', '*_', '^t.*$_')
    """
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"{name}_" if is_pattern else name


def with_plain_names(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return a table whose columns have plain names; `where` is its name in errors."""
    names = frame.columns
    changed = {name: plain for name in names if (plain := plain_name(name)) != name}
    for name in changed.values():
        if name in names:
            raise InputError(
                f"two columns are called {name[:-1]!r} and {name!r}",
                where=where,
                fix="rename one of them",
            )
    return frame.rename(changed) if changed else frame


def all_different(texts: pl.Series) -> bool:
    """Whether no two texts are equal.

    Hashes are compared first, which takes a small part of the time and of the memory.

    >>> import polars as pl
    >>> all_different(pl.Series(["a", "b"])), all_different(pl.Series(["a", "b", "a"]))
    (True, False)
    """
    hashes = np.sort(texts.hash().to_numpy())
    return not (hashes[1:] == hashes[:-1]).any() or not texts.is_duplicated().any()


Role = Literal["reference", "hypothesis"]

ID_NAMES = (
    *("utt", "id", "utt_id", "utterance_id", "utterance", "segment_id"),
    *("audio_filepath", "path", "file"),
)
REFERENCE_NAMES = ("text", "reference", "ref", "transcript", "transcription", "sentence")
PREDICTION_NAMES = ("pred_text", "hypothesis", "hyp", "prediction", "pred")
HYPOTHESIS_NAMES = (*PREDICTION_NAMES, "text", "transcript", "transcription", "sentence")
NO_IDS = "none"
NUMBER_WORDS = {3: "three", 5: "five", 6: "six"}
FIX_TEXT = "correct the row; an empty transcript is an empty string"
FIX_ID = "give every row an id, or name another column with --id-column"

# Metadata values that are read as numbers.
# `\d` would match the digits of other scripts, which polars does not convert.
WHOLE = r"^-?(0|[1-9][0-9]{0,17})$"
FRACTION = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Columns:
    """The role of a table, and the columns that the user named; None for columns to be detected.

    `id` may be `none`, which pairs rows by their position. With `gaps`, a row whose text is null is
    an utterance without a transcript and is not read; otherwise it is an error. With `lists`, all
    hypotheses of N-best lists are kept; otherwise the best ones. With `without_words`, files that
    have times of speakers alone are read too.
    """

    role: Role = "reference"
    id: str | None = None
    text: str | None = None
    gaps: bool = False
    lists: bool = False
    without_words: bool = False


@dataclass(frozen=True, slots=True)
class SourceTranscripts:
    """The transcripts of one source, as a format reads them.

    `frame` has `utt` (if there are ids), `text`, `line` and metadata. `notes` tell the user what
    was left out. `ignored` are the time spans that are not scored (`utt file channel begin end`).
    `words` is the table of words (`io/transcripts/words.py`) if the format has metadata of words.
    With `by_position`, the ids are the positions of utterances, from 1. `spoken_signs` is the
    number of words of nlp files that have a sign such as `%` in the column of punctuation.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    ignored: pl.DataFrame | None = None
    words: pl.DataFrame | None = None
    by_position: bool = False
    spoken_signs: int | None = None


@dataclass(frozen=True, slots=True)
class SourceTable:
    """All columns of a source, and the number of the first line of each row.

    `not_text` has the columns in which some value was not text before it was converted, and the
    line of the first such value.
    """

    frame: pl.DataFrame
    lines: pl.Series
    notes: tuple[str, ...] = ()
    not_text: Mapping[str, int] = field(default_factory=dict)


def in_memory(rows: Any, name: str) -> tuple[SourceTable, Source]:
    """Return a table of data that polars can make a frame of; `name` is its name in errors."""
    try:
        frame = pl.DataFrame(rows)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"not a table: {error}", where=name) from None
    lines = pl.Series("line", range(1, len(frame) + 1), pl.Int64)
    return SourceTable(with_plain_names(frame, name), lines), Source(name, "", b"")


def shape(table: SourceTable, columns: Columns, source: Source) -> SourceTranscripts:
    """Return the ids and texts of a table; all other columns are metadata."""
    names = table.frame.columns
    text = find_text(names, columns, source)
    ident = find_id([name for name in names if name != text], columns.id, source)
    if columns.gaps and ident is not None:
        filled = table.frame[text].is_not_null()
        table = replace(table, frame=table.frame.filter(filled), lines=table.lines.filter(filled))
    picked = [string_column(table, text, source).alias("text"), table.lines.alias("line")]
    if ident is not None:
        picked.insert(0, id_values(table, ident, source).alias("utt"))
    rest = [name for name in names if name not in (text, ident)]
    if columns.role == "reference":
        rest = [name for name in rest if name.lower() not in PREDICTION_NAMES]
    picked += [table.frame[name].alias(free_name(name, names)) for name in rest]
    return SourceTranscripts(pl.DataFrame(picked), table.notes)


def typed(values: pl.Series) -> pl.Series:
    """Return a metadata column as numbers if all values are numbers; empty values become null.

    A value with leading zeros is not a number, since it may be an id.
    """
    if values.dtype != pl.String:
        return values
    stripped = values.str.strip_chars()
    stripped = stripped.set(stripped == "", None)
    if stripped.null_count() == len(stripped):
        return values
    for pattern, kind in ((WHOLE, pl.Int64), (FRACTION, pl.Float64)):
        if stripped.drop_nulls().str.contains(pattern).all():
            return stripped.cast(kind)
    return values


def find_text(names: Sequence[str], columns: Columns, source: Source) -> str:
    """Return the name of the column with the transcripts of the role."""
    usual = REFERENCE_NAMES if columns.role == "reference" else HYPOTHESIS_NAMES
    name = first_of(usual if columns.text is None else (columns.text,), names)
    if name is not None:
        return name
    refuse_unread(usual if columns.text is None else (columns.text,), source)
    what = f"no column {columns.text!r}" if columns.text else f"no column of {columns.role} text"
    fix = f"name the column with --{columns.role}-column"
    if columns.text is None:
        fix += f"; names that are recognised: {', '.join(usual)}"
    if any(";" in name for name in names):
        fix += "; if semicolons separate the columns, use --input-format 'csv:delimiter=;'"
    raise InputError(
        f"{what}; it has: {', '.join(names) or 'none at all'}", where=source.at(), fix=fix
    )


def find_id(names: Sequence[str], wanted: str | None, source: Source) -> str | None:
    """Return the name of the column with the ids, or None if there is none."""
    if wanted is None:
        return first_of(ID_NAMES, names)
    name = first_of((wanted,), names)
    if name is None and wanted != NO_IDS:
        refuse_unread((wanted,), source)
        raise InputError(
            f"no column {wanted!r} for ids; it has: {', '.join(names)}",
            where=source.at(),
            fix=f"name one of them with --id-column, or --id-column {NO_IDS} to pair by position",
        )
    return name


def first_of(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the first wanted name among the names; case matters only if two names differ in it."""
    by_spelling = {name.lower(): name for name in reversed(names)} | {name: name for name in names}
    for name in wanted:
        spellings = (name, name.lower(), plain_name(name))
        match = next(filter(None, map(by_spelling.get, spellings)), None)
        if match is not None:
            return match
    return None


def refuse_unread(wanted: Sequence[str], source: Source) -> None:
    """Raise if a column that is not there under a wanted name was not read for its type."""
    name = first_of(wanted, list(source.unread))
    if name is not None:
        raise _no_text(name, source.unread[name], source)


def _no_text(name: str, kind: object, source: Source) -> InputError:
    return InputError(
        f"column {name!r} holds {kind}, not text",
        where=source.at(),
        fix="name the right column, or store the text as strings",
    )


class MissingColumnError(InputError):
    """A table has no column with a name of the one that is needed."""


def find_roles(
    roles: Mapping[str, Sequence[str]],
    chosen: Sequence[str] | None,
    names: Sequence[str],
    source: Source,
) -> list[str]:
    """Return the column of each role: those in `chosen`, or those with a usual name of the role."""
    number, order = NUMBER_WORDS[len(roles)], ",".join(roles)
    if chosen is not None and len(chosen) != len(roles):
        raise OptionError(
            f"{counted(len(chosen), 'column')} named, not {number}",
            fix=f"name them in this order: {order}",
        )
    wanted = list(roles.values()) if chosen is None else [(name,) for name in chosen]
    matches = [first_of(candidates, names) for candidates in wanted]
    for place, name in enumerate(matches):
        if name is None:
            refuse_unread(wanted[place], source)
            raise MissingColumnError(
                f"no column {' or '.join(wanted[place])}; it has: {', '.join(names)}",
                where=source.at(),
                fix=f"name the {number} columns: --columns {order}",
            )
    if len(set(matches)) < len(matches):
        raise InputError(
            f"two of the {number} columns are the same one",
            where=source.at(),
            fix=f"name {number} different ones, in this order: --columns {order}",
        )
    return [name for name in matches if name is not None]


def free_name(name: str, names: Sequence[str]) -> str:
    """Return the name of a metadata column, with underscores if misword uses the name itself."""
    while name in OWN_COLUMNS:
        name += "_"
        while name in names:
            name += "_"
    return name


def string_column(table: SourceTable, name: str, source: Source) -> pl.Series:
    """Return a column of text; raise if a row is null, not text, or contains NUL."""
    column = table.frame[name]
    if name in table.not_text:
        raise InputError(
            f"the value of {name!r} is not text",
            where=source.at(table.not_text[name]),
            fix="write it in quotes, or name another column",
        )
    if column.dtype in (pl.Categorical, pl.Enum, pl.Null):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        raise _no_text(name, column.dtype, source)
    nul = column.str.contains("\0", literal=True)
    refuse_rows(column.is_null(), table, source, f"null in column {name!r}", FIX_TEXT)
    refuse_rows(nul, table, source, f"a NUL character in column {name!r}", FIX_TEXT)
    return column


def id_values(table: SourceTable, name: str, source: Source) -> pl.Series:
    """Return a column of ids as strings; raise if an id is missing."""
    column = table.frame[name]
    if column.dtype.is_nested() or column.dtype == pl.Binary:
        raise InputError(
            f"column {name!r} holds {column.dtype}, which cannot be ids",
            where=source.at(),
            fix="name another column with --id-column",
        )
    column = column.cast(pl.String)
    missing = column.is_null() | (column == "").fill_null(True)
    refuse_rows(missing, table, source, f"no id in column {name!r}", FIX_ID)
    return column


def refuse_rows(bad: pl.Series, table: SourceTable, source: Source, what: str, fix: str) -> None:
    """Raise an error that names the first bad row, if there is one."""
    if bad.any():
        raise InputError(what, where=source.at(table.lines.filter(bad)[0]), fix=fix)


# Metadata columns whose numbers are names, such as speaker 17.
#
# The mean of such numbers has no meaning, and a filter from 3 to 8 selects speakers by chance. A
# column of whole numbers is therefore a category if its name says so (`speaker`, `session_id`,
# ...), or if it has few distinct values, each in several rows. Other columns can be named by the
# user; they have the data type `Categorical` of polars from then on, in result folders too.
#
# Known problems: whole numbers that are quantities, such as levels of noise in decibels, are also
# categories if there are few of them.

# Words in the name of a column whose numbers are names.
NAMES = frozenset(
    (
        *("id", "ids", "speaker", "speakers", "spk", "speakerid", "spkid", "client", "user"),
        *("reader", "talker", "session", "recording", "document", "doc", "file", "channel"),
        *("device", "microphone", "mic", "room", "fold", "split", "batch", "group", "cluster"),
    )
)
# The most distinct numbers, and the fewest rows for each of them, of a category with another name.
MOST_VALUES = 10
FEWEST_ROWS = 5


def interpret(values: pl.Series) -> pl.Series:
    """Return a metadata column as numbers or as text: text if its numbers are names.

    >>> import polars as pl
    >>> interpret(pl.Series("speaker_id", [17, 4])).to_list()
    ['17', '4']
    >>> interpret(pl.Series("age", ["30", "41"])).to_list()
    [30, 41]
    """
    numbers = typed(values)
    if not numbers.dtype.is_numeric():
        return numbers
    whole = numbers
    if numbers.dtype.is_float():  # a column of whole numbers with missing values, from pandas
        numbers = numbers.fill_nan(None)
        whole = numbers.cast(pl.Int64, strict=False)
        if not (whole == numbers).all() or whole.null_count() != numbers.null_count():
            return numbers
    return whole.cast(pl.String) if _are_names(whole) else numbers


def as_categories(
    frame: pl.DataFrame, names: Sequence[str], metadata: Sequence[str]
) -> pl.DataFrame:
    """Return a table with the named columns as categories; raise if one is no metadata column.

    >>> import polars as pl
    >>> as_categories(pl.DataFrame({"snr": [0, 5]}), ["snr"], metadata=["snr"])["snr"].dtype
    Categorical
    """
    for name in names:
        if name not in metadata:
            fix = f"columns: {', '.join(metadata) or 'there are none; add some with --metadata'}"
            raise OptionError(f"there is no metadata column {name!r}", fix=fix)
    return frame.with_columns(frame[name].cast(pl.String).cast(pl.Categorical) for name in names)


def _are_names(numbers: pl.Series) -> bool:
    """Return whether whole numbers are names, by the name of the column or by their number."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", numbers.name).lower()
    if NAMES.intersection(re.findall(r"[^\W\d_]+", split)):
        return True
    present = numbers.drop_nulls()
    distinct = present.n_unique()
    return distinct <= MOST_VALUES and distinct * FEWEST_ROWS <= len(present)
