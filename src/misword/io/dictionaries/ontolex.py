"""OntoLex-lemon in Turtle: dictionaries as linked data, written and read with all fields.

Entries are `ontolex:LexicalEntry` of a `lime:Lexicon`; a translation is a `vartrans:Translation`
from the sense of the headword to the sense of an entry of the other language; examples are
`lexicog:UsageExample`. What these vocabularies have no word for (order, probability, verdict) has
names of `urn:misword:`.

Reference: https://www.w3.org/2016/05/ontolex; https://www.w3.org/2019/09/lexicog
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from misword.core.errors import InputError
from misword.core.parts import Requirement
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
from misword.io.dictionaries.lexical_markup import UNKNOWN, escaped, unescaped
from misword.io.files.sources import Source

if TYPE_CHECKING:
    from pyoxigraph import Literal, NamedNode, Triple

RDF = Requirement(("pyoxigraph",), "pip install 'misword[rdf]', or use .tei or .tsv", "MIT")
PREFIXES = {
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "lime": "http://www.w3.org/ns/lemon/lime#",
    "vartrans": "http://www.w3.org/ns/lemon/vartrans#",
    "lexicog": "http://www.w3.org/ns/lemon/lexicog#",
    "lexinfo": "http://www.lexinfo.net/ontology/3.0/lexinfo#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dct": "http://purl.org/dc/terms/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "mw": "urn:misword:",
}
# Names of parts of speech in LexInfo.
LEXINFO = {
    "ADJ": "adjective", "ADP": "adposition", "ADV": "adverb", "AUX": "auxiliary",
    "CCONJ": "coordinatingConjunction", "DET": "determiner", "INTJ": "interjection",
    "NOUN": "noun", "NUM": "numeral", "PART": "particle", "PRON": "pronoun",
    "PROPN": "properNoun", "SCONJ": "subordinatingConjunction", "VERB": "verb",
}  # fmt: skip
Facts = dict[str, list[Any]]


class _Graph:
    """Triples of a dictionary, and the terms they are made of."""

    def __init__(self, languages: tuple[str, str]) -> None:
        self.source, self.target = (language or UNKNOWN for language in languages)

    def node(self, name: str) -> NamedNode:
        """Return the term of a name such as `ontolex:sense`."""
        from pyoxigraph import NamedNode

        prefix, _, local = name.partition(":")
        return NamedNode(PREFIXES[prefix] + local)

    def text(self, text: str, language: str = "") -> Literal:
        """Return a literal, of a language if one is named."""
        from pyoxigraph import Literal

        return Literal(escaped(text), language=language) if language else Literal(escaped(text))

    def facts(self, subject: str, *facts: tuple[str, Any]) -> Iterator[Triple]:
        """Yield a triple for each fact about `mw:` + subject that is not empty."""
        from pyoxigraph import Literal, Triple

        node = self.node(f"mw:{subject}")
        for predicate, value in facts:
            if value is None or value in ("", 0):
                continue
            term = Literal(value) if isinstance(value, int | float) else value
            term = self.node(term) if isinstance(term, str) else term
            yield Triple(node, self.node(predicate), term)

    def form(self, subject: str, text: str, language: str) -> Iterator[Triple]:
        """Yield the triples of a form."""
        written = ("ontolex:writtenRep", self.text(text, language))
        yield from self.facts(subject, ("rdf:type", "ontolex:Form"), written)

    def optional(self, text: str) -> Literal | None:
        """Return a literal, None for an empty text."""
        return self.text(text) if text else None

    def entry(self, entry: Entry, id_: str, number: int) -> Iterator[Triple]:
        """Yield the triples of an entry."""
        yield from self.facts(
            id_,
            ("rdf:type", "ontolex:LexicalEntry"),
            ("mw:order", number),
            ("ontolex:canonicalForm", f"mw:{id_}-form"),
            ("mw:pos", self.optional(entry.pos)),
            ("lexinfo:partOfSpeech", _lexinfo(entry.pos)),
            ("mw:frequency", entry.frequency),
            ("mw:rank", entry.rank),
            ("mw:verdict", self.optional(entry.verdict)),
            ("mw:reviewer", self.optional(entry.reviewer)),
            ("skos:note", self.optional(entry.note)),
        )
        yield from self.form(f"{id_}-form", entry.headword, self.source)
        for place, form in enumerate(entry.forms, 1):
            name = f"{id_}-form{place}"
            yield from self.facts(id_, ("ontolex:otherForm", f"mw:{name}"))
            yield from self.form(name, form, self.source)
            yield from self.facts(name, ("mw:order", place))
        for place, sense in enumerate(entry.senses, 1):
            yield from self.facts(id_, ("ontolex:sense", f"mw:{id_}-s{place}"))
            yield from self.sense(sense, f"{id_}-s{place}", place)

    def sense(self, sense: Sense, id_: str, place: int) -> Iterator[Triple]:
        """Yield the triples of a sense, its translations and its examples."""
        yield from self.facts(
            id_,
            ("rdf:type", "ontolex:LexicalSense"),
            ("mw:order", place),
            ("mw:number", sense.number),
            ("skos:definition", self.optional(sense.label)),
        )
        for number, one in enumerate(sense.equivalents, 1):
            other, link = f"{id_}-t{number}", f"{id_}-translation{number}"
            probability = None if one.probability is None else self.text(repr(one.probability))
            yield from self.facts(
                link,
                ("rdf:type", "vartrans:Translation"),
                ("vartrans:source", f"mw:{id_}"),
                ("vartrans:target", f"mw:{other}-sense"),
                ("mw:order", number),
                ("mw:probability", probability),
                ("mw:verdict", self.optional(one.verdict)),
            )
            yield from self.facts(
                other,
                ("rdf:type", "ontolex:LexicalEntry"),
                ("ontolex:canonicalForm", f"mw:{other}-form"),
                ("ontolex:sense", f"mw:{other}-sense"),
                ("mw:pos", self.optional(one.pos)),
                ("lexinfo:partOfSpeech", _lexinfo(one.pos)),
            )
            yield from self.facts(
                f"{other}-sense",
                ("rdf:type", "ontolex:LexicalSense"),
                ("ontolex:isSenseOf", f"mw:{other}"),
            )
            yield from self.form(f"{other}-form", one.text, self.target)
        for number, example in enumerate(sense.examples, 1):
            name = f"{id_}-x{number}"
            yield from self.facts(id_, ("lexicog:usageExample", f"mw:{name}"))
            translation = example.translation
            yield from self.facts(
                name,
                ("rdf:type", "lexicog:UsageExample"),
                ("rdf:value", self.text(example.text, self.source)),
                ("mw:translation", self.text(translation, self.target) if translation else None),
                ("dct:source", self.optional(example.source)),
                ("mw:order", number),
            )


def _lexinfo(pos: str) -> str:
    return f"lexinfo:{LEXINFO[pos]}" if pos in LEXINFO else ""


def ontolex_bytes(entries: Iterable[Entry], languages: tuple[str, str], title: str) -> bytes:
    """Return the entries as Turtle."""
    RDF.check(".ttl")
    from pyoxigraph import RdfFormat, serialize

    graph = _Graph(languages)

    def triples() -> Iterator[Triple]:
        yield from graph.facts(
            "lexicon",
            ("rdf:type", "lime:Lexicon"),
            ("lime:language", graph.text(graph.source)),
            ("dct:title", graph.text(title)),
        )
        for number, entry in enumerate(entries, 1):
            yield from graph.facts("lexicon", ("lime:entry", f"mw:e{number}"))
            yield from graph.entry(entry, f"e{number}", number)

    written = serialize(triples(), format=RdfFormat.TURTLE, prefixes=PREFIXES)
    assert written is not None
    return written


@dataclass(frozen=True, slots=True)
class OntoLex(DictionaryFormat):
    """OntoLex-lemon in Turtle, as misword writes it.

    Other OntoLex files are read if their translations are `vartrans:Translation`.

    Reference: https://www.w3.org/2016/05/ontolex
    """

    name: ClassVar[str] = "ontolex"
    title: ClassVar[str] = "OntoLex-lemon"

    def looks_like(self, source: Source) -> bool:
        """Whether the file names the vocabulary."""
        return PREFIXES["ontolex"].encode() in source.data[:4096]

    def read(
        self, path: Path, problems: Problems, languages: EntryLanguages
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries of the lexicon."""
        RDF.check(".ttl")
        from pyoxigraph import RdfFormat, parse

        found: dict[Any, Facts] = defaultdict(lambda: defaultdict(list))
        try:
            for quad in parse(problems.source.data, format=RdfFormat.TURTLE):
                found[quad.subject][_short(quad.predicate.value)].append(quad.object)
        except SyntaxError as error:
            where, fix = problems.source.at(error.lineno or 1), "correct the Turtle"
            raise InputError(f"broken Turtle: {error.msg}", where=where, fix=fix) from None
        links: dict[Any, list[Facts]] = defaultdict(list)
        for facts in found.values():
            for sense in facts.get("vartrans:source", ()):
                links[sense].append(facts)
        lexicons = (facts for facts in found.values() if "lime:entry" in facts)
        ids = [one for facts in lexicons for one in facts["lime:entry"]]
        for number, facts in enumerate(_ordered(found[one] for one in ids), 1):
            yield DictionaryEntry.of(_entry(facts, found, links), number)


