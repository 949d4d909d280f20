"""Formats of bilingual dictionaries, by name.

The table is ordered: formats are tried in this order on the content of a file. The last one reads
tables, which can have any content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from misword.core.errors import InputError
from misword.core.parts import Part
from misword.core.parts.registry import Entry as RegistryEntry
from misword.core.parts.registry import Registry
from misword.io.dictionaries.entries import DictionaryEntry, EntryLanguages, Problems
from misword.io.files.sources import STDIN, Source, open_source, shown_path

HERE = "misword.io.dictionaries"


class DictionaryFormat(Part):
    """A file format of bilingual dictionaries."""

    __slots__ = ()

    family: ClassVar[str] = "files"

    def looks_like(self, source: Source) -> bool:
        """Return whether the content of a file certainly has this format."""
        return False

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries of `problems.source`, in the order of the file.

        `path` is where the source was read from, for formats with several files. Entries that
        cannot be read go to `problems`.
        """
        raise NotImplementedError


DICTIONARY_FORMATS: Registry[DictionaryFormat] = Registry(
    "dictionary_formats",
    {
        "tei": RegistryEntry(f"{HERE}.lexical_markup:Tei"),
        "lift": RegistryEntry(f"{HERE}.lexical_markup:Lift"),
        "ontolex": RegistryEntry(f"{HERE}.ontolex:OntoLex", extra="rdf"),
        "apertium": RegistryEntry(f"{HERE}.xml:Apertium"),
        "stardict": RegistryEntry(f"{HERE}.articles:StarDict"),
        "wiktextract": RegistryEntry(f"{HERE}.records:Wiktextract"),
        "dictd": RegistryEntry(f"{HERE}.articles:Dictd"),
        "entries": RegistryEntry(f"{HERE}.writing:EntryTable"),
        "table": RegistryEntry(f"{HERE}.records:TableDictionary"),
    },
)


# Dictionaries of several files: which file stands for the dictionary, and what is beside it.

# Suffixes of files that belong to a dictionary whose index has another suffix.
INDEXES = {".dict": (".ifo", ".index"), ".idx": (".ifo",), ".syn": (".ifo",)}
COMPRESSED = (".dz", ".gz")
# Files that stand for a dictionary in a folder.
IN_FOLDERS = (".ifo", ".index", ".tei", ".dix", ".lift", ".ttl")


def main_file(path: Path) -> Path:
    """Return the file that stands for a dictionary: the index of a text, the one of a folder."""
    if str(path) == STDIN:
        return path
    if path.is_dir():
        return _file_in(path)
    plain = path.with_suffix("") if path.suffix in COMPRESSED else path
    for suffix in INDEXES.get(plain.suffix, ()):
        if plain.with_suffix(suffix).is_file():
            return plain.with_suffix(suffix)
    return path


def _file_in(folder: Path) -> Path:
    """Return the dictionary in a folder, or raise if there is none or more than one."""
    found = sorted(file for file in folder.iterdir() if file.suffix in IN_FOLDERS)
    if len(found) == 1:
        return found[0]
    names = ", ".join(file.name for file in found[:5])
    raise InputError(
        f"several dictionaries in this folder: {names}"
        if found
        else "no dictionary in this folder",
        where=shown_path(folder),
        fix="name the file of one dictionary: .ifo of StarDict, .index of dictd, .tei, .dix",
    )


def open_companion(path: Path, suffixes: Sequence[str]) -> Source:
    """Return the file beside the main file of a dictionary, with the first suffix that exists."""
    for suffix in suffixes:
        if path.with_suffix(suffix).is_file():
            return open_source(path.with_suffix(suffix))
    raise InputError(
        f"{path.stem}{suffixes[0]} is missing beside it",
        where=shown_path(path),
        fix="put all files of the dictionary into one folder",
    )
