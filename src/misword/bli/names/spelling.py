"""How alike two words of a pair are spelled, also across scripts.

Words are compared in Latin letters (`misword.text.transliteration`); words of different scripts by
their consonants, because vowels are often not written, or written differently. How much a
similarity means is learnt for each lexicon.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from misword.text.scripts import word_script
from misword.text.transliteration import transliterate

# Letters that scripts often leave out or write differently, and those without a Latin reading.
WEAK = re.compile(r"[aeiouyhw'’-]|[^\x00-\x7f]")
# Consonants that stand for each other; `ts` is one letter in Cyrillic.
ALIKE = str.maketrans("cqzj", "kksg")
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
        ratio = _ratio(transliterate(source), transliterate(target))
        return SAME_SCRIPT[1 + sum(ratio <= limit for limit in SAME_LIMITS)]
    ratio = _ratio(consonants(source), consonants(target))
    return OTHER_SCRIPT[sum(ratio < limit for limit in OTHER_LIMITS)]


def consonants(word: str) -> str:
    """Return the consonants of a word in Latin letters, without `h`, `w` and `y`.

    >>> consonants("брадфорд"), consonants("Bradford"), consonants("لندن"), consonants("London")
    ('brdfrd', 'brdfrd', 'lndn', 'lndn')
    """
    return WEAK.sub("", transliterate(word).replace("ts", "t")).translate(ALIKE)


def _ratio(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
