"""The family `spelling`: `colour` and `color`, `organise` and `organize`.

The lists of variants are files in the folder `spellings`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import ClassVar, NamedTuple

from misword.text.writing import Family, Phrase
from misword.text.writing.words import (
    base_forms,
    known_classes,
    parse_classes,
    without_outer_signs,
    word_set,
)

Pair = tuple[str, str]


class SpellingVariants(NamedTuple):
    """The variants of a language: whole words by variant, and letters replaced in any word."""

    words: dict[str, str]
    letters: dict[str, str]

    def replace_letters(self, word: str) -> str:
        """Return a word with the letters that are replaced anywhere."""
        return _pattern(tuple(self.letters)).sub(lambda match: self.letters[match[0]], word)


@cache
def read_spellings(lang: str) -> SpellingVariants:
    """Return the variants of a language; empty if there is no list for it."""
    file = files("misword.text.writing") / "spellings" / f"{lang}.txt"
    return parse_spellings(file.read_text("utf-8")) if file.is_file() else SpellingVariants({}, {})


def parse_spellings(text: str) -> SpellingVariants:
    """Return the variants that a list describes.

    A line in brackets has the endings of the words below it, `[re=er res=ers]`; `[our=or: - s]`
    stands for `[our=or ours=ors]`, and `-` is the empty ending. Each word below is a stem, or two
    stems with `=` between; every stem is combined with every ending. Below `[anywhere]`, each pair
    stands for letters that are replaced wherever they occur in a word.

    >>> parse_spellings("[re=er res=ers] \\n cent").words
    {'centre': 'center', 'centres': 'centers'}
    """
    spellings = SpellingVariants({}, {})
    endings: list[Pair] | None = []
    for line in text.splitlines():
        if line.startswith("["):
            header = line.strip().strip("[]")
            endings = None if header == "anywhere" else list(_endings(header))
        elif not line.startswith("#"):
            for first, second in map(_pair, line.split()):
                if endings is None:
                    spellings.letters[first] = second
                for end, other_end in endings or ():
                    spellings.words[first + end] = second + other_end
    return spellings


def _endings(header: str) -> Iterator[Pair]:
    """Yield the pairs of endings that a line in brackets describes."""
    start, _, rest = header.rpartition(":")
    first, second = _pair(start)
    for end, other_end in map(_pair, rest.replace("-", "=").split()):
        yield first + end, second + other_end


def _pair(text: str) -> Pair:
    """Return the two sides of `a=b`; a text without `=` has two equal sides."""
    first, equals, second = text.partition("=")
    return first, second if equals else first


@cache
def _pattern(texts: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of the texts, the longest first."""
    return re.compile("|".join(sorted(texts, key=len, reverse=True)))


# organise, organisation, analyse; three letters before -ise, so that prise and prize stay apart.
WITH_S = re.compile(
    r"(?<=[a-z]{3}i|[a-z]{2}ly)s"
    r"(?=(?:abl[ey]|ances?|ation(?:s|al|ally)?|e[drs]?|ements?|ers|ing|ingly)$)"
)
# What stands between two words that are spelt one by one: centre-left, the centre's.
BETWEEN = re.compile(r"(?<=\w)([-'])(?=\w)")
LIGATURES = str.maketrans({"œ": "oe", "æ": "ae"})
GERMAN_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
# English words that are another word without their accents.
ENGLISH_KEPT = word_set("exposé exposés lamé maté piqué rosé rosés saké")
# German words that are another word with ss.
GERMAN_KEPT = word_set("buße bußen floß flöße maß maße maßen maßes ruße rußen")
PHRASES = {"en": parse_classes("alright / all right / allright\nok / okay / o k")}


@dataclass(frozen=True, slots=True)
class Spelling(Family):
    """Spellings of one word: `colour` and `color`, `organise` and `organize`, `okay` and `OK`.

    English: British and American spellings and other variants, and letters with and without
    accents (`café`). German: `ß` and `ss`, `ä` and `ae`. French: `œ` and `oe`, and the spellings of
    1990 (`paraître`, `paraitre`). Portuguese and Spanish: some frequent variants.

    Different words are never the same: *check* and *cheque*, *story* and *storey*, *prise* and
    *prize*; nor are forms that sound different, such as *learnt* and *learned*.

    Known problems: a word and its variant are the same in every meaning (`meter`, `disc`). Names
    have no variants (`Stephen`, `Steven`).

    Example: `misword score ref.txt hyp.txt --lang en --forgive spelling`
    """

    name: ClassVar[str] = "spelling"
    revision: ClassVar[int] = 2

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Languages with rules."""
        return tuple(sorted(SPELLERS))

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return the spelling in which each word is compared; capitals and punctuation are kept.

        >>> Spelling().same_words(["Colour,", "color", "organised", "Paris"], "en")
        ['Color,', 'color', 'organized', 'Paris']
        """
        speller = SPELLERS.get(lang)
        if speller is None:
            return words
        forms = base_forms(words)
        return [
            word if spelling == form else _like(word, spelling)
            for word, form, spelling in zip(words, forms, map(speller, forms), strict=True)
        ]

    def classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield the variants that are more than one word: `alright` and `all right`."""
        return known_classes(PHRASES.get(lang, ()), frozenset(words))


def _like(word: str, spelling: str) -> str:
    """Return another spelling of a word with the capitals and the punctuation of the word."""
    core = without_outer_signs(word)
    if core.isupper() and len(core) > 1:
        spelling = spelling.upper()
    elif core[0].isupper():
        spelling = spelling[0].upper() + spelling[1:]
    return word.replace(core, spelling) if core in word else spelling


def _english(form: str) -> str:
    """Return the American spelling of a base form."""
    if not form.isascii() and form not in ENGLISH_KEPT:
        form = _without_accents(form.translate(LIGATURES))
    spellings = read_spellings("en")
    if form in spellings.words:
        return spellings.words[form]
    if not form.isalnum() and len(parts := BETWEEN.split(form)) > 1:
        return "".join(map(_english, parts))
    if "ou" in form or "ae" in form or "oe" in form:
        form = spellings.replace_letters(form)
    if form not in spellings.words and ("is" in form or "ys" in form):
        form = WITH_S.sub("z", form)
    return spellings.words.get(form, form)


def _german(form: str) -> str:
    """Return a base form without ß and umlauts."""
    return form if form.isascii() or form in GERMAN_KEPT else form.translate(GERMAN_LETTERS)


def _listed(form: str, lang: str) -> str:
    """Return the spelling of a base form in the list of a language."""
    form = form if form.isascii() else form.translate(LIGATURES)
    return read_spellings(lang).words.get(form, form)


def _without_accents(form: str) -> str:
    decomposed = unicodedata.normalize("NFD", form)
    return "".join(sign for sign in decomposed if unicodedata.category(sign) != "Mn")


SPELLERS: dict[str, Callable[[str], str]] = {
    "de": _german,
    "en": _english,
    "es": partial(_listed, lang="es"),
    "fr": partial(_listed, lang="fr"),
    "pt": partial(_listed, lang="pt"),
}
