"""The base form of a word: lower case, plain apostrophes, no punctuation at its ends."""

from __future__ import annotations

import unicodedata

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07`\u00b4", "'"))
# Signs that belong to what they stand beside: 60%, #5, R&D, @home; currency signs are not P at all.
KEPT = frozenset("%#&@°")


def base(word: str) -> str:
    """Return the base form of a word.

    An apostrophe at an end is kept: `'em`, `goin'`. A word that consists of punctuation only has an
    empty base form.

    >>> base("“We’re,"), base("60%."), base("--"), base("U.S."), base("'cause")
    ("we're", '60%', '', 'u.s', "'cause")
    """
    word = word.translate(APOSTROPHES)
    start, end = 0, len(word)
    while start < end and _strippable(word[start]):
        start += 1
    while end > start and _strippable(word[end - 1]):
        end -= 1
    stripped = word[start:end].lower()
    return (
        ""
        if not any(letter.isalnum() or letter in KEPT for letter in stripped)
        and all(unicodedata.category(letter)[0] == "P" for letter in stripped)
        else stripped
    )


def _strippable(letter: str) -> bool:
    return letter not in KEPT and letter != "'" and unicodedata.category(letter)[0] == "P"
