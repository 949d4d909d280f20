"""The base form of a word: lower case, plain apostrophes and dashes, no punctuation at its ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Curly and other apostrophes, and hyphens and dashes, have one plain form each.
PLAIN_SIGNS = str.maketrans(
    dict.fromkeys("\u2019\u2018\u02bc\uff07\u2032`\u00b4", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
# Signs that belong to what they stand beside: 60%, #5, R&D, @home; currency signs are not P at all.
# Apostrophes at the ends are removed later, if they do not belong to the word.
KEPT = frozenset("%#&@°'")
# The punctuation of ASCII that is removed at the ends of a word.
ASCII_SIGNS = '!"()*,-./:;?[\\]_{}'
# The sign or the decimal point of a number: -5, .5; not a dash or an ellipsis before it.
NUMBER_SIGN = re.compile(r"[^\w.-]*(-?\.?)(?=\d)")
# What follows an apostrophe that belongs to the word: 'em, '90s, and the second token of `we 're`.
AFTER_APOSTROPHE = re.compile(
    r"\d\ds?|bout|cause|cos|course|coz|cuz|d|em|fraid|gainst|kay|ll|m|mongst|n|nother|nuff|re|"
    r"round|s|scuse|sup|t|til|till|tis|twas|tween|twere|twill|ve",
    re.IGNORECASE,
)
# What stands before an apostrophe that belongs to the word: dogs', goin', o', l', qu', dell', un'.
BEFORE_APOSTROPHE = re.compile(r".*(?:s|in|ll|qu|un)|\w\w?", re.IGNORECASE)


def base(word: str) -> str:
    """Return the base form of a word.

    A word that consists of punctuation only has an empty base form.

    >>> base("“We’re,"), base("60%."), base("--"), base("U.S."), base("'cause"), base("'hello'")
    ("we're", '60%', '', 'u.s', "'cause", 'hello')
    """
    (form,) = base_forms((word,))
    return form


def base_forms(words: Iterable[str]) -> list[str]:
    """Return the base forms of words; faster than `base` for a whole vocabulary."""
    return [word.lower() if word.isalnum() else without_outer_signs(word).lower() for word in words]


def without_outer_signs(word: str) -> str:
    """Return a word with plain apostrophes and dashes, without the punctuation at its ends.

    The sign of a number and its decimal point are kept: `-5`, `.5`.

    An apostrophe at an end is kept if it belongs to the word: `'em`, `'90s`, `goin'`, `dogs'`. It
    is removed if it is a quotation mark: `'hello'`, `'hello`.

    Known problems: a quotation that ends with an *s* keeps its mark (`dogs'`), unless its first
    mark stands before the same word.

    >>> without_outer_signs("('Hello',"), without_outer_signs("'Em."), without_outer_signs("state-")
    ('Hello', "'Em", 'state')
    """
    if word.isascii() and "`" not in word:
        core = word.strip(ASCII_SIGNS)
    else:
        word = unicodedata.normalize("NFC", word).translate(PLAIN_SIGNS)
        core = _strip(word)
    if core[:1].isdigit() and (match := NUMBER_SIGN.match(word)):
        return f"{match[1]}{core}"
    return _without_quotation_marks(core) if core[:1] == "'" or core[-1:] == "'" else core


def _strip(word: str) -> str:
    """Remove the punctuation at the ends of a word, except for apostrophes and kept signs."""
    start, end = 0, len(word)
    while start < end and _strippable(word[start]):
        start += 1
    while end > start and _strippable(word[end - 1]):
        end -= 1
    return word[start:end]


def _without_quotation_marks(word: str) -> str:
    """Remove the apostrophes at the ends, and the signs inside them, unless they belong to it."""
    opened, closed = word[0] == "'", word[-1] == "'"
    inside = without_outer_signs(word.strip("'"))
    if opened and AFTER_APOSTROPHE.fullmatch(inside):
        return f"'{inside}"
    if closed and not opened and BEFORE_APOSTROPHE.fullmatch(inside):
        return f"{inside}'"
    return inside


def _strippable(sign: str) -> bool:
    return sign not in KEPT and unicodedata.category(sign)[0] == "P"
