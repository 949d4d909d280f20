r"""TEI and LIFT: dictionaries with all their fields, written and read again; TEI of others.

XML cannot hold control characters and halves of surrogate pairs: they are written as `\u0001`, and
a backslash before what looks like such an escape as `\u005c`.

Reference: https://dariah-eric.github.io/lexicalresources/pages/TEILex0/TEILex0.html;
https://github.com/sillsdev/lift-standard (LIFT 0.13)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape as escape_markup
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element

from misword.core.context import code
from misword.core.errors import OptionError
from misword.core.version import __version__
from misword.io.dictionaries import DictionaryFormat
from misword.io.dictionaries.entries import (
    DictionaryEntry,
    Entry,
    EntryLanguages,
    Equivalent,
    Example,
    Problems,
    Sense,
)
from misword.io.dictionaries.xml import text_of, xml_entries
from misword.io.files.sources import Source

# What XML cannot hold, or a parser changes; and what would be read as an escape.
ESCAPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
    r"|\\(?=u[0-9a-f]{4}|-)"
)
ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
UNKNOWN = "und"  # the language tag of an unknown language
# Fields of an entry that are notes of one kind each.
NOTES = ("frequency", "rank", "verdict", "reviewer", "note")


def escaped(text: str) -> str:
    r"""Return a text in which characters that files cannot hold are escapes.

    >>> escaped("a\x00b"), escaped(r"\u0041"), escaped(r"C:\new")
    ('a\\u0000b', '\\u005cu0041', 'C:\\new')
    """
    return ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def unescaped(text: str) -> str:
    """Return the text that `escaped` escaped."""
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _tag(name: str, text: str | None = None, /, *inner: str, **attributes: str) -> str:
    """Return an element; names of attributes have `__` for a colon and a final `_` is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("__", ":")}="{_value(value)}"'
        for key, value in attributes.items()
    )
    content = escape_markup(escaped(text), quote=False) if text is not None else ""
    return f"<{name}{given}>{content}{''.join(inner)}</{name}>"


def _value(text: str) -> str:
    """Return the text of an attribute; a parser would change line ends and tabs to spaces."""
    return escape_markup(escaped(text)).replace("\n", "&#10;").replace("\t", "&#9;")


def _plain(element: Element | None) -> str:
    return "" if element is None else unescaped("".join(element.itertext()))


# TEI Lex-0.

MADE_HERE = b'<application ident="misword"'


def write_tei(entries: Iterable[Entry], languages: tuple[str, str], title: str) -> Iterator[str]:
    """Yield the lines of a TEI Lex-0 file."""
    source, target = (language or UNKNOWN for language in languages)
    statements = (
        _tag("titleStmt", None, _tag("title", title)),
        _tag("publicationStmt", None, _tag("p", "unpublished")),
        _tag("sourceDesc", None, _tag("p", f"{source} to {target}, written by misword")),
    )
    made = _tag("application", None, _tag("label", "misword"), ident="misword", version=_version())
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<TEI xmlns="http://www.tei-c.org/ns/1.0">'
    header = _tag("fileDesc", None, *statements)
    yield _tag("teiHeader", None, header, _tag("encodingDesc", None, _tag("appInfo", None, made)))
    yield f'<text xml:lang="{_value(source)}"><body>'
    for number, entry in enumerate(entries, 1):
        yield _tei_entry(entry, f"e{number}", source, target)
    yield "</body></text>"
    yield "</TEI>"


def _version() -> str:
    """Return the version as TEI allows it: numbers and dots."""
    found = re.match(r"\d+(\.\d+){0,3}", __version__)
    return found[0] if found else "0"


def _tei_entry(entry: Entry, id_: str, source: str, target: str) -> str:
    forms = (_tag("form", None, _tag("orth", form), type="inflected") for form in entry.forms)
    senses = (
        _tei_sense(sense, f"{id_}.s{place}", target) for place, sense in enumerate(entry.senses, 1)
    )
    return _tag(
        "entry",
        None,
        _tag("form", None, _tag("orth", entry.headword), type="lemma"),
        *forms,
        *_tei_pos(entry.pos),
        *senses,
        *_tei_notes({name: getattr(entry, name) for name in NOTES}),
        xml__id=id_,
        xml__lang=source,
    )


