"""Writing of dictionaries with all their fields; the suffix of the file decides the format.

`.tei` (TEI Lex-0), `.lift`, `.ttl` (OntoLex-lemon), `.ifo` (StarDict, four files), or a table with
a row for each equivalent and each example: `.tsv`, `.csv`, `.xlsx`. `read_dictionary` reads each of
them without loss.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import groupby, zip_longest
from pathlib import Path, PurePath
from typing import ClassVar

from misword.core.errors import InputError, OptionError
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import (
    DictionaryEntry,
    Entry,
    EntryLanguages,
    Equivalent,
    Example,
    Problems,
    Sense,
)
from misword.io.dictionaries.lexical_markup import (
    MARKUP_WRITERS,
    escaped,
    joined_lines,
    unescaped,
)
from misword.io.dictionaries.ontolex import RDF, ontolex_bytes
from misword.io.files.sources import PathLike, Source
from misword.io.files.workbooks import is_workbook, read_workbook
from misword.io.files.writing import whole_files
from misword.io.formulas import with_formula
from misword.io.lexicon_writing import check_format, write_lexicon

TABLES = (".tsv", ".csv", ".xlsx")
WRITTEN = (*MARKUP_WRITERS, ".ttl", ".ifo", *TABLES)


def is_dictionary_file(path: PathLike) -> bool:
    """Return whether a suffix is that of dictionaries alone, not of tables of pairs."""
    return _suffix(path) in WRITTEN and _suffix(path) not in TABLES


def check_dictionary_format(path: PathLike) -> None:
    """Raise, before any work, if a dictionary cannot be written in the format of its suffix."""
    suffix = _suffix(path)
    if suffix not in WRITTEN:
        raise OptionError(
            f"dictionaries are not written as {suffix or 'a file without a suffix'}",
            where=os.fspath(path),
            fix=f"name a file that ends with {', '.join(WRITTEN)}",
        )
    if suffix == ".ttl":
        RDF.check(".ttl")
    elif suffix in TABLES:
        check_format(path)


def _suffix(path: PathLike) -> str:
    return PurePath(path).suffix.lower()


def write_dictionary(
    entries: Sequence[Entry],
    path: PathLike,
    languages: tuple[str, str] = ("", ""),
    title: str = "",
) -> None:
    """Write entries with all their fields; `read_dictionary(path).entries` are the same entries.

    `languages` are the codes of the headwords and of the equivalents, empty if not known. `title`
    is the name of the dictionary, by default that of the file.
    """
    check_dictionary_format(path)
    suffix, title = _suffix(path), title or PurePath(path).stem
    if suffix in TABLES:
        _check_cells(entries, path)
        write_lexicon(table_rows(entries), path)
    elif suffix == ".ifo":
        _write_stardict(entries, path, title)
    else:
        writer = MARKUP_WRITERS.get(suffix)
        with whole_files([path]) as (file,):
            file.write(
                ontolex_bytes(entries, languages, title)
                if writer is None
                else joined_lines(writer(entries, languages, title))
            )


# Tables: a row for each equivalent and each example of a sense.

ENTRY_COLUMNS = ("pos", "forms", "frequency", "rank", "verdict", "reviewer", "note")
SENSE_COLUMNS = ("sense", "label")
EQUIVALENT_COLUMNS = ("equivalent", "equivalent pos", "probability", "equivalent verdict")
EXAMPLE_COLUMNS = ("example", "example translation", "example source")
COLUMNS = (
    "entry", "headword", *ENTRY_COLUMNS, *SENSE_COLUMNS, *EQUIVALENT_COLUMNS, *EXAMPLE_COLUMNS,
)  # fmt: skip
PRESENT = "\\-"  # the cell of a text that is there and empty
LONGEST_CELL = 32_767  # characters that a cell of a workbook holds
SEPARATOR = "; "
# What a table cannot hold as it is: line ends, spaces at both ends, separators of forms, quotation
# marks, and what a workbook takes for an escape.
CELL = re.compile(r'[\t\n\x00-\x1f"]|^\s|\s$|_(?=x[0-9a-fA-F]{4}_)')


def _cell(text: str) -> str:
    return CELL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped(text))


def _form_cell(form: str) -> str:
    return _cell(form).replace(";", "\\u003b") or PRESENT


def table_rows(entries: Iterable[Entry]) -> Iterator[Sequence[str]]:
    """Yield the header and the rows of a table."""
    yield COLUMNS
    for number, entry in enumerate(entries, 1):
        facts = (
            _cell(entry.pos),
            SEPARATOR.join(map(_form_cell, entry.forms)),
            str(entry.frequency or ""),
            str(entry.rank or ""),
            *map(_cell, (entry.verdict, entry.reviewer, entry.note)),
        )
        start = (str(number), _cell(entry.headword) or PRESENT)
        for row in _sense_rows(entry.senses) if entry.senses else [("",) * 9]:
            yield (*start, *facts, *row)
            facts = ("",) * len(ENTRY_COLUMNS)


def _sense_rows(senses: Iterable[Sense]) -> Iterator[Sequence[str]]:
    for place, sense in enumerate(senses, 1):
        name, label = f"{place}:{sense.number}", _cell(sense.label)
        both = list(zip_longest(sense.equivalents, sense.examples)) or [(None, None)]
        for one, example in both:
            yield (name, label, *_equivalent_cells(one), *_example_cells(example))
            label = ""


def _equivalent_cells(one: Equivalent | None) -> tuple[str, ...]:
    if one is None:
        return ("",) * len(EQUIVALENT_COLUMNS)
    probability = "" if one.probability is None else repr(one.probability)
    return (_cell(one.text) or PRESENT, _cell(one.pos), probability, _cell(one.verdict))


def _example_cells(one: Example | None) -> tuple[str, ...]:
    if one is None:
        return ("",) * len(EXAMPLE_COLUMNS)
    return (_cell(one.text) or PRESENT, _cell(one.translation), _cell(one.source))


def _check_cells(entries: Iterable[Entry], path: PathLike) -> None:
    """Raise if a text is too long for a cell of a workbook, which would drop it silently."""
    if _suffix(path) != ".xlsx":
        return
    for entry in entries:
        texts = [one for row in table_rows([entry]) for one in row]
        if max(map(len, texts)) > LONGEST_CELL:
            raise InputError(
                f"a text of {entry.headword[:40]!r} has more than {LONGEST_CELL:,} characters",
                where=os.fspath(path),
                fix="a workbook cannot hold it; write .tsv or .tei",
            )


@dataclass(frozen=True, slots=True)
class EntryTable(DictionaryFormat):
    """Tables that misword wrote, with a row for each equivalent: `.tsv`, `.csv`, `.xlsx`."""

    name: ClassVar[str] = "entries"
    title: ClassVar[str] = "tables of entries"

    def looks_like(self, source: Source) -> bool:
        """Whether the first line of a text has the names of the columns."""
        return source.data.startswith(tuple(sign.join(COLUMNS).encode() for sign in "\t,"))

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries, with all fields."""
        rows, lines = _table(problems.source)
        if not rows or tuple(rows[0][: len(COLUMNS)]) != COLUMNS:
            raise InputError(
                f"the first row does not name the columns {', '.join(COLUMNS[:3])}, ...",
                where=problems.source.at(1),
                fix="save it as .csv to read words and translations",
            )
        for place, entry in table_entries(rows[1:]):
            yield DictionaryEntry.of(entry, lines[place + 1])


