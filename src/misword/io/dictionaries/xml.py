"""Dictionaries in XML (TEI and apertium), read entry by entry without a tree of the whole file.

Entities that a file declares itself are refused, because a few of them can expand to gigabytes, and
no other file is ever read. After broken markup that is to be skipped, reading goes on at the next
entry.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import DictionaryEntry, EntryLanguages, Problems
from misword.io.files.sources import Source

BLOCK = 1 << 18
DEEPEST = 64  # levels of elements within an entry
# The root element of what follows a broken entry.
ROOT = b"<r>"


class BrokenEntryError(Exception):
    """Markup that XML allows and a dictionary does not; `at` is the byte where it begins."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


class DeclaredEntityError(Exception):
    """A file declares an entity of this name."""


class EntryParser:
    """A parser of a file from one position on; complete entries are in `done`, with their lines.

    `names` are the local names of the elements that are entries; entries within an element of
    `skipped` do not count.
    """

    def __init__(
        self, names: Collection[str], skipped: Collection[str], encoding: str = ""
    ) -> None:
        self.names, self.skipped, self.encoding = names, skipped, encoding
        self.done: list[tuple[Element, int]] = []
        self.open: list[str] = []  # the elements that are open within an entry
        self.entry_line, self._outside = 0, 0
        self._builder = TreeBuilder()
        self.expat = expat.ParserCreate(encoding or None)
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._begin
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._text
        self.expat.EntityDeclHandler = self._refuse_entity
        self.expat.SkippedEntityHandler = self._named_character
        self.expat.XmlDeclHandler = self._note_encoding

    @property
    def next_byte(self) -> int:
        """The byte after the one at which the parser is."""
        return self.expat.CurrentByteIndex + 1

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self._outside += local in self.skipped
        if self._outside or not (self.open or local in self.names):
            return
        if not self.open:
            self._builder, self.entry_line = TreeBuilder(), self.expat.CurrentLineNumber
        elif local in self.names:
            raise self._broken(f"<{local}> within another <{self.open[0]}>")
        elif len(self.open) > DEEPEST:
            raise self._broken(f"more than {DEEPEST} elements within each other")
        self.open.append(local)
        self._builder.start(local, attributes)

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        self._outside -= local in self.skipped
        if self._outside or not self.open:
            return
        self.open.pop()
        self._builder.end(local)
        if not self.open:
            self.done.append((self._builder.close(), self.entry_line))

    def _broken(self, what: str) -> BrokenEntryError:
        return BrokenEntryError(what, self.expat.CurrentByteIndex)

    def _text(self, text: str) -> None:
        if self.open:
            self._builder.data(text)

    def _note_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        self.encoding = encoding or ""

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise DeclaredEntityError(name)

    def _named_character(self, name: str, is_parameter: bool) -> None:
        """Add a character by its name in HTML; other entities need the DTD, which is not read."""
        if not self.open:
            return
        character = unescape(f"&{name};")
        if character == f"&{name};":
            raise self._broken(f"&{name}; is not declared")
        self._builder.data(character)


def xml_entries(
    problems: Problems, names: Collection[str], skipped: Collection[str] = ()
) -> Iterator[tuple[Element, int]]:
    """Yield each entry of an XML file and the line it begins at; raise or count broken markup.

    Names of elements come without the prefix of a namespace.
    """
    data = problems.source.data
    starts = re.compile(rb"<(?:[\w.-]+:)?(?:%s)[\s/>]" % "|".join(names).encode())
    begin, parser = 0, EntryParser(names, skipped)
    with progress(f"reading {problems.source.shown}", len(data)) as step:
        while True:
            # Lines are counted from the beginning of the file, not of the part.
            before = data.count(b"\n", 0, begin)
            try:
                for lo in range(begin, len(data), BLOCK):
                    parser.expat.Parse(data[lo : lo + BLOCK], lo + BLOCK >= len(data))
                    step(min(BLOCK, len(data) - lo))
                    yield from ((element, before + line) for element, line in parser.done)
                    parser.done.clear()
                return
            except DeclaredEntityError as error:
                raise _declared(str(error), problems, parser.expat.CurrentLineNumber) from None
            except LookupError as error:  # the name of the encoding in the first line
                raise InputError(
                    str(error), where=problems.source.shown, fix="save the file as UTF-8"
                ) from None
            except (expat.ExpatError, BrokenEntryError) as error:
                broken = error
            yield from ((element, before + line) for element, line in parser.done)
            # After a skipped entry, the ends of elements that enclose it are no new problem.
            if parser.open or not begin:
                _report(broken, problems, parser, before)
            within = broken.at if isinstance(broken, BrokenEntryError) else parser.next_byte
            following = starts.search(data, begin + within - (len(ROOT) if begin else 0))
            if following is None:
                return
            begin, parser = following.start(), EntryParser(names, skipped, parser.encoding)
            parser.expat.Parse(ROOT, False)