def _tei_sense(sense: Sense, id_: str, target: str) -> str:
    hint = [_tag("usg", sense.label, type="hint")] if sense.label else []
    cits = [
        _tag(
            "cit",
            None,
            _tag("quote", one.text),
            *_tei_pos(one.pos),
            *_tei_notes({"probability": _number(one.probability), "verdict": one.verdict}),
            type="translationEquivalent",
            xml__lang=target,
        )
        for one in sense.equivalents
    ]
    for example in sense.examples:
        other = _tag("quote", example.translation)
        inner = (
            [_tag("cit", None, other, type="translation", xml__lang=target)]
            if example.translation
            else []
        )
        bibl = [_tag("bibl", example.source)] if example.source else []
        cits.append(_tag("cit", None, _tag("quote", example.text), *inner, *bibl, type="example"))
    return _tag("sense", None, *hint, *cits, xml__id=id_, n=str(sense.number))


def _tei_pos(pos: str) -> list[str]:
    return [_tag("gramGrp", None, _tag("gram", pos, type="pos"))] if pos else []


def _tei_notes(values: Mapping[str, object]) -> list[str]:
    return [_tag("note", str(value), type=name) for name, value in values.items() if value]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def tei_entries(problems: Problems) -> Iterator[DictionaryEntry]:
    """Yield the entries of a TEI Lex-0 file that `write_tei` wrote, with all fields."""
    for element, line in xml_entries(problems, ("entry",)):
        notes = _tei_values(element)
        yield DictionaryEntry.of(
            Entry(
                _plain(element.find("form[@type='lemma']/orth")),
                tuple(map(_read_tei_sense, element.iterfind("sense"))),
                _plain(element.find("gramGrp/gram")),
                tuple(map(_plain, element.iterfind("form[@type='inflected']/orth"))),
                int(notes.get("frequency", "0")),
                int(notes.get("rank", "0")),
                notes.get("verdict", ""),
                notes.get("reviewer", ""),
                notes.get("note", ""),
            ),
            line,
        )


def _tei_values(element: Element) -> dict[str, str]:
    return {note.get("type", ""): _plain(note) for note in element.iterfind("note")}


def _read_tei_sense(element: Element) -> Sense:
    equivalents = []
    for cit in element.iterfind("cit[@type='translationEquivalent']"):
        notes = _tei_values(cit)
        equivalents.append(
            Equivalent(
                _plain(cit.find("quote")),
                _plain(cit.find("gramGrp/gram")),
                float(notes["probability"]) if "probability" in notes else None,
                notes.get("verdict", ""),
            )
        )
    examples = tuple(
        Example(_plain(cit.find("quote")), _plain(cit.find("cit/quote")), _plain(cit.find("bibl")))
        for cit in element.iterfind("cit[@type='example']")
    )
    label = _plain(element.find("usg"))
    return Sense(int(element.get("n", "1")), tuple(equivalents), label, examples)


