"""Bilingual lexicons: pairs of a word and a translation of it, as people write them down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike, Source, counted, open_source
from misword.io.files.writing import whole_files
from misword.io.transcripts.columns import first_of
from misword.io.transcripts.detection import by_name, find_format, refuse_binary
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.delimited import Csv, check_widths, column_names, read_rows
from misword.io.transcripts.formats.jsonl import JsonLines

# What the two columns are called where a header names them. Each name alone may be an entry
# ("source" is French, too); both in one row are a header.
NAMES = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("word", "translation"),
    ("headword", "translation"),
    ("headword", "equivalent"),
    ("word", "candidate"),
)
PARTED = (
    "a tab parts a word from its translation, or one space where no entry is a phrase; "
    "a file of commas is called .csv"
)


@dataclass(frozen=True)
class Lexicon:
    """Pairs of words in the order of the file, each pair once.

    `lines` has where each pair stands; `columns` whatever else the file says of it (part of speech,
    frequency), as text. `digest` is the SHA-256 of the pairs, however they were written down;
    `notes` say what was passed over.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    lines: tuple[int, ...]
    name: str = "memory"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], name: str = "memory") -> Lexicon:
        """Pairs in memory.

        >>> Lexicon.of([("dog", "chien"), ("cat", "chat"), ("dog", "chienne")]).headwords
        {'dog': (0, 2), 'cat': (1,)}
        """
        rows = [list(pair) for pair in pairs]
        if not rows:
            raise InputError("no pairs in it", where=name, fix="give at least one pair of words")
        return _lexicon(name, rows, list(range(1, len(rows) + 1)), [], False, ())

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the pairs."""
        text = "".join(f"{a}\t{b}\n" for a, b in zip(self.source, self.target, strict=True))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def headwords(self) -> dict[str, tuple[int, ...]]:
        """The source words, in the order of the file, and the places of their pairs."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.source):
            found.setdefault(word, []).append(place)
        return {word: tuple(places) for word, places in found.items()}


def read_lexicon(
    path: PathLike,
    *,
    columns: Sequence[str] | None = None,
    lower: bool = False,
    format: str | None = None,
) -> Lexicon:
    """Read a lexicon: MUSE's and VecMap's text, tables with or without a header, JSON lines.

    A tab parts the words, so that an entry may be a phrase; in a file without any tab one space
    does. `columns` names the two columns of a table with a header, if they are neither called as
    usual nor the first two. `lower` takes all words in lower case; else they are what they are.
    """
    source = open_source(path)
    if columns is not None and len(columns) != 2:
        raise OptionError(
            f"{counted(len(columns), 'column')} named, not two",
            fix="name the column of the words and that of their translations: --columns cs,sk",
        )
    names, rows, lines, notes = _rows(source, format, columns is not None)
    if not rows:
        raise InputError("no pairs in it", where=source.at(), fix="check that it is the right file")
    if names:
        rows = _ordered(names, rows, columns, source)
    for row, line in zip(rows, lines, strict=True):
        _check(row, source, line, headed=bool(names))
    empty = sum(not row[1].strip() for row in rows)
    if empty:
        which = counted(empty, "word")
        notes += (f"{which} of {source.shown} without a translation: nothing can find that pair",)
    rest = [name for name in names if name not in names[:2]]
    return _lexicon(source.shown, rows, lines, rest, lower, notes)


Rows = tuple[list[str], list[list[str]], list[int], tuple[str, ...]]


def _rows(source: Source, format: str | None, named: bool) -> Rows:
    """Names of the columns (none without a header), the fields, their lines, notes."""
    part = find_format(source, format) if format else _table_format(source)
    if part is None or (part.name == "tsv" and format is None):
        return _plain(source, named)
    if isinstance(part, Csv):
        rows, lines = read_rows(source, part.delimiter)
        return _headed(rows, lines, source, named)
    if not part.is_table:
        raise OptionError(
            f"{part.name} is no format of lexicons", fix="use csv, tsv, jsonl or parquet"
        )
    table = part.table(source)
    cells = [["" if value is None else str(value) for value in row] for row in table.frame.rows()]
    return table.frame.columns, cells, table.lines.to_list(), table.notes


def _table_format(source: Source) -> Format | None:
    """The format of a table that the name, or JSON, settles."""
    part = by_name(source.name)
    if part is not None and part.is_table:
        return part
    refuse_binary(source)
    return JsonLines() if JsonLines().looks_like(source) else None


def _plain(source: Source, named: bool) -> Rows:
    """Lines of fields between tabs or spaces, in which a quote is a quote."""
    refuse_binary(source)
    mark = "\t" if "\t" in source.text else " "
    rows = [[field.strip() for field in line.split(mark)] for line in source.lines]
    return _headed(rows, list(range(1, len(rows) + 1)), source, named, plain=mark)


