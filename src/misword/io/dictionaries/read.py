"""Reading of bilingual dictionaries in any format."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from misword.core.context import code
from misword.core.errors import InputError
from misword.core.options import takes
from misword.io.dictionaries import DICTIONARY_FORMATS, DictionaryFormat, main_file
from misword.io.dictionaries.entries import Dictionary, EntryLanguages, Problems
from misword.io.files.sources import UTF16_MARKS, PathLike, Source, open_source
from misword.io.files.workbooks import is_workbook
from misword.io.options import DictionaryReading

COMPILED = b"LTTB"  # the first bytes of a compiled dictionary of apertium
MARKUP = (b"<?xml", b"<!DOCTYPE", b"<!doctype", b"<html")
SAMPLE = 1 << 16


@takes(DictionaryReading)
def read_dictionary(
    path: PathLike,
    source_lang: str = "",
    target_lang: str = "",
    **options: Unpack[DictionaryReading],
) -> Dictionary:
    """Read a bilingual dictionary: a row for each translation of each sense of each headword.

    `path` is a file (TEI, apertium `.dix`, Wiktextract, a table; for StarDict `.ifo`, for dictd
    `.index`) or a folder with one dictionary. The format is recognised by the content, unless
    `input_format` names it. Formats that hold several languages need `source_lang` and
    `target_lang`. With `reverse` the file has the target language first, and the result has the
    source language first. An entry that cannot be read is an error; with `keep_going` it is
    skipped, and a note counts such entries.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "en-fr.txt").write_text("dog\\tchien\\ncat\\tchat\\n")
    ...     read_dictionary(Path(folder, "en-fr.txt"), reverse=True).source
    ('chien', 'chat')
    """
    file = main_file(Path(os.fspath(path)))
    source = open_source(file)
    part, reverse = _find_format(source, options["input_format"]), options["reverse"]
    problems = Problems(source, options["keep_going"])
    languages = EntryLanguages(
        code(source_lang) if source_lang else "", code(target_lang) if target_lang else "", reverse
    )
    entries = part.read(file, problems, languages)
    dictionary = Dictionary.of(entries, source.shown, part.name)
    dictionary = dictionary.reversed() if reverse else dictionary
    return replace(dictionary, notes=problems.notes())


def _find_format(source: Source, spec: str | None) -> DictionaryFormat:
    """Return the format with this name, or the first that the content looks like."""
    if spec is not None:
        return DICTIONARY_FORMATS.create(spec)
    if is_workbook(source):
        return DICTIONARY_FORMATS.create("entries")
    _refuse_binary(source)
    parts = map(DICTIONARY_FORMATS.create, DICTIONARY_FORMATS.entries())
    found = next(part for part in parts if part.looks_like(source))
    if found.name == "table" and source.data[:1000].lstrip().startswith(MARKUP):
        raise InputError(
            "this is markup, but neither TEI nor a dictionary of apertium",
            where=source.at(),
            fix="convert it to a table: word, tab, translation",
        )
    return found


def _refuse_binary(source: Source) -> None:
    """Raise if the file has binary data that no format reads."""
    if source.data.startswith(COMPILED):
        what, fix = "a compiled dictionary of apertium", "name its source, which ends with .dix"
    elif b"\0" in source.data[:SAMPLE] and _is_text(source):
        what, fix = "binary data", "of StarDict, name the .ifo file; of dictd, the .index file"
    else:
        return
    raise InputError(f"this is {what}", where=source.at(), fix=fix)


def _is_text(source: Source) -> bool:
    """Return whether a file should have lines of text: no index, not UTF-16."""
    return source.unit == "line" and not source.data.startswith(UTF16_MARKS)
