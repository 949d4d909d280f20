"""Bilingual dictionaries of apertium (`.dix`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element

from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.dictionaries.xml_entries import xml_entries
from misword.io.files.sources import Source

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

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
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
                yield Entry((left,), ((right,),), next(symbols, ""), line)


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
