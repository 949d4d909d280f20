"""Splitting of a written word into the smallest parts that a number grammar can read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from misword.text.writing.numbers import tables
from misword.text.writing.words import LONE_DASHES, PLAIN_SIGNS

# Kinds of atoms.
DIGITS = "digits"  # 2020, 1.3, 05; without thousands separators
UNIT, TEEN, TENS, ZERO = "unit", "teen", "tens", "zero"
HUNDRED, MAGNITUDE = "hundred", "magnitude"
ORDINAL = "ordinal"  # third; the text tells which
WRITTEN_ORDINAL = "written ordinal"  # 3rd
PLURAL = "plural"  # nineties, hundreds
WRITTEN_PLURAL = "written plural"  # 1990s
FRACTION = "fraction"  # 1/2
TIME = "time"  # 10:30
DATE = "date"  # 6/30/2020
CURRENCY = "currency"  # $
SIGN = "sign"  # a dash between digits, also if it is said; #
WORD = "word"

SMALL = frozenset({UNIT, TEEN, TENS})
NUMERIC = frozenset(
    {DIGITS, UNIT, TEEN, TENS, ZERO, HUNDRED, MAGNITUDE, ORDINAL, WRITTEN_ORDINAL, PLURAL}
    | {WRITTEN_PLURAL, FRACTION, TIME, DATE}
)


class Atom(NamedTuple):
    """A part of a word: its kind, its text in lower case, and its value if it is a number word.

    `capital` says that it begins with a capital letter: 5M is five million, 5 m are five meters.
    """

    kind: str
    text: str
    value: int = 0
    capital: bool = False


class Atoms(list[Atom]):
    """The atoms of a run of words, and what has been read at each of them so far.

    `kinds` and `texts` are those of all atoms: many rules are for some of them only.
    """

    def __init__(self, atoms: Iterable[Atom] = ()) -> None:
        super().__init__(atoms)
        self.kinds = {atom.kind for atom in self}
        self.texts = {atom.text for atom in self}
        self.amounts: dict[int, list[Any]] = {}
        self.digit_strings: dict[tuple[int, bool], list[Any]] = {}


def _number_words() -> dict[str, Atom]:
    kinds = (
        (UNIT, tables.UNITS),
        (TEEN, tables.TEENS),
        (TENS, tables.TENS),
        (ZERO, tables.ZEROS),
        (HUNDRED, {"hundred": 100}),
        (MAGNITUDE, tables.MAGNITUDES),
        (ORDINAL, tables.UNIT_ORDINALS | tables.TEEN_ORDINALS),
        (ORDINAL, tables.TENS_ORDINALS | tables.LARGE_ORDINALS),
        (PLURAL, tables.PLURALS),
    )
    return {word: Atom(kind, word, value) for kind, words in kinds for word, value in words.items()}


NUMBER_WORDS = _number_words()
# Signs that are said: `ten dash fifteen`, `three dot five`.
_SAID_SIGNS = {
    "dash": Atom(SIGN, "-"),
    "hyphen": Atom(SIGN, "-"),
    "dot": Atom(WORD, "point"),
}
_SIGN_WORDS = {"%": "percent", "¢": "cents", "+": "plus", "°": "degrees"}
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_VULGAR = str.maketrans({sign: f" {text} " for sign, text in tables.VULGAR_FRACTIONS.items()})
# Punctuation at the ends of a word without digits.
PUNCTUATION = "\"“”„«»()[]{}<>,;:!?….*_~|'’-"
_OUTSIDE = '"“”„«»()[]{}<>,;:!?…*_~|\\'
# A longer word is no number.
MOST_LETTERS = 128
_HAS_DIGIT = re.compile(r"[0-9]")
_SIGN_ALONE = re.compile(r"[%¢°€£¥]|(?:us)?[$]")  # `60 %`, `$ 20`
# A Roman numeral, also with a letter: Phase II, Phase IIb.
_ROMAN = re.compile(r"\W*([IVX]+)([ABab]?)\W*")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_UNIT = 3  # letters
_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]?")
_SCANNER = re.compile(
    r"""
      (?P<version>[0-9]+(?:\.[0-9]+){2,})
    | (?P<date>[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![0-9/]))
    | (?P<fraction>[0-9]{1,4}/[0-9]{1,4}(?![0-9/]))
    | (?P<time>[0-9]{1,2}:[0-5][0-9](?![0-9]))
    | (?P<ordinal>[0-9][0-9,]*(?=(?:st|nd|rd|th)(?![a-z])))
    | (?P<plural>[0-9][0-9,]*(?='?s(?![a-z])))
    | (?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
    | (?P<currency>(?:us|ca?|au?)?[$]|[€£¥])
    | (?P<letters>[^\W\d_]+(?:'[a-z]+)?)
    | (?P<sign>[%¢+°#:-])
    """,
    re.VERBOSE,
)
_MAGNITUDE_LETTER = re.compile(rf"(?:{'|'.join(tables.MAGNITUDE_LETTERS)})(?![a-z])")
_SUFFIX = re.compile(r"(?:st|nd|rd|th|'?s)")
# A dash or a colon before these is kept where digits stand before it: 10-15, $5-$6, 2:1.
_BEGINS_NUMBER = frozenset("0123456789.$€£¥")
# Letters that a dash between two numbers can stand behind: $5m-$6m, 10%-15%.
_ENDS_NUMBER = tables.MAGNITUDE_LETTERS.keys() | {"percent", "cents"}


@lru_cache(maxsize=1 << 17)
def atoms_of(word: str) -> tuple[Atom, ...]:
    """Return the atoms of a word as it is written; punctuation at its ends is ignored.

    >>> [atom.text for atom in atoms_of("$1.3B,")], [atom.text for atom in atoms_of("COVID-19.")]
    (['$', '1.3', 'b'], ['covid', '19'])
    """
    if (roman := _ROMAN.fullmatch(word)) is not None:
        return tuple(_roman(roman[1], roman[2].lower())) or (_letters(strip(word)),)
    if word in LONE_DASHES:
        return (Atom(SIGN, "-"),)
    text = strip(word)
    if (known := NUMBER_WORDS.get(text) or _SAID_SIGNS.get(text)) is not None:
        return (known,)
    if _HAS_DIGIT.search(text) or _SIGN_ALONE.fullmatch(text):
        atoms = _scan(text)
        return tuple(_cased(word, atom) for atom in atoms) if text.upper() != text else tuple(atoms)
    if text.endswith("fold") and text[:-4] in NUMBER_WORDS:
        return NUMBER_WORDS[text[:-4]], Atom(WORD, "fold")
    if "-" in text:
        return tuple(_letters(part) for part in text.split("-") if part)
    return (_cased(word, _letters(text)),) if text else ()


def _cased(word: str, atom: Atom) -> Atom:
    """Return an atom with the case of its letters in a word, which matters in units: MW, mW."""
    if atom.kind != WORD or len(atom.text) > _LONGEST_UNIT:
        return atom
    written = next((text for text in _LETTERS.findall(word) if text.lower() == atom.text), "")
    if written in tables.CASED_UNITS:
        return atom._replace(text=tables.CASED_UNITS[written])
    return atom._replace(capital=True) if written[:1].isupper() else atom


def strip(word: str) -> str:
    """Return a word in lower case without the punctuation that does not belong to a number.

    >>> strip("(.5),"), strip("a.m."), strip("401(k)"), strip("'90s")
    ('.5', 'am', '401k', '90s')
    """
    text = word.translate(PLAIN_SIGNS).translate(_DASHES).translate(_VULGAR).lower()
    text = text.strip(_OUTSIDE).rstrip(".-'/").strip(_OUTSIDE).lstrip("'/ ").rstrip()
    if not text.isalnum():
        text = text.replace("(", "").replace(")", "")
        if text[:1] in ".-" and text[1:2] not in _BEGINS_NUMBER:
            text = text.lstrip(".-")
        if _DOTTED.fullmatch(text):
            text = text.replace(".", "")
    return text


def _roman(numeral: str, letter: str) -> Iterator[Atom]:
    """Yield the atoms of a Roman numeral in capitals; none if it is often a word: I, V, VIA."""
    number = tables.ROMAN_NUMERALS.get(numeral)
    if number and (not letter or f"{numeral}{letter}".lower() in tables.PHASES):
        yield Atom(DIGITS, number)
        if letter:
            yield Atom(WORD, letter)


def _letters(text: str) -> Atom:
    """Return the atom of a part without digits."""
    return NUMBER_WORDS.get(text) or Atom(WORD, text)


def _scan(text: str) -> list[Atom]:
    """Return the atoms of a word with digits."""
    atoms: list[Atom] = []
    place = 0
    while place < len(text):
        match = _SCANNER.match(text, place)
        if match is None:
            place += 1
            continue
        place = match.end()
        kind, found = match.lastgroup, match[0]
        if kind == "letters":
            atoms.append(_letters(found))
        elif kind == "sign":
            atoms.extend(_sign(found, text[place:], atoms))
        elif kind == "ordinal" or kind == "plural":
            digits = found.replace(",", "")
            written = WRITTEN_ORDINAL if kind == "ordinal" else WRITTEN_PLURAL
            atoms.append(Atom(written, digits, int(digits[:18])))
            place = _SUFFIX.match(text, place).end()  # type: ignore[union-attr]
        else:
            atoms.append(_written(kind or "", found))
    return atoms


def _written(kind: str, found: str) -> Atom:
    """Return the atom of digits and of currency signs."""
    if kind == "number":
        return Atom(DIGITS, found.replace(",", ""))
    if kind == "currency":
        return Atom(CURRENCY, tables.CURRENCY_SIGNS.get(found, "$"))
    kinds = {"fraction": FRACTION, "time": TIME, "date": DATE, "version": WORD}
    return Atom(kinds[kind], found)


def _sign(sign: str, following: str, before: list[Atom]) -> list[Atom]:
    """Return the atom of a sign, or none if the sign only joins letters and digits."""
    if sign in _SIGN_WORDS:
        return [Atom(WORD, _SIGN_WORDS[sign])]
    if sign == "#":
        return [Atom(SIGN, "#")]
    if before and before[-1].kind == DIGITS and _MAGNITUDE_LETTER.match(following):
        return [Atom(SIGN, "-")]  # 10-K is a name, and not ten thousand
    if not following or following[0] not in _BEGINS_NUMBER:
        return []
    if not before:
        return [Atom(WORD, "minus")] if sign == "-" else []
    last = before[-1]
    behind_number = last.kind != WORD or last.text in _ENDS_NUMBER
    return [Atom(SIGN, "-")] if behind_number and len(before) + (last.kind != WORD) > 1 else []
