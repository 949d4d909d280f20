"""The closed classes of a language: read from one file, which users can extend.

`languages/<code>.txt` has sections in brackets. A line of a section is a class: its name, a colon,
and its words or phrases, separated by ` / `. Beside it there may be `<code>.relations.txt.gz` (a
word, its synonyms, more general words), `<code>.opposites.txt` and `<code>.irregular.txt` (pairs,
separated by a tab). docs/severity.md describes the sections.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from misword.core.errors import InputError

FOLDER = files("misword.asr.severity") / "languages"
# Sections whose words are cues: a class that is lost, added or exchanged has a meaning of its own.
CUES = ("negation", "modality", "quantifier", "frequency", "pronoun", "unit", "date")
SECTIONS = (
    *CUES, "number", "opposite", "opposite parts", "negative parts", "function", "filler", "same",
    "cut signs", "agent", "marker", "name", "stock", "joining negation", "converse", "case sign",
    "sound", "hesitation",
)  # fmt: skip

Phrase = tuple[str, ...]


class Cue(NamedTuple):
    """The section and the class of a word or phrase."""

    section: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The closed classes of a language; all empty for an unknown one.

    `cues` has the classes of each phrase, `same` the classes of phrases that mean the same.
    `opposites` are pairs of words in both orders. `parts` are pairs of beginnings of words
    (`hyper`, `hypo`), `negative` beginnings and endings that negate a word.
    """

    code: str
    cues: Mapping[Phrase, tuple[Cue, ...]] = field(default_factory=dict)
    starts: Mapping[str, int] = field(default_factory=dict)  # first words of phrases, and lengths
    same: Mapping[Phrase, frozenset[str]] = field(default_factory=dict)
    opposites: frozenset[tuple[str, str]] = frozenset()
    opposed: frozenset[str] = frozenset()  # all words of `opposites`
    parts: tuple[tuple[str, str], ...] = ()
    negative_before: tuple[str, ...] = ()
    negative_after: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()
    fillers: frozenset[Phrase] = frozenset()
    open_words: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    markers: frozenset[str] = frozenset()
    converse: frozenset[tuple[str, str]] = frozenset()  # `sell`, `buy`: the roles are exchanged
    sounds: tuple[tuple[str, str], ...] = ()  # rules: patterns of letters, and their sounds
    hesitations: frozenset[str] = frozenset()
    case_signs: frozenset[str] = frozenset()  # words before a noun that show its case
    joining: frozenset[str] = frozenset()  # negations that belong to another one of their clause
    stock: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    irregular: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # number of entries by section

    @property
    def known(self) -> bool:
        """Whether there is a file for the language."""
        return bool(self.sizes)

    def of_section(self, word: str, section: str) -> str:
        """Return the class of a word in a section; empty if it has none."""
        return next((cue.name for cue in self.cues.get((word,), ()) if cue.section == section), "")


@cache
def language(code: str) -> Language:
    """Return the closed classes of a language."""
    path = FOLDER / f"{code}.txt"
    if not code.isalpha() or not path.is_file():
        return Language(code)
    return parse_language(code, path.read_text("utf-8"), str(path))


def languages() -> list[str]:
    """Return the codes of the languages that have a file."""
    names = (Path(entry.name) for entry in FOLDER.iterdir())
    return sorted(name.stem for name in names if name.suffix == ".txt" and len(name.stem) < 4)


