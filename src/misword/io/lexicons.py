"""Bilingual lexicons: pairs of a word and its translation, from text, tables and workbooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Unpack

from misword.core import display, tables
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.options import takes
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.files.workbooks import is_workbook, read_workbook
from misword.io.options import LexiconOptions
from misword.io.transcripts.columns import first_of, refuse_unread
from misword.io.transcripts.detection import by_name, find_format, refuse_binary
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.transcripts.formats.tables import (
    Row,
    check_header_widths,
    column_names,
    read_rows,
    split_lines,
)

# Usual names of the two columns in a header. One of these names alone may be an entry of the
# lexicon ("source" is a French word, too); both in one row are a header.
NAMES = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("word", "translation"),
    ("headword", "translation"),
    ("headword", "equivalent"),
    ("word", "candidate"),
)
# Columns of more fields are refused if the lines have so many times fewer fields.
SPARSE_CELLS, SPARSE_SHARE = 1 << 24, 50
ONE_WORD_FIX = (
    "separate a word from its translation by a tab, or by one space if no entry is a phrase; the "
    "name of a file with commas ends with .csv"
)


@dataclass(frozen=True, repr=False)
class Lexicon(display.Displayed):
    """Pairs of words in the order of the file, each pair once.

    `lines` has the line of each pair, and `columns` the further columns of the file (part of
    speech, frequency) as text. `notes` report what was skipped. `copies` has the lines of further
    copies of a pair, by the position of the pair.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    lines: tuple[int, ...]
    name: str = "memory"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copies: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], name: str = "memory") -> Lexicon:
        """Make a lexicon of pairs in memory.

        >>> Lexicon.of([("dog", "chien"), ("cat", "chat"), ("dog", "chienne")]).headwords
        {'dog': (0, 2), 'cat': (1,)}
        """
        rows = [list(pair) for pair in pairs]
        if not rows:
            raise InputError("no pairs in it", where=name, fix="give at least one pair of words")
        return _lexicon(name, PairRows([], rows, list(range(1, len(rows) + 1))))

    def overview(self) -> display.Overview:
        """Return the first pairs."""
        pairs = zip(self.source, self.target, strict=True)
        columns = tables.text("source"), tables.text("target")
        title = f"Lexicon {self.name}: {counted(len(self), 'pair')}"
        return display.Overview.of_rows(title, pairs, columns, len(self))

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the pairs, which does not depend on the format of the file."""
        text = "".join(f"{a}\t{b}\n" for a, b in zip(self.source, self.target, strict=True))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def headwords(self) -> dict[str, tuple[int, ...]]:
        """The source words in the order of the file, each with the positions of its pairs."""
        positions: dict[str, list[int]] = {}
        for position, word in enumerate(self.source):
            positions.setdefault(word, []).append(position)
        return {word: tuple(of_word) for word, of_word in positions.items()}


@takes(LexiconOptions)
def read_lexicon(path: PathLike, **options: Unpack[LexiconOptions]) -> Lexicon:
    """Read a lexicon: text of MUSE and VecMap, tables with or without a header, JSONL, workbooks.

    A tab separates the two words, so that an entry may be a phrase; in a file without any tab, a
    space does. `columns` names the two columns of a table with a header, if they have no usual
    names and are not the first two. `lower` puts all words in lower case. `input_format` names the
    format of a table, such as `csv:delimiter=;`.
    """
    source = open_source(path)
    rows = read_pairs(source, options["columns"], options["input_format"])
    return _lexicon(source.shown, rows, options["lower"])


@dataclass(frozen=True, slots=True)
class PairRows:
    """The rows of a lexicon as they are in its file; the first two fields are the words.

    `names` are the names of the columns (empty without a header), `lines` the lines of the rows.
    """

    names: list[str]
    rows: list[Row]
    lines: list[int]
    notes: tuple[str, ...] = ()


def read_pairs(
    source: Source, columns: Sequence[str] | None = None, input_format: str | None = None
) -> PairRows:
    """Return all rows of a lexicon, for readers that need duplicate pairs; see `read_lexicon`."""
    if columns is not None and len(columns) != 2:
        raise OptionError(
            f"{counted(len(columns), 'column')} named, not two",
            fix="name the column of the words and that of their translations: --columns cs,sk",
        )
    fields = _read_fields(source, input_format, needs_header=columns is not None)
    if not fields.rows:
        raise InputError("no pairs in it", where=source.at(), fix="check that it is the right file")
    if fields.names:
        fields = _word_columns_first(fields, columns, source)
    for row, line in zip(fields.rows, fields.lines, strict=True):
        _check_pair(row, source, line, has_header=bool(fields.names))
    empty = sum(not row[1].strip() for row in fields.rows)
    if empty:
        words = counted(empty, "word")
        note = f"{words} of {source.shown} without a translation: nothing can find that pair"
        fields = replace(fields, notes=(*fields.notes, note))
    return fields


def _read_fields(source: Source, format: str | None, needs_header: bool) -> PairRows:
    """Read the fields of a file in the named format, or in the format that is detected."""
    if format is None and is_workbook(source):
        return _without_header(*read_workbook(source), source, needs_header)
    part = find_format(source, format) if format else _detected_format(source)
    if part is None or (part.name == "tsv" and format is None):
        return _read_plain(source, needs_header)
    if part.separator:
        return _without_header(*read_rows(source, part.separator), source, needs_header)
    if not part.is_table:
        raise OptionError(
            f"{part.name} is no format of lexicons", fix="use csv, tsv, jsonl or parquet"
        )
    table = part.table(source)
    rows = [["" if value is None else str(value) for value in row] for row in table.frame.rows()]
    return PairRows(table.frame.columns, rows, table.lines.to_list(), table.notes)


def _detected_format(source: Source) -> Format | None:
    """Return the table format of a file by its name, or by its content (JSONL); None if unknown."""
    part = by_name(source.name)
    if part is not None and part.is_table:
        return part
    refuse_binary(source)
    jsonl = FORMATS.create("jsonl")
    return jsonl if jsonl.looks_like(source) else None


def _read_plain(source: Source, needs_header: bool) -> PairRows:
    """Read fields between tabs, or between spaces without any tab; quotes are plain characters."""
    refuse_binary(source)
    delimiter = "\t" if "\t" in source.text else " "
    rows, lines = split_lines(source, delimiter)
    rows = [[field.strip() for field in row] for row in rows]
    fields = _without_header(rows, lines, source, needs_header)
    if delimiter == " " and not fields.names:
        _check_two_words(fields, source)
    return fields


def _without_header(
    rows: list[Row], lines: list[int], source: Source, needs_header: bool
) -> PairRows:
    """Remove blank lines and the header, if there is one, which has the names of the columns."""
    filled = [place for place, row in enumerate(rows) if any(row)]
    notes = []
    if len(filled) < len(rows):
        notes.append(f"{counted(len(rows) - len(filled), 'blank line')} in {source.shown}")
    rows, lines = [rows[place] for place in filled], [lines[place] for place in filled]
    if rows and (needs_header or is_header(rows)):
        names = column_names(rows[0], source)
        check_header_widths(rows[1:], lines[1:], names, source)
        notes.append(f"{source.shown}: line 1 is read as a header: {', '.join(names[:4])}")
        return PairRows(names, rows[1:], lines[1:], tuple(notes))
    # Without a header, two tabs in a row or a tab at the end of a line is a typing error.
    rows = [[field for field in row if field] for row in rows]
    return PairRows([], rows, lines, tuple(notes))


def _check_two_words(fields: PairRows, source: Source) -> None:
    """Raise if a line has more than two words between spaces: one of them would be a phrase."""
    for row, line in zip(fields.rows, fields.lines, strict=True):
        if len(row) > 2:
            raise InputError(
                f"{len(row)} words between spaces: where does the translation begin?",
                where=source.at(line),
                fix="put a tab between a phrase and its translation",
            )


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is a header.

    A header has usual names, or a word above a column of numbers.

    >>> is_header([["cs", "sk", "freq"], ["pes", "pes", "12"]]), is_header([["en", "de"]])
    (True, False)
    """
    first = [name.strip().lower() for name in rows[0]]
    if any(first_of((a,), first) and first_of((b,), first) for a, b in NAMES):
        return True
    return any(
        not _is_number(first[place]) and _is_number_column(rows[1:], place)
        for place in range(2, len(first))
    )


