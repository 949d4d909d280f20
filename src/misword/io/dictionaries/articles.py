"""Dictionaries whose articles are texts for people: dictd and StarDict.

Translations are found by rules that fit the texts which FreeDict makes of its dictionaries: a line
with the headword, its pronunciation and its part of speech, then the translations, separated by
commas. Senses are numbered. Notes, examples and references to other articles are indented or begin
with a word and a colon.

Known problems: texts of other layouts give wrong translations; look at the pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import ClassVar, NamedTuple

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.io.dictionaries import DictionaryFormat, open_companion
from misword.io.dictionaries.entries import DictionaryEntry, EntryLanguages, Problems, universal_tag
from misword.io.dictionaries.writing import WHOLE, stardict_entry
from misword.io.files.sources import Source

INDENTED = "   "  # notes and examples; a domain label is indented by one space
REFERENCE = re.compile(
    r"\s*(?:see(?: also)?|cf|synonyms?|antonyms?|notes?|usage|example|e\.g)\b[^:]{0,20}:", re.I
)
NUMBERED = re.compile(r"\s*\(?\d{1,3}[.)]\s+(.*)")
ANGLE_LABELS = re.compile(r"<([^<>]*)>")
BRACKETED = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")
PRONUNCIATION = re.compile(r"\s+/.*/\s*$|\s+\[[^\[\]]*\]\s*$")
SEPARATOR = re.compile(r"[,;]")


class DictionaryArticle(NamedTuple):
    """The content of an article: the headword of its first line, if any, and its translations."""

    headword: str
    pos: str
    senses: tuple[tuple[str, ...], ...]


def parse_article(text: str, headword: str, has_head: bool) -> DictionaryArticle:
    """Return the content of an article.

    With `has_head` its first line is the headword; otherwise only if it is the same word.

    >>> parse_article("bank /bæŋk/ <n>\\n1. rive, bord <n>\\n2. banque", "bank", True)
    DictionaryArticle(headword='bank', pos='n', senses=(('rive', 'bord'), ('banque',)))
    """
    lines = [line.rstrip() for line in text.split("\n")]
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    head, pos = "", ""
    if first < len(lines):
        head, pos = _head(lines[first])
        is_head = has_head or head.casefold() == headword.casefold()
        head, pos, first = (head, pos, first + 1) if is_head else ("", "", first)
    senses: list[list[str]] = []
    for line in lines[first:]:
        if not line.strip() or line.startswith(INDENTED) or REFERENCE.match(line):
            continue
        if not pos and (label := _label(line)):
            pos = label
            continue
        number = NUMBERED.match(line)
        if number or not senses:
            senses.append([])
        senses[-1] += translations_in(number[1] if number else line)
    return DictionaryArticle(head, pos, tuple(tuple(sense) for sense in senses if sense))


def translations_in(line: str) -> Sequence[str]:
    """Return the translations of a line, without what is in brackets.

    >>> translations_in("[mus.] chord <n>, (open) string; note")
    ['chord', 'string', 'note']
    """
    plain, count = BRACKETED.subn(" ", line)
    while count:  # brackets within brackets
        plain, count = BRACKETED.subn(" ", plain)
    pieces = (" ".join(piece.split()) for piece in SEPARATOR.split(plain))
    return [piece for piece in pieces if piece]


def _head(line: str) -> tuple[str, str]:
    """Return the headword of a line and its part of speech, without the pronunciation."""
    labels = ANGLE_LABELS.findall(line)
    word = PRONUNCIATION.sub("", ANGLE_LABELS.sub("", line).rstrip())
    return " ".join(word.split()), labels[0] if labels else ""


def _label(line: str) -> str:
    """Return the part of speech of a line that has nothing else (`<n>`, `noun`); empty if none."""
    label = line.strip(" \t<>()[]")
    is_marked = line.strip() != label or label.endswith(".")
    return label if universal_tag(label) not in ("", "X") and is_marked else ""


# Articles in HTML, XDXF and Pango markup, as plain text for `parse_article`.

# Elements that begin a new line.
BLOCKS = frozenset(
    ["br", "p", "div", "li", "ul", "ol", "dl", "dd", "dt", "blockquote", "h1", "h2", "def", "sense"]
)
# Elements whose text is no translation: the headword, pronunciation, comments, references and
# examples of XDXF, and what HTML does not show.
NO_TRANSLATION = frozenset(
    ("k", "tr", "co", "iref", "kref", "rref", "ex", "gr_info", "script", "style")
)
# Elements of XDXF with an abbreviation, such as the part of speech.
LABEL_TAGS = frozenset({"abr", "abbr", "gr"})


def plain_text(markup: str) -> str:
    """Return the text of an article, with the numbers of its senses.

    >>> plain_text("<k>bank</k> <abr>n.</abr><ol><li>rive</li><li>banque</li></ol>").split("\\n")
    ['<n.>', '1. rive', '2. banque']
    """
    parser = _Text()
    parser.feed(markup)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class _Text(HTMLParser):
    """Collects the pieces of the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0
        self._items = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a line, a numbered sense or a text that is left out."""
        if tag in BLOCKS:
            self.pieces.append("\n")
        if tag == "ol":
            self._items = 0
        if tag in ("li", "def", "sense"):
            self._items += 1
            self.pieces.append(f"{self._items}. ")
        self._silent += tag in NO_TRANSLATION
        if tag in LABEL_TAGS:
            self.pieces.append("<")

    def handle_endtag(self, tag: str) -> None:
        """End what the tag began."""
        self._silent = max(0, self._silent - (tag in NO_TRANSLATION))
        if tag in LABEL_TAGS:
            self.pieces.append(">")
        if tag in BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Add text, unless it is left out."""
        if not self._silent:
            self.pieces.append(data)


