"""Dictionaries in tables: the text files of MUSE, TSV, CSV, JSON lines, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.files.sources import Source
from misword.io.lexicons import read_pairs
from misword.io.transcripts.columns import first_of

# Usual names of the columns with the part of speech and the sense.
POS = ("pos", "upos", "tag", "part_of_speech", "part of speech", "word_class", "wordclass")
SENSE = ("sense", "sense_id", "sense_number", "meaning")


@dataclass(frozen=True, slots=True)
class Table(DictionaryFormat):
    """Tables: a word, a tab and a translation in each line, as in MUSE; or columns with names.

    All tables that `misword evaluate` reads as gold lexicons. A column `pos` has parts of speech,
    a column `sense` the numbers or names of senses.
    """

    name: ClassVar[str] = "table"
    title: ClassVar[str] = "tables"

    def looks_like(self, source: Source) -> bool:
        """Any file, since this format is tried last."""
        return True

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
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
                yield Entry((word,), ((translation,),), tag, line)
        for (word, tag, _), found in grouped.items():
            yield Entry((word,), (tuple(one for one, _ in found),), tag, found[0][1])


def _place(wanted: Sequence[str], names: Sequence[str]) -> int:
    """Return the place of the column with one of the names; 0, a column of words, if none has."""
    name = first_of(wanted, names[2:])
    return names.index(name) if name else 0
