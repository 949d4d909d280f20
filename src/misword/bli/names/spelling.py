"""How alike two words of a pair are spelled, also across scripts.

A letter of another script than Latin is read by its name in Unicode: `CYRILLIC SMALL LETTER BE`
gives `b`. This is no transliteration, but the consonants of names stay recognisable in alphabets,
abjads and the scripts of India. How much a similarity means is learnt for each lexicon.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

from misword.text.scripts import word_script

LETTER_NAME = re.compile(
    r"\b(?:LETTER|CHARACTER|CHOSEONG|JUNGSEONG|JONGSEONG) (?:SHORT |VOCALIC |FINAL )?([A-Z]+)"
)
# Letters that scripts often leave out or write differently.
WEAK = re.compile(r"[aeiouyhw'’-]")
# Consonants that stand for each other.
ALIKE = str.maketrans("cqzj", "kksg")
OTHER_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"})
# The classes of a pair, the most alike first; `None` is for words without letters.
SAME_SCRIPT = ("same spelling", "similar spelling", "somewhat similar spelling", "other spelling")
OTHER_SCRIPT = tuple(f"{name} in another script" for name in SAME_SCRIPT)
SAME_LIMITS, OTHER_LIMITS = (0.8, 0.5), (0.8, 0.6, 0.35)


def spelling_class(source: str, target: str) -> str | None:
    """Return the class of a pair by the similarity of its spellings.

    >>> spelling_class("marcus", "markus"), spelling_class("bradford", "брадфорд")
    ('similar spelling', 'same spelling in another script')
    >>> spelling_class("dog", "Hund"), spelling_class("24", "24")
    ('other spelling', None)
    """
    scripts = word_script(source), word_script(target)
    if "" in scripts:
        return None
    if scripts[0] == scripts[1]:
        if source.lower() == target.lower():
            return SAME_SCRIPT[0]
        ratio = _ratio(plain(source), plain(target))
        return SAME_SCRIPT[1 + sum(ratio <= limit for limit in SAME_LIMITS)]
    ratio = _ratio(consonants(source), consonants(target))
    return OTHER_SCRIPT[sum(ratio < limit for limit in OTHER_LIMITS)]


def plain(word: str) -> str:
    """Return a word in lower case without marks.

    >>> plain("Orléans"), plain("Straße")
    ('orleans', 'strasse')
    """
    letters = unicodedata.normalize("NFKD", word.lower().translate(OTHER_LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def consonants(word: str) -> str:
    """Return the consonants of a word in Latin letters, without `h`, `w` and `y`.

    >>> consonants("брадфорд"), consonants("Bradford"), consonants("لندن"), consonants("London")
    ('brdfrd', 'brdfrd', 'lndn', 'lndn')
    """
    return WEAK.sub("", latin_letters(word)).translate(ALIKE)


@lru_cache(maxsize=1 << 16)
def latin_letters(word: str) -> str:
    """Return a word with each letter of another script as the first Latin letter of its name.

    Names of two letters are taken whole: the Cyrillic letter for `m` is called `EM`.

    >>> latin_letters("Москва"), latin_letters("Λονδίνο"), latin_letters("런던")
    ('emoeskavea', 'lonudinuo', 'reonteon')
    """
    letters = []
    for letter in plain(word):
        if letter.isascii():
            letters.append(letter)
        elif named := LETTER_NAME.search(unicodedata.name(letter, "")):
            name = named[1].lower()
            letters.append(name if len(name) == 2 else name[0])
    return "".join(letters)


def _ratio(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