# dictd: an index (`.index`) and a text (`.dict`, `.dict.dz`).

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

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
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
                entry = _dictd_entry(
                    found[1], text[place[0] : sum(place)], place[1], problems, number
                )
                if entry is not None:
                    yield entry


def _dictd_entry(
    word: str, data: bytes, size: int, problems: Problems, line: int
) -> DictionaryEntry | None:
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
    return (
        DictionaryEntry((headword,), article.senses, article.pos, line) if article.senses else None
    )


def _number(text: str) -> int:
    """Return a number of the index, whose digits are those of base 64.

    >>> _number("BA")
    64
    """
    value = 0
    for digit in text:
        value = 64 * value + DIGITS[digit]
    return value


# StarDict: `.ifo` (facts), `.idx` (index), `.dict` or `.dict.dz`, `.syn`.

MAGIC = b"StarDict's dict ifo file"
# Types of fields in an article: texts, markup (Pango, XDXF, HTML); others are sounds and the like.
TEXTS, MARKUP = "ml", "gxh"
SIZE = 4
WHOLE_BYTES = re.compile(WHOLE.pattern.encode())  # the article of an entry with all its fields


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

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entry of each article, in the order of the index."""
        facts = _facts(problems.source)
        index = open_companion(path, (".idx", ".idx.gz"))
        text = open_companion(path, (".dict.dz", ".dict")).data
        wide = facts.get("idxoffsetbits") == "64"
        if WHOLE_BYTES.match(text):
            yield from _whole_entries(index, text, wide, problems)
            return
        with progress(f"reading {index.shown}", len(index.data)) as step:
            for number, place in enumerate(_places(index, wide, problems), 1):
                step(len(place.word) + 2 * SIZE)
                entry = _stardict_entry(
                    place, text, facts.get("sametypesequence", ""), problems, number
                )
                if entry is not None:
                    yield entry


def _whole_entries(
    index: Source, text: bytes, wide: bool, problems: Problems
) -> Iterator[DictionaryEntry]:
    """Yield the entries of a dictionary that misword wrote, in the order they had then."""
    found = []
    for number, place in enumerate(_places(index, wide, problems), 1):
        article = text[place.start : place.start + place.size].decode(errors="replace")
        known = stardict_entry(article)
        if known is None:
            problems.report(f"the article of {place.word!r} is cut off", number)
        else:
            found.append((*known, number))
    for _, entry, number in sorted(found, key=lambda one: one[0]):
        yield DictionaryEntry.of(entry, number)


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


def _stardict_entry(
    place: Place, text: bytes, types: str, problems: Problems, number: int
) -> DictionaryEntry | None:
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
    return DictionaryEntry((word,), article.senses, article.pos, number) if article.senses else None


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
