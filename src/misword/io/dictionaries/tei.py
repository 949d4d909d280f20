"""Dictionaries in TEI, the XML of FreeDict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element

from misword.core.errors import OptionError
from misword.core.languages import code
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import Entry, Languages, Problems
from misword.io.dictionaries.xml_entries import text_of, xml_entries
from misword.io.files.sources import Source

LANG = "xml:lang"
# Types of <cit> and <form>; TEI P4 has <tr> in <trans> instead of <quote> in <cit>.
TRANSLATION_TYPES = ("trans", "translation", "translationEquivalent")
INFLECTED_TYPES = ("infl", "inflected", "paradigm")


@dataclass(frozen=True, slots=True)
class Tei(DictionaryFormat):
    """TEI: `<entry>` with `<orth>`, `<pos>`, `<sense>` and `<cit type="trans"><quote>`.

    Headwords are all spellings (`<orth>`) that are not inflected forms. Translations of examples
    are not read. If a translation has the attribute `xml:lang`, it must be that of the target
    language.

    Reference: https://tei-c.org/release/doc/tei-p5-doc/en/html/DI.html
    """

    name: ClassVar[str] = "tei"
    title: ClassVar[str] = "TEI"

    def looks_like(self, source: Source) -> bool:
        """Whether the root element is that of TEI."""
        return any(tag in source.data[:8192] for tag in (b"<TEI", b"<tei:TEI", b"<teiCorpus"))

    def read(self, path: Path, problems: Problems, languages: Languages) -> Iterator[Entry]:
        """Yield the entries."""
        for element, line in xml_entries(problems, ("entry",)):
            words = tuple(filter(None, _headwords(element)))
            if not words:
                problems.report("an <entry> without <orth>", line)
                continue
            for pos, senses in _by_part_of_speech(element, languages.translations).items():
                yield Entry(words, tuple(map(tuple, senses)), pos, line)


def _headwords(entry: Element) -> Iterator[str]:
    """Yield the spellings of an entry that are not inflected forms."""
    for form in entry.iterfind("form"):
        if form.get("type") not in INFLECTED_TYPES:
            yield from map(text_of, form.iterfind("orth"))
            yield from _headwords(form)


def _by_part_of_speech(entry: Element, lang: str) -> dict[str, list[list[str]]]:
    """Return the translations of each sense, by part of speech."""
    found: dict[str, list[list[str]]] = {}
    # A sense or homograph without a part of speech has that of the element it is in.
    waiting = [(entry, "")]
    while waiting:
        element, pos = waiting.pop()
        pos = next((text_of(one) for one in element.iterfind("gramGrp/pos")), pos)
        translations = list(filter(None, _translations(element, lang)))
        if translations:
            found.setdefault(pos, []).append(translations)
        inner = [child for child in element if child.tag in ("sense", "hom")]
        waiting += [(child, pos) for child in reversed(inner)]
    return found


def _translations(sense: Element, lang: str) -> Iterator[str]:
    """Yield the translations of a sense, without those of senses within it."""
    for child in sense:
        if child.tag == "trans":
            yield from map(text_of, child.iterfind("tr"))
        is_translation = child.tag == "cit" and child.get("type") in TRANSLATION_TYPES
        if is_translation and _is_language(child.get(LANG), lang):
            quotes = child.iterfind("quote")
            yield from (text_of(one) for one in quotes if _is_language(one.get(LANG), lang))


def _is_language(tag: str | None, lang: str) -> bool:
    """Whether a language tag fits; a missing or unusual tag fits any language."""
    if not tag or not lang:
        return True
    try:
        return code(tag) == lang
    except OptionError:
        return True
