"""Entries of dictionaries with all their fields; what a reader returns, and its table.

Parts of speech are universal tags, whatever names a dictionary has for them.

Reference: https://universaldependencies.org/u/pos; https://wiki.apertium.org/wiki/List_of_symbols
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, Self

from misword.core import display, tables
from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import Source, listed_places

UNIVERSAL = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
# Abbreviations and words that TEI dictionaries, apertium, Wiktextract and tables use, without full
# stops. A universal tag stands for itself.
TABLE = """
ADJ a adj adjective adjektiv adjectif adj_noun
ADP adp prep preposition post postp postposition pr
ADV adv adverb adverbe preadv
AUX aux auxiliary vaux vbmod vbhaver vbser
CCONJ conj conjunction cconj cnjcoo cnjadv
DET art article det determiner
INTJ int intj interj interjection ij
NOUN n noun s sb sbst subst substantive substantif nm nf nn nmf
NUM num numeral number card cardinal
PART part particle ptcl
PRON pron pronoun prn
PROPN name pn prop propn np proper_noun properNoun proper-noun
SCONJ sconj cnjsub subjunction
SYM sym symbol
VERB v vb verb verbe vblex vi vt vti vr vtr vitr
X abbr abbrev abbreviation acr acronym phrase idiom proverb prefix suffix affix o nw unknown
"""
BY_NAME = {
    name.lower(): tag for tag, *names in map(str.split, TABLE.split("\n")[1:-1]) for name in names
} | {tag.lower(): tag for tag in UNIVERSAL}
# Labels of gender, number and use that say nothing about the part of speech.
GENDERS = ("m", "f", "mf", "masc", "fem", "neut", "neutr")
NUMBERS = ("pl", "plur", "sg", "sing", "only")
OTHER_LABELS = frozenset((*GENDERS, *NUMBERS, "trans", "intr", "refl", "pers", "rel"))
SEPARATOR = re.compile(r"[\s,;/|&]+")


@lru_cache(maxsize=4096)
def universal_tag(text: str) -> str:
    """Return the universal tag of a part of speech; empty for none, `X` for one that is not known.

    Of several words the first known one counts; gender and number are not parts of speech.

    >>> universal_tag("fem, n, sg"), universal_tag("v.t."), universal_tag(""), universal_tag("zz")
    ('NOUN', 'VERB', '', 'X')
    """
    plain = text.strip().lower().replace(".", "")
    if plain in BY_NAME:
        return BY_NAME[plain]
    words = [word for word in SEPARATOR.split(plain) if word]
    known = next((BY_NAME[word] for word in words if word in BY_NAME), "")
    return known or ("X" if words and not OTHER_LABELS.issuperset(words) else "")


# Entries with all fields, as drafts make them and as files of dictionaries keep them.


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with the headword, and one with its equivalent; `source` says where from."""

    text: str
    translation: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A word of the other language with the meaning of a sense.

    `probability` is the probability that it is right, None if it is not known. `verdict` is what
    a person said about it: `accept`, `reject` or nothing.
    """

    text: str
    pos: str = ""
    probability: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a headword: its number from 1, its equivalents, a label, and examples."""

    number: int
    equivalents: tuple[Equivalent, ...] = ()
    label: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a bilingual dictionary.

    `forms` are inflected forms of the headword. `frequency` is the number of occurrences in a
    corpus, 0 if it is not known, and `rank` the place by frequency, from 1, 0 if it is not known.
    `verdict` is that of a person about the entry: `accept`, `reject`, `other` (a person wrote other
    equivalents) or nothing.
    """

    headword: str
    senses: tuple[Sense, ...] = ()
    pos: str = ""
    forms: tuple[str, ...] = ()
    frequency: int = 0
    rank: int = 0
    verdict: str = ""
    reviewer: str = ""
    note: str = ""

    @property
    def equivalents(self) -> tuple[Equivalent, ...]:
        """The equivalents of all senses, in their order."""
        return tuple(one for sense in self.senses for one in sense.equivalents)

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON objects, of which `from_json` makes the same entry."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Entry:
        """Make an entry of JSON objects.

        >>> entry = Entry("bank", (Sense(1, (Equivalent("rive"),), "river"),), "NOUN")
        >>> Entry.from_json(entry.to_json()) == entry
        True
        """
        senses = tuple(
            Sense(
                sense["number"],
                tuple(Equivalent(**one) for one in sense.get("equivalents", ())),
                sense.get("label", ""),
                tuple(Example(**one) for one in sense.get("examples", ())),
            )
            for sense in content.get("senses", ())
        )
        forms = tuple(content.get("forms", ()))
        return cls(**{**content, "senses": senses, "forms": forms})


# What a reader returns.

KEEP_GOING_FIX = "correct the file, or skip such entries with --keep-going (in Python: keep_going)"


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """One entry: its spellings, its part of speech as written, and the translations by sense.

    `line` is where the entry begins: the line of a text file, or the number of the article.
    `whole` is the entry with all its fields, None if the format has no more than these.
    """

    headwords: tuple[str, ...]
    senses: tuple[tuple[str, ...], ...]
    pos: str = ""
    line: int = 0
    whole: Entry | None = None

    @classmethod
    def of(cls, entry: Entry, line: int = 0) -> DictionaryEntry:
        """Make what a reader returns of an entry with all its fields."""
        senses = (tuple(one.text for one in sense.equivalents) for sense in entry.senses)
        return cls((entry.headword,), tuple(senses), entry.pos, line, entry)


@dataclass(frozen=True, slots=True)
class Problems:
    """The entries that cannot be read: an error, or with `keep_going` counted and skipped.

    `lines` are the places of the skipped entries, and `remarks` other notes of a reader.
    """

    source: Source
    keep_going: bool = False
    lines: list[int] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def report(self, what: str, line: int, fix: str = KEEP_GOING_FIX) -> None:
        """Raise the error of an entry, or count the entry as skipped."""
        if not self.keep_going:
            raise InputError(what, where=self.source.at(line), fix=fix)
        self.lines.append(line)

    def notes(self) -> tuple[str, ...]:
        """Return the remarks, and a note on what was skipped, if anything was."""
        if not self.lines:
            return tuple(self.remarks)
        places = listed_places(self.lines, self.source.unit)
        skipped = counted(len(self.lines), "broken place")
        return (*self.remarks, f"{self.source.shown}: {skipped} skipped ({places})")


@dataclass(frozen=True, slots=True)
class EntryLanguages:
    """Which entries of a file are read: codes of both languages, and the direction.

    A code may be empty if it is not known. With `reverse`, the file has the target language first.
    """

    source: str = ""
    target: str = ""
    reverse: bool = False

    @property
    def headwords(self) -> str:
        """The language of the headwords in the file."""
        return self.target if self.reverse else self.source

    @property
    def translations(self) -> str:
        """The language of the translations in the file."""
        return self.source if self.reverse else self.target


@dataclass(frozen=True, repr=False)
class Dictionary(display.Displayed):
    """The table of a dictionary: a row for each translation of each sense of each headword.

    `pos` are universal part-of-speech tags, empty where the dictionary gives none. `senses` number
    the senses of a headword from 1, through all of its entries; a dictionary that does not divide
    its translations into senses has one sense for each translation. `lines` are the places of the
    entries. `format` is the name of the format, and `notes` report what was skipped. `whole` are
    the entries with all their fields, empty if the format has no more than the table.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    pos: tuple[str, ...]
    senses: tuple[int, ...]
    lines: tuple[int, ...]
    name: str = "memory"
    format: str = "memory"
    notes: tuple[str, ...] = ()
    whole: tuple[Entry, ...] = ()

    @classmethod
    def of(
        cls, entries: Iterable[DictionaryEntry], name: str = "memory", format: str = "memory"
    ) -> Self:
        """Make the table of entries.

        >>> entries = [DictionaryEntry(("bank",), (("rive",), ("banque", "banc")), "n")]
        >>> Dictionary.of(entries).frame().rows()[1]
        ('bank', 'banque', 'NOUN', 2, 0, 'memory')
        """
        rows: list[tuple[str, str, str, int, int]] = []
        senses_of: dict[str, int] = {}
        whole = []
        for entry in entries:
            if entry.whole is not None:
                whole.append(entry.whole)
            tag = universal_tag(entry.pos)
            for word in dict.fromkeys(entry.headwords):
                before = senses_of.get(word, 0)
                for number, translations in enumerate(entry.senses, before + 1):
                    rows += [
                        (word, translation, tag, number, entry.line)
                        for translation in dict.fromkeys(translations)
                    ]
                senses_of[word] = before + len(entry.senses)
        if not rows and not whole:
            raise InputError(
                "no entry with a translation",
                where=name,
                fix="check that it is the right file, and its languages",
            )
        columns = zip(*rows, strict=True) if rows else ((),) * 5
        sources, targets, tags, numbers, lines = columns
        return cls(sources, targets, tags, numbers, lines, name, format, whole=tuple(whole))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries: with all fields if the format has them, else made of the table.

        >>> dictionary = Dictionary.of([DictionaryEntry(("bank",), (("rive",), ("banque",)), "n")])
        >>> [len(entry.senses) for entry in dictionary.entries]
        [2]
        """
        if self.whole:
            return self.whole
        found: dict[tuple[str, str], dict[int, list[Equivalent]]] = {}
        for source, target, tag, number, _ in self._rows():
            senses = found.setdefault((source, tag), {})
            senses.setdefault(number, []).append(Equivalent(target))
        return tuple(
            Entry(word, tuple(Sense(at, tuple(some)) for at, some in senses.items()), tag)
            for (word, tag), senses in found.items()
        )

    def overview(self) -> display.Overview:
        """Return the first rows."""
        title = f"Dictionary {self.name} ({self.format}): {counted(len(self), 'translation')}"
        columns = *map(tables.text, ("source", "target", "pos")), tables.count("sense")
        rows = (row[:4] for row in self._rows())
        return display.Overview.of_rows(title, rows, columns, len(self))

    def __len__(self) -> int:
        return len(self.source)

    @property
    def digest(self) -> str:
        """The SHA-256 of the rows, which does not depend on the format of the file."""
        text = "".join(f"{a}\t{b}\t{tag}\t{sense}\n" for a, b, tag, sense, _ in self._rows())
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _rows(self) -> Iterable[tuple[str, str, str, int, int]]:
        return zip(self.source, self.target, self.pos, self.senses, self.lines, strict=True)

    def frame(self) -> pl.DataFrame:
        """Return the table: source, target, pos, sense, line, dictionary."""
        columns: dict[str, Sequence[str] | Sequence[int]] = {
            "source": self.source,
            "target": self.target,
            "pos": self.pos,
            "sense": self.senses,
            "line": self.lines,
        }
        return pl.DataFrame(columns).with_columns(pl.lit(self.name).alias("dictionary"))

    def reversed(self) -> Dictionary:
        """Return the dictionary of the other direction; each translation is a sense of its own."""
        entries = (
            DictionaryEntry((target,), ((source,),), tag, line)
            for source, target, tag, _, line in self._rows()
        )
        return replace(Dictionary.of(entries, self.name, self.format), notes=self.notes)