def _headed(
    rows: list[list[str]], lines: list[int], source: Source, named: bool, plain: str = ""
) -> Rows:
    """Take blank lines and the header off."""
    filled = [place for place, row in enumerate(rows) if any(row)]
    notes = []
    if len(filled) < len(rows):
        notes.append(f"{counted(len(rows) - len(filled), 'blank line')} in {source.shown}")
    rows, lines = [rows[place] for place in filled], [lines[place] for place in filled]
    if rows and (named or is_header(rows)):
        names = column_names(rows[0], source)
        check_widths(rows[1:], lines[1:], names, source)
        notes.append(f"{source.shown}: line 1 is read as a header: {', '.join(names[:4])}")
        return names, rows[1:], lines[1:], tuple(notes)
    # Without a header a doubled tab, or one at the end, is a slip of the hand.
    rows = [[field for field in row if field] for row in rows]
    wide = next((place for place, row in enumerate(rows) if plain == " " and len(row) > 2), None)
    if wide is not None:
        raise InputError(
            f"{len(rows[wide])} words between spaces: where does the translation begin?",
            where=source.at(lines[wide]),
            fix="put a tab between a phrase and its translation",
        )
    return [], rows, lines, tuple(notes)


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: usual names, or a word over a column of numbers.

    >>> is_header([["cs", "sk", "freq"], ["pes", "pes", "12"]]), is_header([["en", "de"]])
    (True, False)
    """
    first = [name.strip().lower() for name in rows[0]]
    if any(first_of((a,), first) and first_of((b,), first) for a, b in NAMES):
        return True
    return any(
        not _number(first[place])
        and all(_number(field, empty=True) for field in _column(rows[1:], place))
        and any(_column(rows[1:], place))
        for place in range(2, len(first))
    )


def _column(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place] for row in rows if len(row) > place]


def _number(text: str, empty: bool = False) -> bool:
    try:
        float(text)
    except ValueError:
        return empty and not text
    return True


def _ordered(
    names: list[str], rows: list[list[str]], columns: Sequence[str] | None, source: Source
) -> list[list[str]]:
    """The rows, and `names` itself, with the two columns of words first."""
    if columns is not None:
        picked = [first_of((name,), names) for name in columns]
        for name, found in zip(columns, picked, strict=True):
            if found is None:
                raise InputError(
                    f"no column {name!r}; it has: {', '.join(names)}",
                    where=source.at(),
                    fix="name the two columns of words: --columns WORDS,TRANSLATIONS",
                )
    else:
        pairs = ([first_of((a,), names), first_of((b,), names)] for a, b in NAMES)
        picked = next((pair for pair in pairs if None not in pair), list(names[:2]))
    if len(set(picked)) < 2:
        raise InputError(
            f"one column of words: {', '.join(names)}",
            where=source.at(),
            fix="a lexicon has a column of words and one of their translations",
        )
    order = [names.index(str(name)) for name in picked]
    order += [place for place in range(len(names)) if place not in order]
    names[:] = [names[place] for place in order]
    return [[row[place] for place in order] for row in rows]


def _check(row: list[str], source: Source, line: int, headed: bool) -> None:
    """Refuse a line without two words; in a table with a header the translation may be missing."""
    if len(row) < 2 or not row[0].strip() or not (headed or row[1].strip()):
        some = next((field for field in row if field.strip()), "")
        raise InputError(f"one word, not two: {some!r}", where=source.at(line), fix=PARTED)


def _lexicon(
    name: str,
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    rest: Sequence[str],
    lower: bool,
    notes: tuple[str, ...],
) -> Lexicon:
    """Each pair once, with its further columns."""
    first: dict[tuple[str, str], int] = {}
    for place, (source, target, *_) in enumerate(rows):
        pair = (source.strip(), target.strip())
        first.setdefault((pair[0].lower(), pair[1].lower()) if lower else pair, place)
    kept = list(first.values())
    if len(kept) < len(rows):
        doubled = len(rows) - len(kept)
        notes += (f"{counted(doubled, 'doubled pair')} in {name}: each counts once",)
    if not rest:
        width = max(len(row) for row in rows)
        rest = [f"column_{place}" for place in range(3, width + 1)]
    columns = {
        column: tuple(rows[at][place] if place < len(rows[at]) else "" for at in kept)
        for place, column in enumerate(rest, start=2)
    }
    pairs = list(first)
    return Lexicon(
        tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs),
        tuple(lines[place] for place in kept), name, columns, notes,
    )  # fmt: skip


def write_lexicon(rows: Iterable[Sequence[str]], path: PathLike) -> None:
    """Write rows between tabs, the header first, as they come; the file is whole or not there."""
    with whole_files([path]) as (file,):
        for row in rows:
            line = "\t".join(row)
            if "\n" in line or line.count("\t") != len(row) - 1:
                raise InputError(
                    f"a tab or a line end inside a word: {row}",
                    where=str(path),
                    fix="a lexicon cannot hold it; use --format csv or json",
                )
            file.write(f"{line}\n".encode())