def _is_number_column(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a column has numbers, and no other fields except empty ones."""
    fields = [row[place] for row in rows if len(row) > place and row[place]]
    return bool(fields) and all(map(_is_number, fields))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _word_columns_first(
    fields: PairRows, columns: Sequence[str] | None, source: Source
) -> PairRows:
    """Put the columns of words and translations first.

    These are the columns in `columns`, else those with usual names, else the first two.
    """
    names = fields.names
    if columns is not None:
        word_columns = [_column(name, names, source) for name in columns]
    else:
        pairs = ([first_of((a,), names), first_of((b,), names)] for a, b in NAMES)
        complete = ([a, b] for a, b in pairs if a is not None and b is not None)
        word_columns = next(complete, names[:2])
    if len(set(word_columns)) < 2:
        raise InputError(
            f"one column of words: {', '.join(names)}",
            where=source.at(),
            fix="a lexicon has a column of words and one of their translations",
        )
    order = [names.index(name) for name in word_columns]
    order += [place for place in range(len(names)) if place not in order]
    rows = [[row[place] for place in order] for row in fields.rows]
    return PairRows([names[place] for place in order], rows, fields.lines, fields.notes)


def _column(name: str, names: Sequence[str], source: Source) -> str:
    """Return the column with this name in any case, or raise."""
    column = first_of((name,), names)
    if column is None:
        refuse_unread((name,), source)
        raise InputError(
            f"no column {name!r}; it has: {', '.join(names)}",
            where=source.at(),
            fix="name the two columns of words: --columns WORDS,TRANSLATIONS",
        )
    return column


def _check_pair(row: Row, source: Source, line: int, has_header: bool) -> None:
    """Raise if a line has fewer than two words; with a header the translation may be missing."""
    if len(row) < 2 or not row[0].strip() or not (has_header or row[1].strip()):
        word = next((field for field in row if field.strip()), "")
        raise InputError(f"one word, not two: {word!r}", where=source.at(line), fix=ONE_WORD_FIX)


def _refuse_wide(fields: PairRows, width: int, name: str) -> None:
    """Raise if the columns would have very many fields and hardly any word: a line is too long."""
    cells = width * len(fields.rows)
    if cells > SPARSE_CELLS and cells > SPARSE_SHARE * sum(map(len, fields.rows)):
        line = next(
            n for row, n in zip(fields.rows, fields.lines, strict=True) if len(row) == width
        )
        raise InputError(f"{width} fields in one line", where=f"{name}:{line}", fix=ONE_WORD_FIX)


def _lexicon(name: str, fields: PairRows, lower: bool = False) -> Lexicon:
    """Make a lexicon of rows whose first two fields are words; a duplicate pair counts once."""
    rows, notes = fields.rows, fields.notes
    places_of: dict[tuple[str, str], list[int]] = {}
    for place, (source, target, *_) in enumerate(rows):
        pair = (source.strip(), target.strip())
        key = (pair[0].lower(), pair[1].lower()) if lower else pair
        places_of.setdefault(key, []).append(place)
    places = [several[0] for several in places_of.values()]
    if len(places) < len(rows):
        duplicates = counted(len(rows) - len(places), "duplicate pair")
        notes += (f"{duplicates} in {name}: each counts once",)
    width = max(len(row) for row in rows)
    _refuse_wide(fields, width, name)
    further = fields.names[2:] or [f"column_{number}" for number in range(3, width + 1)]
    columns = {
        column: tuple(rows[at][place] if place < len(rows[at]) else "" for at in places)
        for place, column in enumerate(further, start=2)
    }
    return Lexicon(
        tuple(source for source, _ in places_of),
        tuple(target for _, target in places_of),
        tuple(fields.lines[place] for place in places),
        name,
        columns,
        notes,
        {
            number: tuple(fields.lines[place] for place in several[1:])
            for number, several in enumerate(places_of.values())
            if len(several) > 1
        },
    )
