"""Dictionaries of the dictd server: an index (`.index`) and a text (`.dict`, `.dict.dz`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import ClassVar

from misword.core.progress import progress
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.article_text import parse_article
from misword.io.dictionaries.companions import open_companion
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.files.sources import Source

DIGITS = {digit: value for value, digit in enumerate(ascii_uppercase + ascii_lowercase + digits)}
DIGITS |= {"+": 62, "/": 63}
LINE = re.compile(r"([^\t]*)\t([A-Za-z0-9+/]{1,10})\t([A-Za-z0-9+/]{1,10})(?:\t.*)?")
# Articles about the dictionary itself.
ABOUT = re.compile(r"00-?database")


@dataclass(frozen=True, slots=True)
class Dictd(DictionaryFormat):
    """dictd: name the file `.index`; the text is beside it.

    The text is written for people. Its translations are read by the layout of FreeDict, as Debian's
    packages `dict-freedict-*` have it.

    Known problems: dictionaries of other layouts give wrong translations.

    Reference: https://manpages.debian.org/dictd/dictd.8
    """

    name: ClassVar[str] = "dictd"
    title: ClassVar[str] = "dictd"

    def looks_like(self, source: Source) -> bool:
        """Whether all of the first lines are those of an index, and the name or a line says so."""
        first = source.lines[:20]
        named = source.name.endswith(".index") or b"\n00database" in b"\n" + source.data
        return named and all(LINE.fullmatch(line) for line in first)

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
        """Yield the entry of each article, in the order of the index."""
        text = open_companion(path, (".dict.dz", ".dict")).data
        seen: set[tuple[int, int]] = set()
        lines = problems.source.lines
        with progress(f"reading {problems.source.shown}", len(lines)) as step:
            for number, line in enumerate(lines, 1):
                step(1)
                found = LINE.fullmatch(line)
                if found is None:
                    if line:
                        problems.report("no word, position and size between tabs", number)
                    continue
                place = (_number(found[2]), _number(found[3]))
                if ABOUT.match(found[1]) or place in seen:
                    continue
                seen.add(place)
                entry = _entry(found[1], text[place[0] : sum(place)], place[1], problems, number)
                if entry is not None:
                    yield entry


def _entry(word: str, data: bytes, size: int, problems: Problems, line: int) -> Entry | None:
    """Return the entry of an article; None if it has no translation or cannot be read."""
    if len(data) < size:
        problems.report(f"the article of {word!r} lies beyond the end of the text", line)
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        problems.report(f"the article of {word!r} is not UTF-8", line)
        return None
    if ABOUT.match(text.lstrip()):
        return None
    article = parse_article(text, word, has_head=True)
    # The index has headwords in another form: in lower case, without punctuation.
    headword = article.headword or word
    return Entry((headword,), article.senses, article.pos, line) if article.senses else None


def _number(text: str) -> int:
    """Return a number of the index, whose digits are those of base 64.

    >>> _number("BA")
    64
    """
    value = 0
    for digit in text:
        value = 64 * value + DIGITS[digit]
    return value