# All TEI, such as that of FreeDict.

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

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries; those that misword wrote with all their fields."""
        if MADE_HERE in problems.source.data[:8192]:
            yield from tei_entries(problems)
            return
        for element, line in xml_entries(problems, ("entry",)):
            words = tuple(filter(None, _headwords(element)))
            if not words:
                problems.report("an <entry> without <orth>", line)
                continue
            for pos, senses in _by_part_of_speech(element, languages.translations).items():
                yield DictionaryEntry(words, tuple(map(tuple, senses)), pos, line)


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


# LIFT.


def write_lift(entries: Iterable[Entry], languages: tuple[str, str], title: str) -> Iterator[str]:
    """Yield the lines of a LIFT file; the format has no place for a title."""
    source, target = (language or UNKNOWN for language in languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<lift version="0.13" producer="misword {_value(__version__)}">'
    for number, entry in enumerate(entries, 1):
        yield _lift_entry(entry, f"e{number}", source, target)
    yield "</lift>"


def _form(text: str, language: str) -> str:
    return _tag("form", None, _tag("text", text), lang=language)


def _lift_entry(entry: Entry, id_: str, source: str, target: str) -> str:
    traits = {"pos": entry.pos, "frequency": entry.frequency or "", "rank": entry.rank or ""}
    verdict = {"value": entry.verdict, "who": entry.reviewer}
    judged = [_tag("annotation", None, name="verdict", **verdict)] if any(verdict.values()) else []
    note = [_tag("note", None, _form(entry.note, source))] if entry.note else []
    return _tag(
        "entry",
        None,
        _tag("lexical-unit", None, _form(entry.headword, source)),
        *_lift_values("trait", traits),
        *judged,
        *(_tag("variant", None, _form(form, source)) for form in entry.forms),
        *(_lift_sense(sense, entry.pos, source, target) for sense in entry.senses),
        *note,
        id=id_,
    )


def _lift_values(name: str, values: Mapping[str, object]) -> list[str]:
    return [_tag(name, None, name=key, value=str(value)) for key, value in values.items() if value]


def _lift_sense(sense: Sense, pos: str, source: str, target: str) -> str:
    label = [_tag("definition", None, _form(sense.label, source))] if sense.label else []
    info = [_tag("grammatical-info", None, value=pos)] if pos else []
    glosses = (
        _tag(
            "gloss",
            None,
            _tag("text", one.text),
            *_lift_values(
                "annotation",
                {"pos": one.pos, "probability": _number(one.probability), "verdict": one.verdict},
            ),
            lang=target,
        )
        for one in sense.equivalents
    )
    examples = (
        _tag(
            "example",
            None,
            _form(one.text, source),
            *(
                [_tag("translation", None, _form(one.translation, target))]
                if one.translation
                else []
            ),
            source=one.source,
        )
        for one in sense.examples
    )
    return _tag("sense", None, *info, *glosses, *label, *examples, order=str(sense.number))


def _lift_translation(text: str, target: str) -> list[str]:
    return [_tag("translation", None, _form(text, target))] if text else []


@dataclass(frozen=True, slots=True)
class Lift(DictionaryFormat):
    """LIFT: `<entry>` with `<lexical-unit>`, `<variant>`, and `<sense>` with `<gloss>`.

    The language of glosses must be the target language if a file has glosses in several. A
    definition is the label of a sense. Subsenses are not read.

    Reference: https://github.com/sillsdev/lift-standard
    """

    name: ClassVar[str] = "lift"
    title: ClassVar[str] = "LIFT"

    def looks_like(self, source: Source) -> bool:
        """Whether the root element is `<lift>`."""
        return b"<lift " in source.data[:2048]

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries."""
        for element, line in xml_entries(problems, ("entry",)):
            traits = _lift_traits(element, "trait")
            verdict = element.find("annotation[@name='verdict']")
            facts = {} if verdict is None else verdict.attrib
            pos = traits.get("pos") or _lift_pos(element)
            yield DictionaryEntry.of(
                Entry(
                    _plain(element.find("lexical-unit/form/text")),
                    tuple(_read_lift_sense(one, languages) for one in element.iterfind("sense")),
                    pos,
                    tuple(map(_plain, element.iterfind("variant/form/text"))),
                    int(traits.get("frequency", "0")),
                    int(traits.get("rank", "0")),
                    unescaped(facts.get("value", "")),
                    unescaped(facts.get("who", "")),
                    _plain(element.find("note/form/text")),
                ),
                line,
            )


def _lift_traits(element: Element, name: str) -> dict[str, str]:
    found = element.iterfind(name)
    return {one.get("name", ""): unescaped(one.get("value", "")) for one in found}


def _lift_pos(entry: Element) -> str:
    info = entry.find("sense/grammatical-info")
    return "" if info is None else unescaped(info.get("value", ""))


def _read_lift_sense(element: Element, languages: EntryLanguages) -> Sense:
    glosses = element.findall("gloss")
    chosen = [one for one in glosses if one.get("lang") == languages.translations] or glosses
    equivalents = []
    for gloss in chosen:
        values = _lift_traits(gloss, "annotation")
        probability = values.get("probability")
        equivalents.append(
            Equivalent(
                _plain(gloss.find("text")),
                values.get("pos", ""),
                float(probability) if probability else None,
                values.get("verdict", ""),
            )
        )
    examples = tuple(
        Example(
            _plain(one.find("form/text")),
            _plain(one.find("translation/form/text")),
            unescaped(one.get("source", "")),
        )
        for one in element.iterfind("example")
    )
    label = _plain(element.find("definition/form/text"))
    return Sense(int(element.get("order", "1")), tuple(equivalents), label, examples)


MARKUP_WRITERS = {".tei": write_tei, ".lift": write_lift}


def joined_lines(lines: Sequence[str] | Iterable[str]) -> bytes:
    """Return lines as the bytes of a file."""
    return "".join(f"{line}\n" for line in lines).encode()