def _short(name: str) -> str:
    """Return the name of a term with its prefix."""
    for prefix, start in PREFIXES.items():
        if name.startswith(start):
            return f"{prefix}:{name.removeprefix(start)}"
    return name


def _ordered(nodes: Iterable[Facts]) -> list[Facts]:
    return sorted(nodes, key=lambda facts: int(_text(facts, "mw:order") or 0))


def _text(facts: Facts, name: str) -> str:
    values = facts.get(name)
    return unescaped(values[0].value) if values else ""


def _written(facts: Facts, found: dict[Any, Facts], name: str) -> str:
    forms = facts.get(name)
    return _text(found[forms[0]], "ontolex:writtenRep") if forms else ""


def _entry(facts: Facts, found: dict[Any, Facts], links: dict[Any, list[Facts]]) -> Entry:
    forms = _ordered(found[one] for one in facts.get("ontolex:otherForm", ()))
    ids = sorted(
        facts.get("ontolex:sense", ()), key=lambda id_: int(_text(found[id_], "mw:order") or 0)
    )
    return Entry(
        _written(facts, found, "ontolex:canonicalForm"),
        tuple(_sense(found[id_], found, links[id_]) for id_ in ids),
        _text(facts, "mw:pos"),
        tuple(_text(form, "ontolex:writtenRep") for form in forms),
        int(_text(facts, "mw:frequency") or 0),
        int(_text(facts, "mw:rank") or 0),
        _text(facts, "mw:verdict"),
        _text(facts, "mw:reviewer"),
        _text(facts, "skos:note"),
    )


def _sense(facts: Facts, found: dict[Any, Facts], links: list[Facts]) -> Sense:
    equivalents = []
    for link in _ordered(links):
        other = found[found[link["vartrans:target"][0]]["ontolex:isSenseOf"][0]]
        probability = _text(link, "mw:probability")
        equivalents.append(
            Equivalent(
                _written(other, found, "ontolex:canonicalForm"),
                _text(other, "mw:pos"),
                float(probability) if probability else None,
                _text(link, "mw:verdict"),
            )
        )
    examples = tuple(
        Example(_text(one, "rdf:value"), _text(one, "mw:translation"), _text(one, "dct:source"))
        for one in _ordered(found[id_] for id_ in facts.get("lexicog:usageExample", ()))
    )
    number = int(_text(facts, "mw:number") or 1)
    return Sense(number, tuple(equivalents), _text(facts, "skos:definition"), examples)
