"""Formats of bilingual dictionaries, by name.

The table is ordered: formats are tried in this order on the content of a file. The last one reads
tables, which can have any content.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry as RegistryEntry
from misword.core.parts.registry import Registry
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.files.sources import Source

HERE = "misword.io.dictionaries"


class DictionaryFormat(Part):
    """A file format of bilingual dictionaries."""

    __slots__ = ()

    family: ClassVar[str] = "files"

    def looks_like(self, source: Source) -> bool:
        """Return whether the content of a file certainly has this format."""
        return False

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
        """Yield the entries of `problems.source`, in the order of the file.

        `path` is where the source was read from, for formats with several files. Entries that
        cannot be read go to `problems`.
        """
        raise NotImplementedError


DICTIONARY_FORMATS: Registry[DictionaryFormat] = Registry(
    "dictionary_formats",
    {
        "tei": RegistryEntry(f"{HERE}.tei:Tei"),
        "apertium": RegistryEntry(f"{HERE}.apertium:Apertium"),
        "stardict": RegistryEntry(f"{HERE}.stardict:StarDict"),
        "wiktextract": RegistryEntry(f"{HERE}.wiktextract:Wiktextract"),
        "dictd": RegistryEntry(f"{HERE}.dictd:Dictd"),
        "table": RegistryEntry(f"{HERE}.table:Table"),
    },
)