def _table(source: Source) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a table, and the line of each."""
    if is_workbook(source):
        return read_workbook(source)
    if source.data.startswith(f"{COLUMNS[0]},".encode()):
        made = csv.reader(source.lines)
        rows = [[*map(with_formula, row)] for row in made]
    else:
        rows = [line.split("\t") for line in source.lines]
    return rows, list(range(1, len(rows) + 1))


def table_entries(rows: Iterable[Sequence[str]]) -> Iterator[tuple[int, Entry]]:
    """Yield each entry of a table with the place of its first row, from 0."""
    numbered = enumerate(dict(zip(COLUMNS, row, strict=False)) for row in rows)
    for _, group in groupby(numbered, lambda pair: pair[1]["entry"]):
        found = list(group)
        place, first = found[0]
        forms = first["forms"].split(SEPARATOR) if first["forms"] else []
        yield (
            place,
            Entry(
                _read_cell(first["headword"]),
                tuple(_senses([row for _, row in found])),
                _read_cell(first["pos"]),
                tuple(map(_read_cell, forms)),
                int(first["frequency"] or 0),
                int(first["rank"] or 0),
                *(_read_cell(first[name]) for name in ("verdict", "reviewer", "note")),
            ),
        )


def _read_cell(text: str) -> str:
    return "" if text == PRESENT else unescaped(text)


def _senses(rows: Sequence[Mapping[str, str]]) -> Iterator[Sense]:
    for key, group in groupby(rows, lambda row: row["sense"]):
        if not key:
            continue
        found = list(group)
        equivalents = tuple(
            Equivalent(
                _read_cell(row["equivalent"]),
                _read_cell(row["equivalent pos"]),
                float(row["probability"]) if row["probability"] else None,
                _read_cell(row["equivalent verdict"]),
            )
            for row in found
            if row["equivalent"]
        )
        examples = tuple(
            Example(*(_read_cell(row[name]) for name in EXAMPLE_COLUMNS))
            for row in found
            if row["example"]
        )
        number = int(key.partition(":")[2])
        yield Sense(number, equivalents, _read_cell(found[0]["label"]), examples)


# StarDict: `.ifo` (facts), `.idx` (index), `.dict` (articles), `.syn` (inflected forms).

LONGEST_WORD = 255  # bytes of a word in the index
WHOLE = re.compile(r'<div class="misword" data-entry="([^"]*)">')
SIZE = 4


def _index_word(text: str) -> bytes:
    """Return a word as an index has it: no control characters, not empty, not too long."""
    word = "".join(one if one.isprintable() else " " for one in text).strip() or "-"
    cut = word.encode("utf-8", "replace")[:LONGEST_WORD]
    return cut.decode("utf-8", "ignore").encode()


def _index_order(word: bytes) -> tuple[bytes, bytes]:
    return word.lower(), word  # of bytes, `lower` changes ASCII letters alone, as StarDict does


def _write_stardict(entries: Sequence[Entry], path: PathLike, title: str) -> None:
    """Write the four files of a dictionary; articles are HTML."""
    words = [_index_word(entry.headword) for entry in entries]
    order = sorted(range(len(entries)), key=lambda place: _index_order(words[place]))
    index, articles, start = [], [], 0
    forms = []
    for number, place in enumerate(order):
        article = _article(entries[place], place).encode()
        numbers = start.to_bytes(SIZE) + len(article).to_bytes(SIZE)
        index.append(words[place] + b"\0" + numbers)
        articles.append(article)
        start += len(article)
        forms += [(_index_word(form), number) for form in entries[place].forms]
    forms.sort(key=lambda pair: _index_order(pair[0]))
    synonyms = b"".join(word + b"\0" + number.to_bytes(SIZE) for word, number in forms)
    whole = b"".join(index)
    facts = {
        "version": "2.4.2",
        "bookname": " ".join(title.split()),
        "wordcount": len(entries),
        "synwordcount": len(forms),
        "idxfilesize": len(whole),
        "sametypesequence": "h",
    }
    lines = ["StarDict's dict ifo file", *(f"{name}={value}" for name, value in facts.items())]
    contents = (joined_lines(lines), whole, b"".join(articles), synonyms)
    base = Path(path)
    paths = [base.with_suffix(suffix) for suffix in (".ifo", ".idx", ".dict", ".syn")]
    with whole_files(paths) as files:
        for file, content in zip(files, contents, strict=True):
            file.write(content)


def _article(entry: Entry, place: int) -> str:
    """Return the article of an entry for people; an attribute has all of its fields as JSON."""
    content = escape(json.dumps([place, entry.to_json()]))
    senses = "".join(f"<li>{_sense_text(sense)}</li>" for sense in entry.senses)
    pos = f" <i>{_shown(entry.pos)}</i>" if entry.pos else ""
    return (
        f'<div class="misword" data-entry="{content}"><b>{_shown(entry.headword)}</b>{pos}'
        f"<ol>{senses}</ol></div>"
    )


def _sense_text(sense: Sense) -> str:
    label = f"<i>({_shown(sense.label)})</i> " if sense.label else ""
    words = ", ".join(_shown(one.text) for one in sense.equivalents)
    examples = "".join(
        f"<br><small>{_shown(' – '.join(filter(None, (one.text, one.translation))))}</small>"
        for one in sense.examples
    )
    return f"{label}{words}{examples}"


def _shown(text: str) -> str:
    return escape(escaped(text))


def stardict_entry(article: str) -> tuple[int, Entry] | None:
    """Return the entry of an article that `write_dictionary` wrote, with its place; else None."""
    found = WHOLE.match(article)
    if found is None:
        return None
    place, content = json.loads(unescape(found[1]))
    return place, Entry.from_json(content)