def parse_language(code: str, text: str, where: str) -> Language:
    """Return the classes of a file; raise if a line cannot be read."""
    sections: dict[str, dict[str, list[Phrase]]] = {name: {} for name in SECTIONS}
    for section, name, phrases in _lines(text, where):
        sections[section].setdefault(name, []).extend(phrases)
    cues: dict[Phrase, list[Cue]] = {}
    starts: dict[str, int] = {}
    for section in CUES:
        for name, phrases in sections[section].items():
            for phrase in phrases:
                cues.setdefault(phrase, []).append(Cue(section, name))
    same: dict[Phrase, set[str]] = {}
    for name, phrases in sections["same"].items():
        for phrase in phrases:
            same.setdefault(phrase, set()).add(name)
    fillers = _all(sections["filler"])
    for phrase in (*cues, *same, *fillers):
        starts[phrase[0]] = max(starts.get(phrase[0], 1), len(phrase))
    negative = sections["negative parts"]
    opposites = frozenset(_opposites(sections["opposite"], _pairs(code, "opposites")))
    return Language(
        code,
        cues={phrase: tuple(found) for phrase, found in cues.items()},
        starts=starts,
        same={phrase: frozenset(names) for phrase, names in same.items()},
        opposites=opposites,
        opposed=frozenset(word for word, _ in opposites),
        parts=tuple(_both_ways(sections["opposite parts"])),
        negative_before=tuple(part for (part,) in negative.get("before", ())),
        negative_after=tuple(part for (part,) in negative.get("after", ())),
        numbers=_words(sections["number"]),
        function=_words(sections["function"]),
        fillers=fillers,
        open_words=_words(sections["cut signs"]),
        agents=_words(sections["agent"]),
        markers=_words(sections["marker"]),
        converse=frozenset(_opposites(sections["converse"], iter(()))),
        sounds=tuple(
            (pattern, "" if sound.startswith("silent") else sound)
            for sound, patterns in sections["sound"].items()
            for (pattern,) in patterns
        ),
        hesitations=_words(sections["hesitation"]),
        case_signs=_words(sections["case sign"]),
        joining=_words(sections["joining negation"]),
        stock=frozenset(" ".join(phrase) for phrase in _all(sections["stock"])),
        names=_words(sections["name"]),
        irregular=dict(_pairs(code, "irregular")),
        sizes={name: sum(map(len, found.values())) for name, found in sections.items() if found},
    )


def _lines(text: str, where: str) -> Iterator[tuple[str, str, list[Phrase]]]:
    """Yield the section, the class and the phrases of each line."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        place = f"{where}, line {number}"
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            if section not in SECTIONS:
                known = ", ".join(SECTIONS)
                raise InputError(f"unknown section {line}", where=place, fix=f"known: {known}")
            continue
        name, colon, entries = line.partition(":")
        if not colon or not section or not entries.strip():
            raise InputError(
                f"{line[:60]!r} is not a class", where=place, fix="write NAME: word / phrase"
            )
        listed = name == "words" and " / " not in entries
        parts = entries.split() if listed else entries.split(" / ")
        yield section, name.strip(), [tuple(part.split()) for part in parts if part.strip()]


def _pairs(code: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a further file of a language, if it has one."""
    path = FOLDER / f"{code}.{kind}.txt"
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            left, _, right = line.partition("\t")
            yield left, right


def _opposites(
    classes: Mapping[str, list[Phrase]], further: Iterator[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of opposite words in both orders."""
    own = ((word, other[0]) for word, others in classes.items() for other in others)
    for left, right in (*own, *further):
        yield left, right
        yield right, left


def _both_ways(classes: Mapping[str, list[Phrase]]) -> Iterator[tuple[str, str]]:
    for left, others in classes.items():
        for (right,) in others:
            yield left, right
            yield right, left


def _all(classes: Mapping[str, list[Phrase]]) -> frozenset[Phrase]:
    return frozenset(phrase for phrases in classes.values() for phrase in phrases)


def _words(classes: Mapping[str, list[Phrase]]) -> frozenset[str]:
    return frozenset(word for phrase in _all(classes) for word in phrase)


# Relations of words: synonyms and more general words, read when they are first needed.


class Relations(NamedTuple):
    """The synonyms and the more general words of each word, as text that is split when needed."""

    lines: Mapping[str, tuple[str, str]]

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the synonyms of a word."""
        return frozenset(self.lines.get(word, ("", ""))[0].split())

    def above(self, word: str) -> frozenset[str]:
        """Return more general words."""
        return frozenset(self.lines.get(word, ("", ""))[1].split())


@cache
def relations(code: str) -> Relations:
    """Return the relations of the words of a language; empty if it has none."""
    path = FOLDER / f"{code}.relations.txt.gz"
    if not path.is_file():
        return Relations({})
    text = gzip.decompress(path.read_bytes()).decode()
    lines = (line.split("\t") for line in text.splitlines())
    return Relations({word: (same, above) for word, same, above in lines})


@cache
def names() -> frozenset[str]:
    """Return words that are names in English texts, in small letters."""
    return frozenset(gzip.decompress((FOLDER / "names.txt.gz").read_bytes()).decode().split())
