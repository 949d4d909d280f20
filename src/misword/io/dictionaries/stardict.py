"""Dictionaries of StarDict: `.ifo` (facts), `.idx` (index), `.dict` or `.dict.dz`, `.syn`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.article_markup import plain_text
from misword.io.dictionaries.article_text import parse_article
from misword.io.dictionaries.companions import open_companion
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.files.sources import Source

MAGIC = b"StarDict's dict ifo file"
# Types of fields in an article: texts, markup (Pango, XDXF, HTML); others are sounds and the like.
TEXTS, MARKUP = "ml", "gxh"
SIZE = 4


class Place(NamedTuple):
    """Where the article of a word is: its first byte, and how many bytes it has."""

    word: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class StarDict(DictionaryFormat):
    """StarDict: name the file `.ifo`; the others are beside it.

    Articles are texts or markup (HTML, XDXF, Pango) for people; they are read by the layout of
    FreeDict. Synonyms (`.syn`) are not read, because they are inflected forms in most dictionaries.

    Known problems: dictionaries of other layouts give wrong translations.

    Reference: https://github.com/huzheng001/stardict-3 (dict/doc/StarDictFileFormat)
    """

    name: ClassVar[str] = "stardict"
    title: ClassVar[str] = "StarDict"

    def looks_like(self, source: Source) -> bool:
        """Whether the file begins as the facts of a StarDict dictionary."""
        return source.data.startswith(MAGIC)

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
        """Yield the entry of each article, in the order of the index."""
        facts = _facts(problems.source)
        index = open_companion(path, (".idx", ".idx.gz"))
        text = open_companion(path, (".dict.dz", ".dict")).data
        wide = facts.get("idxoffsetbits") == "64"
        with progress(f"reading {index.shown}", len(index.data)) as step:
            for number, place in enumerate(_places(index, wide, problems), 1):
                step(len(place.word) + 2 * SIZE)
                entry = _entry(place, text, facts.get("sametypesequence", ""), problems, number)
                if entry is not None:
                    yield entry


def _facts(source: Source) -> dict[str, str]:
    """Return the facts of the dictionary: `name=value` in each line."""
    facts = dict(line.split("=", 1) for line in source.lines if "=" in line)
    if "wordcount" not in facts:
        raise InputError(
            "no wordcount in it", where=source.at(), fix="the .ifo file is damaged: get it again"
        )
    return {name.strip(): value.strip() for name, value in facts.items()}


def _places(index: Source, wide: bool, problems: Problems) -> Iterator[Place]:
    """Yield the places of all articles: a word, NUL, its start and its size, big-endian."""
    data, at, width = index.data, 0, 2 * SIZE if wide else SIZE
    number = 0
    while at < len(data):
        number += 1
        end = data.find(b"\0", at)
        after = end + 1 + width + SIZE
        if end < 0 or after > len(data):
            problems.report(f"{index.shown} ends inside a word", number)
            return
        start = int.from_bytes(data[end + 1 : end + 1 + width])
        size = int.from_bytes(data[end + 1 + width : after])
        yield Place(data[at:end].decode(errors="replace"), start, size)
        at = after


def _entry(place: Place, text: bytes, types: str, problems: Problems, number: int) -> Entry | None:
    """Return the entry of an article; None if it has no translation or cannot be read."""
    data = text[place.start : place.start + place.size]
    word = " ".join(place.word.split())
    if len(data) < place.size:
        problems.report(f"the article of {word!r} lies beyond the end of the text", number)
        return None
    if not word or "\ufffd" in word:
        problems.report(f"article {number} has no word in UTF-8", number)
        return None
    try:
        fields = list(_fields(data, types))
    except ValueError:
        problems.report(f"the article of {word!r} is cut off or not UTF-8", number)
        return None
    article = parse_article("\n".join(fields), word, has_head=False)
    return Entry((word,), article.senses, article.pos, number) if article.senses else None


def _fields(data: bytes, types: str) -> Iterator[str]:
    """Yield the fields of an article that have text, without markup.

    With `types`, all articles have fields of these types, and the last field has no end mark.
    Otherwise the type is the first byte of a field.
    """
    remaining = list(types)
    while data:
        kind = remaining.pop(0) if types else chr(data[0])
        data = data if types else data[1:]
        if types and not remaining:
            field, data = data, b""
        elif kind.isupper():
            size = int.from_bytes(data[:SIZE])
            field, data = data[SIZE : SIZE + size], data[SIZE + size :]
        else:
            field, _, data = data.partition(b"\0")
        if kind in TEXTS:
            yield field.decode()
        elif kind in MARKUP:
            yield plain_text(field.decode())