def _report(error: Exception, problems: Problems, parser: EntryParser, before: int) -> None:
    """Raise or count the problem of an entry."""
    what = expat.errors.messages[error.code] if isinstance(error, expat.ExpatError) else str(error)
    within = f", in <{parser.open[0]}> of line {before + parser.entry_line}" if parser.open else ""
    line = before + parser.expat.CurrentLineNumber
    problems.report(f"broken markup: {what}{within}", line)


def _declared(name: str, problems: Problems, line: int) -> InputError:
    return InputError(
        f"the file declares the entity {name!r}",
        where=problems.source.at(line),
        fix="write the text of the entity in its place, and remove the declaration",
    )


def text_of(element: Element) -> str:
    """Return the text of an element and all elements within it, with single spaces."""
    return " ".join("".join(element.itertext()).split())


# Bilingual dictionaries of apertium (`.dix`).

# Elements that stand for a space: a blank, and the border of two joined words.
SPACES = ("b", "j")


@dataclass(frozen=True, slots=True)
class Apertium(DictionaryFormat):
    """apertium: `<e>` with the lemmas of both languages in `<l>` and `<r>`, or equal in `<i>`.

    An entry for one direction only (`r="LR"`, `r="RL"`) is read in that direction. The part of
    speech is the first symbol. Entries of paradigms (`<pardefs>`), ignored entries (`i="yes"`) and
    regular expressions (`<re>`) are not read.

    Known problems: letters that a paradigm adds to a lemma are missing.

    Reference: https://wiki.apertium.org/wiki/Bilingual_dictionary
    """

    name: ClassVar[str] = "apertium"
    title: ClassVar[str] = "apertium dix"

    def looks_like(self, source: Source) -> bool:
        """Whether the root element is `<dictionary>`."""
        return b"<dictionary" in source.data[:8192]

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries of the direction that is read."""
        other = "LR" if languages.reverse else "RL"
        for element, line in xml_entries(problems, ("e",), ("pardefs",)):
            if element.get("r") == other or element.get("i") == "yes":
                continue
            if element.find("re") is not None:
                continue
            sides = [side for part in element for side in _sides(part)]
            left = _lemma(one for one, _ in sides)
            right = _lemma(one for _, one in sides)
            if left and right:
                symbols = (one.get("n", "") for side, _ in sides for one in side.iter("s"))
                yield DictionaryEntry((left,), ((right,),), next(symbols, ""), line)


def _sides(part: Element) -> Iterator[tuple[Element, Element]]:
    """Yield the left and the right side of a part of an entry."""
    if part.tag == "i":
        yield part, part
    left, right = part.find("l"), part.find("r")
    if part.tag == "p" and left is not None and right is not None:
        yield left, right


def _lemma(sides: Iterable[Element]) -> str:
    """Return the lemma that the sides of the parts of an entry make together."""
    return " ".join("".join(piece for side in sides for piece in _pieces(side)).split())


def _pieces(element: Element) -> Iterator[str]:
    """Yield the text of an element in order; some elements within it stand for a space."""
    yield element.text or ""
    for child in element:
        yield " " if child.tag in SPACES else ""
        yield from _pieces(child)
        yield child.tail or ""
