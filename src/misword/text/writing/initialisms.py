"""Initialisms: words that are written or read as single letters, `CEO`, `U.S.`, `u s`."""

from __future__ import annotations

import re

from misword.text.writing.phrases import word_set

# Frequent English words of up to four letters. As single letters they are an initialism and not
# this word: `U.S.` and `u s` are `US`, but not `us`.
SHORT_WORDS = word_set("""
    ad ads age aid air all am an and any arc are arm art as ask at ate ban bar bat be bed bet
    big bit but buy by can cap car cat cow cut dad day did do dog due ear east eat end era fan
    far fat few fit fly for fun gap gas get go god got gun had has hat he her hi him his hit hot
    how i if in ink inn is it its job key kid law lay led leg let lie lot low mad made man map
    may me men met mix more most my net new no nor not now odd of off oh old on one or our out
    own pass pat pay per pet pick pie pin pit put ran raw red rid row run sad said sat saw say
    sea see set she sit six so some son sun tap tax team ten than that the them then they this
    time tip to too top try two up us use van vat via war was way we well were what when who why
    will win wish with yes yet you
""")
# Those of them that are well known as initialisms: US, IT, WHO, LED.
READ_AS_LETTERS = word_set("act ad am it led or sat us vat who")
DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
PLURAL = re.compile(r"([A-Z][A-Za-z]*[A-Z])'?s")


def joined_initialism(word: str) -> str:
    """Return the letters of a dotted initialism in small letters; empty if the word is none.

    `word` has no punctuation at its ends, except for the last full stop.

    >>> joined_initialism("U.S"), joined_initialism("e.g."), joined_initialism("amazon.com")
    ('us', 'eg', '')
    """
    return word.replace(".", "").lower() if DOTTED.fullmatch(word) and len(word) > 2 else ""


def plural_initialism(word: str) -> str:
    """Return an initialism in the plural without apostrophe and full stops; empty if it is none.

    >>> plural_initialism("CEO's"), plural_initialism("C.E.O.s"), plural_initialism("Bob's")
    ('CEOs', 'CEOs', '')
    """
    match = PLURAL.fullmatch(word.replace(".", ""))
    return f"{match[1]}s" if match else ""
