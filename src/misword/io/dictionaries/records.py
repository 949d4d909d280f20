"""Dictionaries with a record for each word or pair: tables of any format, and Wiktextract."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from misword.core.context import code
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import DictionaryEntry, EntryLanguages, Problems
from misword.io.files.sources import Source
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.lexicons import read_pairs
from misword.io.transcripts.columns import first_of

# Usual names of the columns with the part of speech and the sense.
POS = ("pos", "upos", "tag", "part_of_speech", "part of speech", "word_class", "wordclass")
SENSE = ("sense", "sense_id", "sense_number", "meaning")


@dataclass(frozen=True, slots=True)
class TableDictionary(DictionaryFormat):
    """Tables: a word, a tab and a translation in each line, as in MUSE; or columns with names.

    All tables that `misword evaluate` reads as gold lexicons: text, TSV, CSV, JSON lines, Parquet.
    A column `pos` has parts of speech, a column `sense` the numbers or names of senses.
    """

    name: ClassVar[str] = "table"
    title: ClassVar[str] = "tables"

    def looks_like(self, source: Source) -> bool:
        """Any file, since this format is tried last."""
        return True

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield an entry for each row, or for all rows of a sense if there is such a column."""
        table = read_pairs(problems.source)
        problems.remarks.extend(table.notes)
        pos, sense = _place(POS, table.names), _place(SENSE, table.names)
        grouped: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for row, line in zip(table.rows, table.lines, strict=True):
            word, translation = (" ".join(field.split()) for field in row[:2])
            if not translation:
                continue
            tag = row[pos] if pos else ""
            if sense:
                grouped.setdefault((word, tag, row[sense]), []).append((translation, line))
            else:
                yield DictionaryEntry((word,), ((translation,),), tag, line)
        for (word, tag, _), found in grouped.items():
            yield DictionaryEntry((word,), (tuple(one for one, _ in found),), tag, found[0][1])


def _place(wanted: Sequence[str], names: Sequence[str]) -> int:
    """Return the place of the column with one of the names; 0, a column of words, if none has."""
    name = first_of(wanted, names[2:])
    return names.index(name) if name else 0


FIX = "each line is an object of Wiktextract: word, lang_code, pos, translations"


@dataclass(frozen=True, slots=True)
class Wiktextract(DictionaryFormat):
    """Wiktextract: JSON lines with `word`, `lang_code`, `pos` and `translations`.

    Wiktextract extracts them from Wiktionary. It needs the codes of both languages, because a file
    has translations into all languages. Translations with the same `sense` belong to one sense.

    Reference: https://kaikki.org; Ylonen 2022 (LREC), "Wiktextract: Wiktionary as machine-readable
    structured data"
    """

    name: ClassVar[str] = "wiktextract"
    title: ClassVar[str] = "Wiktextract"

    def looks_like(self, source: Source) -> bool:
        """Whether the first line is an object with a word and its language."""
        first = next((line for line in source.lines if line.strip()), "")
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            return False
        return isinstance(record, dict) and {"word", "lang_code"} <= record.keys()

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries of the one language that have translations into the other."""
        source = problems.source
        if not languages.source or not languages.target:
            raise OptionError(
                "Wiktextract has translations into many languages",
                where=source.at(),
                fix="name both languages: --source-lang, --target-lang",
            )
        others: Counter[tuple[str, str]] = Counter()
        found = False
        with progress(f"reading {source.shown}", len(source.lines)) as step:
            for number, line in enumerate(source.lines, 1):
                step(1)
                record = _record(line, problems, number) if line.strip() else None
                if record is None:
                    continue
                lang = _code(record.get("lang_code"))
                senses = _senses(record, lang, languages, others)
                if senses:
                    found = True
                    pos = record.get("pos")
                    yield DictionaryEntry(
                        (record["word"],), senses, pos if isinstance(pos, str) else "", number
                    )
        if not found:
            raise _no_translations(source, languages, others)


def _record(line: str, problems: Problems, number: int) -> dict[str, Any] | None:
    """Return the object of a line; None if it is not that of a word."""
    try:
        record = parse_json(line)
    except JsonError as error:
        problems.report(str(error), number)
        return None
    if not isinstance(record, dict):
        problems.report("JSON, but no object", number, FIX)
        return None
    word = record.get("word")  # redirects have a title instead
    return record if isinstance(word, str) and word.strip() else None


def _senses(
    record: dict[str, Any], lang: str, languages: EntryLanguages, others: Counter[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Return the translations of a word by sense; count those of other languages in `others`."""
    senses: dict[str, list[str]] = {}
    listed = record.get("translations")
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, dict) or not isinstance(one.get("word"), str):
            continue  # a note, or a reference to another page
        into = _code(one.get("lang_code") or one.get("code"))
        translation = " ".join(one["word"].split())
        if (lang, into) != (languages.headwords, languages.translations):
            others[lang, into] += 1
        elif translation:
            senses.setdefault(str(one.get("sense", "")), []).append(translation)
    return tuple(map(tuple, senses.values()))


def _code(value: object) -> str:
    """Return the standard code of a language; empty for what is no code."""
    try:
        return code(value) if isinstance(value, str) else ""
    except OptionError:
        return ""


def _no_translations(
    source: Source, languages: EntryLanguages, others: Counter[tuple[str, str]]
) -> InputError:
    """Return the error for a file without translations between the two languages."""
    asked = (languages.headwords, languages.translations)
    usual = ", ".join(f"{a}-{b} {count}" for (a, b), count in others.most_common(3))
    turned = others[asked[1], asked[0]]
    return InputError(
        f"no translations from {asked[0]} into {asked[1]}" + (f"; it has {usual}" if usual else ""),
        where=source.at(),
        fix="read it in the other direction: --reverse"
        if turned
        else "check the language codes and the edition of Wiktionary",
    )
