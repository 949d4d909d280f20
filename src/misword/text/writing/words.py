"""What several families share: base forms, lists of words and phrases as text, and initialisms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from misword.text.writing import Phrase

# The base form of a word: lower case, plain apostrophes and dashes, no punctuation at its ends.

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
# A token that is a minus before a number, if no number stands before it.
LONE_DASHES = frozenset("-\u2212")
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


# Lists of words and classes of phrases, written as text.

PhraseClass = tuple[Phrase, ...]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[Phrase]:
    """Return the phrases of a text, which are separated by `/`."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("/"))


def parse_classes(text: str) -> list[PhraseClass]:
    """Return the classes of a text: one a line, its phrases separated by ` / `.

    >>> parse_classes("gonna / going to")
    [(('gonna',), ('going', 'to'))]
    """
    return [
        tuple(tuple(phrase.split()) for phrase in line.split(" / "))
        for line in text.splitlines()
        if line.strip()
    ]


def known_classes(
    classes: Iterable[Iterable[Phrase]], words: frozenset[str]
) -> Iterator[PhraseClass]:
    """Yield each class with those of its phrases whose words all occur, if these are two or more.

    >>> list(known_classes(parse_classes("gonna / going to / gon na"), frozenset(["gonna"])))
    []
    """
    for phrases in classes:
        known = tuple(
            phrase for phrase in dict.fromkeys(phrases) if all(w in words for w in phrase)
        )
        if len(known) > 1:
            yield known


# Initialisms: words that are written or read as single letters, `CEO`, `U.S.`, `u s`.

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
